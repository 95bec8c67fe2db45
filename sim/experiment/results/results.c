/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Publishing stages all CSV files beside the old ones before it replaces any of them. Rows keep the
 * order of the plan, so that files are the same bytes whichever order points finish in. */
#include "experiment/results/results.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/file/lock.h"
#include "base/file/path.h"
#include "base/mem.h"
#include "base/text.h"

static egc_path table_path(const egc_results *results, egc_table table)
{
    return egc_path_of("%s/%s", results->dir.text, egc_columns_tables[table].file);
}

/* ---- finished points ------------------------------------------------------------------------- */

bool egc_results_is_good(const char *status)
{
    return strcmp(status, "ok") == 0 || strcmp(status, "diverged") == 0;
}

egc_status egc_results_finish(egc_results *results, size_t point, egc_error *err)
{
    egc_csv_table record = {0};
    const char *run_id = results->plan->points[point].run_id;
    egc_status status = egc_point_record_read(results->spool.text, run_id, &record, err);
    if (status)
        return status;
    int state = egc_csv_column(&record, "status"), error = egc_csv_column(&record, "error");
    egc_point_state *out = &results->states[point];
    if (state < 0 || error < 0) {
        status = egc_fail(err, EGC_ERROR_FORMAT, "%s: must have columns status and error",
                          egc_point_record_file(results->spool.text, run_id, EGC_TABLE_RUNS).text);
        goto done;
    }
    *out = (egc_point_state){
        .is_finished = true,
        .status = egc_arena_strdup(&results->arena, record.rows[0][state]),
        .error = egc_arena_strdup(&results->arena, record.rows[0][error]),
        .step_s = egc_csv_number(&record, 0, egc_csv_column(&record, "step_s")),
        .wall_s = egc_csv_number(&record, 0, egc_csv_column(&record, EGC_WALL_COLUMN)),
    };
    if (!out->status || !out->error)
        status = egc_fail_memory(err, EGC_ERROR_LENGTH);
done:
    egc_csv_table_fini(&record);
    return status;
}

/* ---- publishing ------------------------------------------------------------------------------ */

/* True for a wanted point that is not finished: rows that depend on it must wait. */
static bool is_awaited(const egc_results *results, size_t point)
{
    return point != EGC_NO_POINT && results->plan->points[point].is_wanted &&
           !results->states[point].is_finished;
}

static size_t publishable_end(const egc_results *results)
{
    size_t i = results->next;
    while (i < results->plan->n_points && !is_awaited(results, i) &&
           !is_awaited(results, results->plan->points[i].dense))
        i++;
    return i;
}

bool egc_results_is_due(const egc_results *results)
{
    size_t n_waiting = publishable_end(results) - results->next;
    return n_waiting > 0 && n_waiting >= results->n_published;
}

static double speedup(const egc_results *results, size_t point)
{
    size_t dense = results->plan->points[point].dense;
    if (dense == EGC_NO_POINT || !results->states[dense].is_finished)
        return NAN;
    const egc_point_state *mine = &results->states[point], *other = &results->states[dense];
    bool is_known =
        egc_results_is_good(mine->status) && egc_results_is_good(other->status) && mine->step_s > 0;
    return is_known ? other->step_s / mine->step_s : NAN;
}

static void put_cell(egc_buf *row, const egc_csv_table *record, const char *name)
{
    int column = egc_csv_column(record, name);
    egc_text_put_field(row, column < 0 ? "" : record->rows[0][column]);
}

/* Appends the row of a point in runs.csv: that of its record, with the speedup. */
static egc_status put_run(const egc_results *results, size_t point, egc_buf *row, egc_error *err)
{
    const egc_results_plan *plan = results->plan;
    const egc_table_type *type = &egc_columns_tables[EGC_TABLE_RUNS];
    egc_csv_table record = {0};
    egc_status status =
        egc_point_record_read(results->spool.text, plan->points[point].run_id, &record, err);
    if (status)
        return status;
    for (size_t i = 0; i < type->n_columns; i++) {
        if (strcmp(type->columns[i].name, "speedup") == 0)
            egc_text_put_real_field(row, speedup(results, point));
        else
            put_cell(row, &record, type->columns[i].name);
    }
    for (size_t i = 0; i < plan->n_axes; i++)
        put_cell(row, &record, plan->axes[i]);
    egc_text_end_row(row);
    egc_csv_table_fini(&record);
    return egc_buf_check(row, err);
}

/* Appends the rows of a point to a staged table. */
static egc_status write_rows(const egc_results *results, egc_atomic_file *staged, egc_table table,
                             size_t point, size_t header_len, egc_error *err)
{
    const char *run_id = results->plan->points[point].run_id;
    if (table != EGC_TABLE_RUNS)
        return egc_atomic_file_copy(staged,
                                    egc_point_record_file(results->spool.text, run_id, table).text,
                                    (off_t)header_len, err);
    egc_buf row = {0};
    egc_status status = put_run(results, point, &row, err);
    if (!status)
        status = egc_atomic_file_write(staged, row.data, row.len, err);
    egc_buf_fini(&row);
    return status;
}

/* Stages a table: its present rows, then those of the points up to end. */
static egc_status stage_table(const egc_results *results, egc_table table, size_t end,
                              egc_atomic_file *staged, egc_error *err)
{
    egc_path path = table_path(results, table);
    egc_buf header = {0};
    egc_results_plan_put_header(results->plan, table, &header);
    egc_status status = egc_buf_check(&header, err);
    if (!status)
        status = egc_atomic_file_open(staged, path.text, err);
    if (!status && results->has_files)
        status = egc_atomic_file_copy(staged, path.text, 0, err);
    else if (!status)
        status = egc_atomic_file_write(staged, header.data, header.len, err);
    for (size_t i = results->next; i < end && !status; i++)
        if (results->states[i].is_finished)
            status = write_rows(results, staged, table, i, header.len, err);
    egc_buf_fini(&header);
    return status ? status : egc_atomic_file_sync(staged, err);
}

/* Timelines are single files, so that they can be published one by one. */
static egc_status publish_timelines(const egc_results *results, size_t end, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t i = results->next; i < end && !status; i++) {
        const char *run_id = results->plan->points[i].run_id;
        egc_path record = egc_point_record_path(results->spool.text, run_id);
        status = egc_timeline_publish(record.text, results->dir.text, run_id, err);
    }
    return status;
}

static void note_published(egc_results *results, size_t end)
{
    for (size_t i = results->next; i < end; i++)
        results->n_published += results->states[i].is_finished;
    results->next = end;
    results->has_files = true;
}

egc_status egc_results_publish(egc_results *results, egc_error *err)
{
    size_t end = publishable_end(results);
    if (end == results->next && results->has_files)
        return EGC_OK;
    egc_atomic_file staged[EGC_N_TABLES];
    for (int i = 0; i < EGC_N_TABLES; i++)
        staged[i].fd = -1;
    egc_status status = EGC_OK;
    for (int i = 0; i < EGC_N_TABLES && !status; i++)
        if (results->plan->has_table[i])
            status = stage_table(results, (egc_table)i, end, &staged[i], err);
    for (int i = 0; i < EGC_N_TABLES && !status; i++)
        if (results->plan->has_table[i])
            status = egc_atomic_file_commit(&staged[i], err);
    for (int i = 0; i < EGC_N_TABLES; i++)
        egc_atomic_file_discard(&staged[i]);
    if (!status)
        status = publish_timelines(results, end, err);
    if (!status)
        note_published(results, end);
    return status;
}

egc_status egc_results_forget_records(egc_results *results, egc_error *err)
{
    egc_status status = EGC_OK;
    for (; results->forgotten < results->next && !status; results->forgotten++) {
        const char *run_id = results->plan->points[results->forgotten].run_id;
        status = egc_point_record_remove(results->spool.text, run_id, err);
    }
    return status;
}

/* ---- opening --------------------------------------------------------------------------------- */

static egc_status refuse_results(const egc_results *results, egc_error *err)
{
    static const char *const marks[] = {"runs.csv", "manifest.json", ".spool"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (egc_path_exists(egc_path_of("%s/%s", results->dir.text, marks[i]).text))
            return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                            "%s: holds results already; continue them with --resume or choose "
                            "another --out",
                            results->dir.text);
    return EGC_OK;
}

static egc_status prepare(egc_results *results, bool resume, egc_error *err)
{
    egc_status status = egc_path_make_folder(results->dir.text, err);
    if (!status)
        status = egc_lock_take(results->dir.text, &results->lock, err);
    if (!status && !resume)
        status = refuse_results(results, err);
    if (!status)
        status = egc_path_make_folder(results->spool.text, err);
    return status ? status : egc_path_remove_staged(results->spool.text, err);
}

egc_status egc_results_open(const char *dir, const egc_results_plan *plan, bool resume,
                            egc_results **out, egc_error *err)
{
    *out = NULL;
    egc_status status = egc_path_check(dir, err);
    if (status)
        return status;
    egc_results *results = egc_calloc(1, sizeof *results);
    if (!results)
        return egc_fail_memory(err, sizeof *results);
    *results = (egc_results){.plan = plan,
                             .dir = egc_path_of("%s", dir),
                             .spool = egc_path_of("%s/.spool", dir),
                             .lock = -1};
    results->states = egc_calloc(plan->n_points, sizeof *results->states);
    status = results->states ? prepare(results, resume, err)
                             : egc_fail_memory(err, plan->n_points * sizeof *results->states);
    if (!status)
        *out = results;
    else
        egc_results_close(results);
    return status;
}

void egc_results_close(egc_results *results)
{
    if (!results)
        return;
    if (results->lock >= 0) {
        rmdir(results->spool.text); /* fails if there are records in it */
        egc_lock_release(results->dir.text, results->lock);
    }
    egc_arena_fini(&results->arena);
    egc_free(results->states);
    egc_free(results);
}
