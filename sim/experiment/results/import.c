/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CSV files are mapped and indexed by run_id. The rows of a point are taken if its row in runs.csv
 * is complete and the other files have all its rows; otherwise the point runs again. Rows are
 * copied as bytes, so that publishing them again gives the same file. */
#include "experiment/results/import.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/mapping.h"
#include "base/file/path.h"
#include "base/text.h"
#include "experiment/results/manifest.h"

/* The rows of one point in one file. */
typedef struct group {
    char run_id[EGC_RUN_ID_LENGTH];
    const char *rows;
    size_t len;
    size_t n_rows;
} group;

typedef struct table_source {
    egc_mapping bytes;
    egc_buf header; /* the header that the plan demands */
    egc_buf groups; /* an array of group */
    egc_index runs; /* position of a group by run_id */
    bool is_whole;  /* the last row is complete */
} table_source;

/* ---- one file -------------------------------------------------------------------------------- */

/* The length of the row at the start of text with its line end, which may be inside quotes, or 0 if
 * it is incomplete. */
static size_t row_length(const char *text, size_t len)
{
    bool quoted = false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"')
            quoted = !quoted;
        if (text[i] == '\n' && !quoted)
            return i + 1;
    }
    return 0;
}

static size_t count_groups(const table_source *source)
{
    return source->groups.len / sizeof(group);
}

static group *group_at(const table_source *source, size_t i)
{
    return (group *)(void *)source->groups.data + i;
}

/* Stores the groups of consecutive rows with the same run_id. Rows without one are ignored, and so
 * are rows of a run whose group has ended. */
static egc_status index_rows(table_source *source, egc_error *err)
{
    const char *text = source->bytes.data;
    size_t len, start = source->header.len;
    for (size_t at = start; (len = row_length(text + at, source->bytes.len - at)) > 0; at += len) {
        group new = {.rows = text + at};
        size_t n = count_groups(source);
        if (len < EGC_RUN_ID_LENGTH || new.rows[EGC_RUN_ID_LENGTH - 1] != ',')
            continue;
        memcpy(new.run_id, new.rows, EGC_RUN_ID_LENGTH - 1);
        size_t i = egc_index_add(&source->runs, new.run_id, n);
        if (i == n && egc_buf_append(&source->groups, &new, sizeof new, err))
            return EGC_ERROR_MEMORY;
        group *own = group_at(source, i);
        if (i + 1 == count_groups(source)) {
            own->len = (size_t)(text + at + len - own->rows);
            own->n_rows++;
        }
    }
    return egc_index_check(&source->runs, err);
}

static egc_status open_source(table_source *source, const egc_results_plan *plan, egc_table table,
                              const char *from, egc_error *err)
{
    egc_path path = egc_path_of("%s/%s", from, egc_columns_tables[table].file);
    egc_results_plan_put_header(plan, table, &source->header);
    egc_status status = egc_buf_check(&source->header, err);
    if (!status)
        status = egc_mapping_open(path.text, &source->bytes, err);
    if (status || source->bytes.len < source->header.len)
        return status; /* no rows */
    if (memcmp(source->bytes.data, source->header.data, source->header.len) != 0)
        return egc_fail(
            err, EGC_ERROR_FORMAT,
            "%s: its columns differ from those of this experiment; choose another --out",
            path.text);
    source->is_whole = source->bytes.data[source->bytes.len - 1] == '\n';
    return index_rows(source, err);
}

static void close_source(table_source *source)
{
    egc_mapping_close(&source->bytes);
    egc_buf_fini(&source->header);
    egc_buf_fini(&source->groups);
    egc_index_fini(&source->runs);
}

/* Finds the rows of a point; NULL if there are none. */
static const group *find_group(const table_source *source, const char *run_id)
{
    size_t i = egc_index_find(&source->runs, run_id);
    return i == EGC_INDEX_NONE ? NULL : group_at(source, i);
}

/* True if rows are all that the point had: the last group of an incomplete file may lack rows. */
static bool is_complete(const table_source *source, const group *rows)
{
    return source->is_whole || (rows && rows != group_at(source, count_groups(source) - 1));
}

/* ---- one point ------------------------------------------------------------------------------- */

/* Writes header and row of the record's runs.csv, which has wall_s in addition. */
static egc_status write_run(egc_atomic_file *staged, const table_source *runs, const group *row,
                            double wall_s, egc_error *err)
{
    egc_buf text = {0};
    egc_text_put(&text, "%.*s," EGC_WALL_COLUMN "\n%.*s,", (int)runs->header.len - 1,
                 (const char *)runs->header.data, (int)row->len - 1, row->rows);
    egc_text_put_real_field(&text, wall_s);
    egc_text_end_row(&text);
    egc_status status = egc_buf_check(&text, err);
    if (!status)
        status = egc_atomic_file_write(staged, text.data, text.len, err);
    egc_buf_fini(&text);
    return status;
}

static egc_status write_table(const char *folder, egc_table table, const table_source *source,
                              const group *rows, double wall_s, egc_error *err)
{
    egc_atomic_file staged = {.fd = -1};
    egc_status status = egc_atomic_file_open(
        &staged, egc_path_of("%s/%s", folder, egc_columns_tables[table].file).text, err);
    if (!status && table == EGC_TABLE_RUNS) {
        status = write_run(&staged, source, rows, wall_s, err);
    } else if (!status) {
        status = egc_atomic_file_write(&staged, source->header.data, source->header.len, err);
        if (!status)
            status = egc_atomic_file_write(&staged, rows->rows, rows->len, err);
    }
    return egc_atomic_file_end(&staged, status, err);
}

/* Writes the files of a record into its staged folder. */
static egc_status write_folder(const char *folder, const table_source *sources,
                               const group *const *rows, double wall_s, egc_error *err)
{
    egc_status status = egc_path_remove_folder(folder, err);
    if (!status)
        status = egc_path_make_folder(folder, err);
    for (int i = 0; i < EGC_N_TABLES && !status; i++)
        if (rows[i])
            status = write_table(folder, (egc_table)i, &sources[i], rows[i], wall_s, err);
    return status;
}

/* True if the point needs not run again: it ended well (or failed_too) and its rows are complete.
 */
static bool is_trusted(const egc_results_plan *plan, const table_source *sources,
                       const group *const *rows, const egc_csv_table *run, bool failed_too)
{
    const char *state = run->rows[0][egc_csv_column(run, "status")];
    bool is_ok = strcmp(state, "ok") == 0;
    if (!is_ok && strcmp(state, "diverged") != 0 && !failed_too)
        return false;
    for (int i = 0; i < EGC_TABLE_RUNS; i++)
        if (plan->has_table[i] && !is_complete(&sources[i], rows[i]))
            return false;
    const group *steps = rows[EGC_TABLE_STEPS];
    double n_steps = egc_csv_number(run, 0, egc_csv_column(run, "steps"));
    return !is_ok || (steps ? (double)steps->n_rows : 0) == n_steps;
}

static egc_status import_point(egc_results *results, size_t point, const char *from,
                               table_source *sources, bool failed_too, double wall_s,
                               egc_error *err)
{
    const egc_results_plan *plan = results->plan;
    const char *spool = results->spool.text, *run_id = plan->points[point].run_id;
    const group *rows[EGC_N_TABLES];
    for (int i = 0; i < EGC_N_TABLES; i++)
        rows[i] = plan->has_table[i] ? find_group(&sources[i], run_id) : NULL;
    if (!rows[EGC_TABLE_RUNS])
        return EGC_OK;
    egc_path name = egc_path_of("%s" EGC_STAGED_SUFFIX, run_id);
    egc_path folder = egc_point_record_staged(spool, run_id);
    egc_path complete = egc_point_record_path(spool, run_id);
    egc_csv_table run = {0};
    egc_status status = write_folder(folder.text, sources, rows, wall_s, err);
    if (!status && strcmp(from, results->dir.text) != 0) /* the timeline stays */
        status = egc_timeline_import(from, run_id, folder.text, err);
    if (!status)
        status = egc_point_record_read(spool, name.text, &run, err);
    if (status)
        return status;
    bool trusted = is_trusted(plan, sources, rows, &run, failed_too);
    egc_csv_table_fini(&run);
    if (!trusted)
        return egc_path_remove_folder(folder.text, err);
    if (rename(folder.text, complete.text) != 0)
        return egc_fail_errno(err, "write", complete.text);
    return egc_results_finish(results, point, err);
}

egc_status egc_results_import(egc_results *results, const char *from, bool failed_too,
                              egc_error *err)
{
    const egc_results_plan *plan = results->plan;
    table_source sources[EGC_N_TABLES] = {0};
    json_t *manifest = NULL;
    egc_error ignored; /* without a manifest the times on the host are unknown */
    if (egc_manifest_read(from, &manifest, &ignored))
        manifest = NULL;
    egc_status status = EGC_OK;
    for (int i = 0; i < EGC_N_TABLES && !status; i++)
        if (plan->has_table[i])
            status = open_source(&sources[i], plan, (egc_table)i, from, err);
    for (size_t i = 0; i < plan->n_points && !status; i++)
        if (!results->states[i].is_finished)
            status = import_point(results, i, from, sources, failed_too,
                                  egc_manifest_wall_s(manifest, plan->points[i].run_id), err);
    for (int i = 0; i < EGC_N_TABLES; i++)
        close_source(&sources[i]);
    json_decref(manifest);
    return status;
}

/* ---- unknown runs ---------------------------------------------------------------------------- */

typedef struct unknown_runs {
    egc_index planned;
    size_t n;
    char first[EGC_RUN_ID_LENGTH];
} unknown_runs;

static void count_unless_planned(unknown_runs *found, const char *run_id)
{
    if (egc_index_find(&found->planned, run_id) == EGC_INDEX_NONE && found->n++ == 0)
        memcpy(found->first, run_id, EGC_RUN_ID_LENGTH);
}

static int is_record(const struct dirent *entry)
{
    size_t len = EGC_RUN_ID_LENGTH - 1;
    return strspn(entry->d_name, "0123456789abcdef") == len && entry->d_name[len] == '\0';
}

/* Counts records that are not published; a killed run may have left rows and record of a point. */
static egc_status count_records(const char *spool, const table_source *runs, unknown_runs *found,
                                egc_error *err)
{
    struct dirent **records;
    int n = scandir(spool, &records, is_record, alphasort);
    if (n < 0)
        return errno == ENOENT ? EGC_OK : egc_fail_errno(err, "read", spool);
    for (int i = 0; i < n; i++) {
        if (!find_group(runs, records[i]->d_name))
            count_unless_planned(found, records[i]->d_name);
        free(records[i]);
    }
    free(records);
    return EGC_OK;
}

/* UNSUPPORTED when the folder holds finished runs, of any status, that the plan does not have. */
static egc_status check_unknown_runs(const egc_results *results, egc_error *err)
{
    const egc_results_plan *plan = results->plan;
    const char *dir = results->dir.text;
    table_source runs = {0};
    unknown_runs found = {0};
    for (size_t i = 0; i < plan->n_points; i++)
        egc_index_add(&found.planned, plan->points[i].run_id, i);
    egc_status status = egc_index_check(&found.planned, err);
    if (!status)
        status = open_source(&runs, plan, EGC_TABLE_RUNS, dir, err);
    for (size_t i = 0; i < count_groups(&runs) && !status; i++)
        count_unless_planned(&found, group_at(&runs, i)->run_id);
    if (!status)
        status = count_records(results->spool.text, &runs, &found, err);
    if (!status && found.n > 0)
        status = egc_fail(err, EGC_ERROR_UNSUPPORTED,
                          "%s: holds %zu finished run%s that the experiment does not have, the "
                          "first is %s; choose a new folder with --out, without --resume",
                          dir, found.n, found.n == 1 ? "" : "s", found.first);
    close_source(&runs);
    egc_index_fini(&found.planned);
    return status;
}

/* ---- resuming -------------------------------------------------------------------------------- */

/* True if the record has a column for each of the plan's axes and its point need not run again. */
static bool is_usable(const egc_results_plan *plan, const egc_csv_table *record)
{
    int state = egc_csv_column(record, "status");
    bool usable = state >= 0 && egc_results_is_good(record->rows[0][state]);
    for (size_t i = 0; i < plan->n_axes; i++)
        usable = usable && egc_csv_column(record, plan->axes[i]) >= 0;
    return usable;
}

/* Takes the points whose records an interrupted run left, and removes unusable records. */
static egc_status take_records(egc_results *results, egc_error *err)
{
    const egc_results_plan *plan = results->plan;
    const char *spool = results->spool.text;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < plan->n_points && !status; i++) {
        const char *run_id = plan->points[i].run_id;
        egc_csv_table record = {0};
        egc_error unreadable;
        if (!egc_path_exists(egc_point_record_path(spool, run_id).text))
            continue;
        bool usable = egc_point_record_read(spool, run_id, &record, &unreadable) == EGC_OK &&
                      is_usable(plan, &record);
        egc_csv_table_fini(&record);
        status = usable ? egc_results_finish(results, i, err)
                        : egc_point_record_remove(spool, run_id, err);
    }
    return status;
}

egc_status egc_results_import_resumed(egc_results *results, egc_error *err)
{
    egc_status status = check_unknown_runs(results, err);
    if (!status)
        status = take_records(results, err);
    return status ? status : egc_results_import(results, results->dir.text, false, err);
}
