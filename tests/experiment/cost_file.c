/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of costs: which rows are about a method, and what is refused. */
#include "experiment/spec/cost_file.h"

#include "base/mem.h"
#include "support/test.h"

#include <stdlib.h>
#include <unistd.h>

static char path[] = P_tmpdir "/egc-costs-XXXXXX";

static int make_path(void **state)
{
    (void)state;
    int file = mkstemp(path);
    return file < 0 || close(file);
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path);
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

static egc_method method_of(const char *name, const char *key, const char *word)
{
    egc_method method;
    egc_error err;
    assert_ok(egc_method_init(&method, name, &err), err);
    const egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = word};
    if (key)
        assert_ok(egc_method_set(&method, key, &value, &err), err);
    return method;
}

static const egc_cost_curve *read_file(egc_arena *arena, const egc_method *method)
{
    egc_error err;
    const egc_cost_curve *curve;
    assert_ok(egc_cost_file_read(arena, path, method, &curve, &err), err);
    return curve;
}

#define HEAD "method,params,elements,encode_s,decode_s\n"

/* ---------------------------------------------------------------------------------------------- */

static void cost_file__rows_of_a_method_are_sorted(void **state)
{
    (void)state;
    egc_arena arena = {0};
    write_file("note,decode_s,encode_s,elements,params,method\n"
               ",3e-6,2e-6,1000,,topk\n"
               "not about any,,,,,\n"
               ",9,9,10,,randomk\n"
               "\"quoted, with a comma\",1e-6,1.5e-6,10,,topk\n");
    egc_method topk = method_of("topk", NULL, NULL);
    const egc_cost_curve *curve = read_file(&arena, &topk);
    assert_int_equal(curve->n_samples, 2);
    const egc_cost_sample want[] = {{10, 1.5e-6, 1e-6}, {1000, 2e-6, 3e-6}};
    assert_memory_equal(curve->samples, want, sizeof want);
    egc_arena_fini(&arena);
}

static void cost_file__a_table_of_a_spreadsheet_is_read(void **state)
{
    (void)state;
    egc_arena arena = {0};
    write_file("\xef\xbb\xbfmethod,params,elements,encode_s,decode_s\r\ntopk,,10,1,2\r\n");
    egc_method topk = method_of("topk", NULL, NULL);
    assert_int_equal(read_file(&arena, &topk)->n_samples, 1);
    egc_arena_fini(&arena);
}

static void cost_file__params_choose_rows(void **state)
{
    (void)state;
    egc_arena arena = {0};
    write_file(HEAD "topk,,10,1,1\n"
                    "topk,ratio=0.1,10,2,2\n"
                    "topk,*,10,3,3\n"
                    "topk,*,20,4,4\n");
    static const struct {
        const char *key, *word;
        double want;
    } rows[] = {{NULL, NULL, 1}, {"ratio", "0.1", 2}, {"ratio", "0.2", 3}, {"memory", "none", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        egc_method method = method_of("topk", rows[i].key, rows[i].word);
        assert_true(read_file(&arena, &method)->samples->encode_s == rows[i].want);
    }
    egc_arena_fini(&arena);
}

/* ... of the numbers that are used, and of no others. */
static void cost_file__a_curve_has_an_identity(void **state)
{
    (void)state;
    egc_arena arena = {0};
    egc_method topk = method_of("topk", NULL, NULL);
    write_file(HEAD "topk,,10,1,1\ntopk,,20,2,2\nqsgd,,10,1,1\n");
    const egc_cost_curve *first = read_file(&arena, &topk);
    assert_int_equal(strspn(first->id, "0123456789abcdef"), 16);
    write_file(HEAD "qsgd,,10,5,5\ntopk,,20,2.0,2\ntopk,,10,1,1e0\n");
    assert_string_equal(read_file(&arena, &topk)->id, first->id);
    write_file(HEAD "topk,,10,1,1\ntopk,,20,2,2.1\n");
    assert_string_not_equal(read_file(&arena, &topk)->id, first->id);
    egc_arena_fini(&arena);
}

/* ---- what goes wrong ------------------------------------------------------------------------- */

static void refused(const char *text, egc_status status, const char *message)
{
    egc_arena arena = {0};
    egc_error err = {0};
    const egc_cost_curve *curve;
    char want[512];
    egc_method method = method_of("topk", "ratio", "0.1");
    write_file(text);
    snprintf(want, sizeof want, "%s%s", path, message);
    assert_fails(egc_cost_file_read(&arena, path, &method, &curve, &err), err, status, want);
    egc_arena_fini(&arena);
}

static void cost_file__what_is_no_table_is_refused(void **state)
{
    (void)state;
    refused("", EGC_ERROR_FORMAT, ": no header row");
    refused("method,params,elements,encode_s\n", EGC_ERROR_FORMAT,
            ": has no column decode_s; must have method, params, elements, encode_s and decode_s, "
            "as written by `egc-sim bench compressors --csv FILE`");
    refused(HEAD "topk,,10,1\n", EGC_ERROR_FORMAT, ": row 2 has 4 fields, the header has 5");
    refused(HEAD "topk,*,10,1,1\nqsgd,,0.5,1,1\n", EGC_ERROR_FORMAT,
            ":3: elements must be a number >= 1, got \"0.5\"");
    refused(HEAD "topk,*,10,1ms,1\n", EGC_ERROR_FORMAT,
            ":2: encode_s must be a number >= 0, got \"1ms\"");
    refused(HEAD "topk,*,10,1,-1\n", EGC_ERROR_FORMAT,
            ":2: decode_s must be a number >= 0, got \"-1\"");
    refused(HEAD "topk,*,10,inf,1\n", EGC_ERROR_FORMAT,
            ":2: encode_s must be a number >= 0, got \"inf\"");
    refused(HEAD "topk,*,10,1,\n", EGC_ERROR_FORMAT,
            ":2: decode_s must be a number >= 0, got \"\"");
    refused(HEAD "topk,*,10,1,1\ntopk,*,20,1,1\ntopk,*,10,2,2\n", EGC_ERROR_FORMAT,
            ":4: elements 10 is already in line 2");
    refused(HEAD "topk,*,10,1,1\ntopk,*,20,1,12", EGC_ERROR_FORMAT,
            ": must end with a line end; the last row may be incomplete");
    refused(HEAD "topk,*,10,1,1\n\"topk,*,20,1,1\nqsgd,,10,1,1\n", EGC_ERROR_FORMAT,
            ":3: quote is not closed");
    refused("method,method,params,elements,encode_s,decode_s\ntopk,qsgd,*,10,1,1\n",
            EGC_ERROR_FORMAT, ":1: has column method more than once");
}

static void cost_file__methods_without_a_row_are_refused(void **state)
{
    (void)state;
    refused(HEAD "topk,,10,1,1\nqsgd,*,10,1,1\n", EGC_ERROR_NAME,
            ": has no row of method topk ratio=0.1; `egc-sim bench compressors --method "
            "'topk:ratio=0.1' --csv FILE` measures it, and params \"*\" in a row means any");
    refused(HEAD, EGC_ERROR_NAME,
            ": has no row of method topk ratio=0.1; `egc-sim bench compressors --method "
            "'topk:ratio=0.1' --csv FILE` measures it, and params \"*\" in a row means any");
}

static void cost_file__every_allocation_may_fail(void **state)
{
    (void)state;
    write_file(HEAD "topk,ratio=0.1,10,1,1\ntopk,ratio=0.1,20,1,1\n");
    egc_method method = method_of("topk", "ratio", "0.1");
    egc_status status = EGC_ERROR_MEMORY;
    long k = 0;
    for (; status; k++) {
        egc_arena arena = {0};
        egc_error err;
        const egc_cost_curve *curve;
        egc_mem_fail_after(k);
        status = egc_cost_file_read(&arena, path, &method, &curve, &err);
        egc_mem_fail_after(-1);
        assert_true(status == EGC_OK || status == EGC_ERROR_MEMORY);
        egc_arena_fini(&arena);
    }
    assert_true(k > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cost_file__rows_of_a_method_are_sorted),
        cmocka_unit_test(cost_file__a_table_of_a_spreadsheet_is_read),
        cmocka_unit_test(cost_file__params_choose_rows),
        cmocka_unit_test(cost_file__a_curve_has_an_identity),
        cmocka_unit_test(cost_file__what_is_no_table_is_refused),
        cmocka_unit_test(cost_file__methods_without_a_row_are_refused),
        cmocka_unit_test(cost_file__every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
