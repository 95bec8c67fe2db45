/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "support/test.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/text.h"
#include "experiment/results/csv.h"

/* Writes len bytes to a new file and reads them as a table. */
static egc_status read_bytes(const void *bytes, size_t len, char path[32], egc_csv_table *table,
                             egc_error *err)
{
    strcpy(path, "/tmp/egc-csv-XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    close(fd);
    egc_status status = egc_csv_read(path, table, err);
    unlink(path);
    return status;
}

static egc_csv_table read_text(const char *text)
{
    char path[32];
    egc_csv_table table;
    egc_error err = {0};
    assert_ok(read_bytes(text, strlen(text), path, &table, &err), err);
    return table;
}

/* Expects that the text is refused with "PATH: reason". */
static void assert_refused(const void *bytes, size_t len, const char *reason)
{
    char path[32], message[128];
    egc_csv_table table;
    egc_error err = {0};
    assert_int_equal(read_bytes(bytes, len, path, &table, &err), EGC_ERROR_FORMAT);
    snprintf(message, sizeof message, "%s: %s", path, reason);
    assert_string_equal(err.message, message);
}

static void csv__writes_rfc_4180(void **state)
{
    (void)state;
    egc_buf row = {0};
    egc_error err = {0};
    egc_text_put_field(&row, "");
    egc_text_put_field(&row, "plain words");
    egc_text_put_field(&row, "a,b \"c\"\nd");
    egc_text_put_real_field(&row, 0.1);
    egc_text_put_real_field(&row, NAN);
    egc_text_put_int_field(&row, -9007199254740993);
    egc_text_put_field(&row, "");
    egc_text_end_row(&row);
    assert_ok(egc_buf_append(&row, "", 1, &err), err);
    assert_string_equal((char *)row.data,
                        ",plain words,\"a,b \"\"c\"\"\nd\",0.1,,-9007199254740993,\n");
    egc_buf_fini(&row);
}

static void csv__several_rows_share_a_buffer(void **state)
{
    (void)state;
    egc_buf rows = {0};
    egc_error err = {0};
    for (int i = 0; i < 2; i++) {
        egc_text_put_field(&rows, "");
        egc_text_put_int_field(&rows, i);
        egc_text_end_row(&rows);
    }
    assert_ok(egc_buf_append(&rows, "", 1, &err), err);
    assert_string_equal((char *)rows.data, ",0\n,1\n");
    egc_buf_fini(&rows);
}

static void csv__reads_fields_as_written(void **state)
{
    (void)state;
    egc_csv_table t = read_text("name,x\r\n\"a,\"\"b\"\"\nc\", 2 \n,-1.5e3\n");
    assert_int_equal(t.n_columns, 2);
    assert_int_equal(t.n_rows, 2);
    assert_string_equal(t.columns[1], "x");
    assert_string_equal(t.rows[0][0], "a,\"b\"\nc");
    assert_string_equal(t.rows[0][1], " 2 ");
    assert_string_equal(t.rows[1][0], "");
    assert_int_equal(egc_csv_column(&t, "x"), 1);
    assert_int_equal(egc_csv_column(&t, "y"), -1);
    assert_close(egc_csv_number(&t, 1, 1), -1500, 0);
    assert_true(isnan(egc_csv_number(&t, 0, 0)));
    assert_true(isnan(egc_csv_number(&t, 1, 0)));
    assert_true(isnan(egc_csv_number(&t, 0, -1)));
    egc_csv_table_fini(&t);
}

static void csv__passes_over_the_mark_of_utf_8(void **state)
{
    (void)state;
    egc_csv_table t = read_text("\xef\xbb\xbfname,x\na,\xef\xbb\xbf\n");
    assert_string_equal(t.columns[0], "name");
    assert_string_equal(t.rows[0][1], "\xef\xbb\xbf");
    egc_csv_table_fini(&t);
    assert_refused("\xef\xbb\xbf", 3, "no header row");
}

static void csv__leaves_an_incomplete_last_line_out(void **state)
{
    (void)state;
    const char *cut[] = {"a,b\n1,2\n3", "a,b\n1,2\n3,4", "a,b\n1,2\n3,\"4\n", "a,b\n1,2\n"};
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++) {
        egc_csv_table t = read_text(cut[i]);
        assert_int_equal(t.n_rows, 1);
        assert_string_equal(t.rows[0][1], "2");
        egc_csv_table_fini(&t);
    }
}

static void csv__refuses_what_is_not_a_table(void **state)
{
    (void)state;
    assert_refused("", 0, "no header row");
    assert_refused("a,b", 3, "no header row");
    assert_refused("a,b\n1,2\n3\n", 10, "row 3 has 1 fields, the header has 2");
    assert_refused("a,b\n1,2,3\n", 10, "row 2 has 3 fields, the header has 2");
    assert_refused("a,b\n1,x\"y\n", 10, "row 2 has a stray quote");
    assert_refused("a,b\n1,\0\n", 8, "row 2 holds a zero byte");
}

static void csv__says_why_a_file_cannot_be_read(void **state)
{
    (void)state;
    egc_csv_table table;
    egc_error err;
    assert_fails(egc_csv_read("/nowhere/runs.csv", &table, &err), err, EGC_ERROR_IO,
                 "/nowhere/runs.csv: cannot open: No such file or directory");
    assert_fails(egc_csv_read("/tmp", &table, &err), err, EGC_ERROR_IO,
                 "/tmp: cannot read: Is a directory");
}

/* Longer than the reader's chunk, so that fields and rows straddle its borders. */
static void csv__what_is_written_reads_back(void **state)
{
    (void)state;
    enum { ROWS = 20000 };
    egc_buf text = {0};
    egc_error err = {0};
    egc_text_put(&text, "i,label,value\n");
    for (int i = 0; i < ROWS; i++) {
        egc_text_put_int_field(&text, i);
        egc_text_put_field(&text, i % 3 ? "ratio=0.01;index=raw" : "5\" long");
        egc_text_put_real_field(&text, 1.0 / (i + 1));
        egc_text_end_row(&text);
    }
    char path[32];
    egc_csv_table t;
    assert_ok(read_bytes(text.data, text.len, path, &t, &err), err);
    assert_int_equal(t.n_rows, ROWS);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal((int)egc_csv_number(&t, (size_t)i, 0), i);
        assert_string_equal(t.rows[i][1], i % 3 ? "ratio=0.01;index=raw" : "5\" long");
        assert_true(egc_csv_number(&t, (size_t)i, 2) == 1.0 / (i + 1));
    }
    egc_csv_table_fini(&t);
    egc_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv__writes_rfc_4180),
        cmocka_unit_test(csv__several_rows_share_a_buffer),
        cmocka_unit_test(csv__reads_fields_as_written),
        cmocka_unit_test(csv__passes_over_the_mark_of_utf_8),
        cmocka_unit_test(csv__leaves_an_incomplete_last_line_out),
        cmocka_unit_test(csv__refuses_what_is_not_a_table),
        cmocka_unit_test(csv__says_why_a_file_cannot_be_read),
        cmocka_unit_test(csv__what_is_written_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
