/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which line of what a process printed says why it ended. */
#include "experiment/run/crash_reason.h"
#include "support/test.h"

static void assert_reason(const char *output, const char *text, const char *last)
{
    for (size_t piece = 1; piece <= strlen(output); piece = 3 * piece + 1) {
        egc_crash_reason reason = {0};
        for (size_t at = 0; at < strlen(output); at += piece)
            egc_crash_reason_add(&reason, output + at,
                                 strlen(output + at) < piece ? strlen(output + at) : piece);
        egc_crash_reason_end(&reason);
        assert_string_equal(reason.text, text);
        assert_string_equal(reason.last, last);
    }
}

/* As SimGrid 3.32 prints them. */
#define FRAMES "  ->  0# xbt_abort in libsimgrid.so\n  -> 27# main at sim/cli/main.c:103\n\n"

static void crash_reason__simgrid_says_why(void **state)
{
    (void)state;
    static const char last[] = "  -> 27# main at sim/cli/main.c:103";
    assert_reason("[0.000000] main.c:4: [root/CRITICAL] the answer is 1\n"
                  "Backtrace (displayed in actor maestro):\n" FRAMES,
                  "the answer is 1", last);
    assert_reason(
        "step 1\n[host-0:rank:(1) 0.5] exception.cpp:48: [xbt_exception/CRITICAL] Uncaught "
        "exception std::invalid_argument: no route\n"
        "[0.000000] exception.cpp:75: [xbt_exception/CRITICAL] Current backtrace:\n" FRAMES,
        "Uncaught exception std::invalid_argument: no route", last);
    assert_reason("[0.000000] exception.cpp:95: [xbt_exception/ERROR] Parse error at x.xml:3\n"
                  "[0.000000] exception.cpp:96: [xbt_exception/ERROR] Exiting now.",
                  "Parse error at x.xml:3",
                  "[0.000000] exception.cpp:96: [xbt_exception/ERROR] Exiting now.");
}

static void crash_reason__others_say_it_last(void **state)
{
    (void)state;
    assert_reason("first\n\nfree(): invalid pointer\n\n", "free(): invalid pointer",
                  "free(): invalid pointer");
    assert_reason("loading\rfree(): invalid pointer\nBacktrace (displayed in process x):\n" FRAMES,
                  "free(): invalid pointer", "  -> 27# main at sim/cli/main.c:103");
    assert_reason("a -> b [x/CRITICAL] c\n", "a -> b [x/CRITICAL] c", "a -> b [x/CRITICAL] c");
}

static void crash_reason__a_backtrace_is_better_than_nothing(void **state)
{
    (void)state;
    egc_crash_reason nothing = {0};
    egc_crash_reason_add(&nothing, "\n\n", 2);
    egc_crash_reason_end(&nothing);
    assert_string_equal(nothing.text, "");
    assert_reason(FRAMES, "  ->  0# xbt_abort in libsimgrid.so",
                  "  -> 27# main at sim/cli/main.c:103");
}

static void crash_reason__long_lines_are_cut(void **state)
{
    (void)state;
    egc_crash_reason reason = {0};
    for (int i = 0; i < 3 * EGC_LINE_LENGTH; i++)
        egc_crash_reason_add(&reason, "x", 1);
    egc_crash_reason_end(&reason);
    assert_int_equal(strlen(reason.text), EGC_LINE_LENGTH - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crash_reason__simgrid_says_why),
        cmocka_unit_test(crash_reason__others_say_it_last),
        cmocka_unit_test(crash_reason__a_backtrace_is_better_than_nothing),
        cmocka_unit_test(crash_reason__long_lines_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
