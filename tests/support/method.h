/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A method from text, as experiments write it. */
#ifndef EGC_TEST_METHOD_H
#define EGC_TEST_METHOD_H

#include "support/core.h"
#include "support/test.h"

/* Sets "key=value;key=value". */
static inline void set_all(egc_method *method, const char *settings)
{
    egc_error err = {0};
    assert_ok(egc_method_set_all(method, settings, &err), err);
}

static inline egc_method method_of(const char *name, const char *settings)
{
    egc_method method;
    egc_error err = {0};
    assert_ok(egc_method_init(&method, name, &err), err);
    set_all(&method, settings);
    return method;
}

static inline void set_word(egc_method *method, const char *key, const char *word)
{
    egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = word};
    egc_error err = {0};
    assert_ok(egc_method_set(method, key, &scalar, &err), err);
}

#endif
