/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads experiments from text and gives the result in one line. */
#ifndef EGC_TEST_SCRIPT_HARNESS_H
#define EGC_TEST_SCRIPT_HARNESS_H

#include "script/script.h"
#include "support/test.h"

/* Fields that an experiment needs, on one line. */
#define BASE "workload = egc.workload.train{}, cluster = egc.cluster.star{hosts = 8}, workers = 4, "

typedef struct load_case {
    const char *script;    /* written to t.lua */
    const char *overrides; /* "PATH=VALUE|PATH=VALUE", or NULL */
    /* "NAME axis axis: value value; value value" for each experiment, one a line; or the error. */
    const char *expected;
} load_case;

/* cmocka group set-up: every file of the test is in a folder of its own. */
int enter_folder(void **state);
int leave_folder(void **state);

/* Writes t.lua and loads it. */
egc_status load_text(const char *script, const char *overrides, egc_script *out, egc_error *err);

/* Runs the cases and fails with all that differ. */
void check_cases(const load_case *cases, size_t n);

#endif
