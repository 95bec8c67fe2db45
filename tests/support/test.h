/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every test file includes: cmocka and the asserts it lacks. */
#ifndef EGC_TEST_H
#define EGC_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

/* call returns EGC_OK; otherwise the test fails with the message of err. */
#define assert_ok(call, err)                                                                       \
    do {                                                                                           \
        if ((call) != EGC_OK)                                                                      \
            fail_msg("%s: %s", #call, (err).message);                                              \
    } while (0)

/* call fails with this status and exactly this message. */
#define assert_fails(call, err, expected_status, expected_message)                                 \
    do {                                                                                           \
        (err) = (egc_error){0};                                                                    \
        assert_int_equal((call), (expected_status));                                               \
        assert_string_equal((err).message, (expected_message));                                    \
    } while (0)

/* |got - want| <= tolerance * |want|; cmocka 1.1.5 compares floats only. */
#define assert_close(got, want, tolerance)                                                         \
    do {                                                                                           \
        double got_ = (got), want_ = (want);                                                       \
        if (!(fabs(got_ - want_) <= (tolerance)*fabs(want_)))                                      \
            fail_msg("%s = %.17g, want %.17g within %g", #got, got_, want_, (double)(tolerance));  \
    } while (0)

#endif
