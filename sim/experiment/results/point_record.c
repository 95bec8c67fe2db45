/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/results/point_record.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file/path.h"
#include "base/text.h"
#include "train/algorithm.h"
#include "train/sync/exchange_choice.h"

/* Rows are handed to the system in pieces of this size. */
enum { PIECE_BYTES = 256 * 1024 };

egc_path egc_point_record_path(const char *spool, const char *run_id)
{
    return egc_path_of("%s/%s", spool, run_id);
}

egc_path egc_point_record_file(const char *spool, const char *run_id, egc_table table)
{
    return egc_path_of("%s/%s/%s", spool, run_id, egc_columns_tables[table].file);
}

egc_path egc_point_record_staged(const char *spool, const char *run_id)
{
    return egc_path_of("%s/%s" EGC_STAGED_SUFFIX, spool, run_id);
}

egc_status egc_point_record_remove(const char *spool, const char *run_id, egc_error *err)
{
    egc_path record = egc_point_record_path(spool, run_id),
             staged = egc_point_record_staged(spool, run_id);
    egc_status status = egc_path_remove_folder(staged.text, err);
    if (!status && rename(record.text, staged.text) != 0 && errno != ENOENT)
        status = egc_fail_errno(err, "remove", record.text);
    return status ? status : egc_path_remove_folder(staged.text, err);
}

egc_status egc_point_record_read(const char *spool, const char *run_id, egc_csv_table *out,
                                 egc_error *err)
{
    egc_path path = egc_point_record_file(spool, run_id, EGC_TABLE_RUNS);
    egc_status status = egc_csv_read(path.text, out, err);
    if (status || out->n_rows == 1)
        return status;
    size_t n_rows = out->n_rows;
    egc_csv_table_fini(out);
    return egc_fail(err, EGC_ERROR_FORMAT, "%s: must have 1 row, got %zu", path.text, n_rows);
}

/* ---- columns --------------------------------------------------------------------------------- */

egc_status egc_columns_extra(const egc_experiment *experiment, egc_arena *arena,
                             const char *const **out, size_t *n_out, egc_error *err)
{
    size_t bytes = (experiment->n_axes + 1) * sizeof(char *);
    const char **names = egc_arena_alloc(arena, bytes);
    if (!names)
        return egc_fail_memory(err, bytes);
    *n_out = 0;
    for (size_t i = 0; i < experiment->n_axes; i++)
        if (!egc_columns_has_axis(experiment->axes[i]))
            names[(*n_out)++] = experiment->axes[i];
    if (egc_experiment_is_measured(experiment))
        names[(*n_out)++] = EGC_REPRODUCIBLE_COLUMN;
    *out = names;
    return EGC_OK;
}

egc_status egc_columns_header(egc_table table, const char *const *extra, size_t n_extra,
                              egc_buf *out, egc_error *err)
{
    const egc_table_type *type = &egc_columns_tables[table];
    egc_status status = EGC_OK;
    for (size_t i = 0; i < type->n_columns && !status; i++)
        status = egc_csv_text(out, type->columns[i].name, err);
    for (size_t i = 0; i < n_extra && !status; i++)
        status = egc_csv_text(out, extra[i], err);
    return status ? status : egc_csv_end(out, err);
}

/* ---- rows of steps, units and evaluations ---------------------------------------------------- */

/* Hands the rows to the file, which begins with its header. */
static egc_status flush(egc_point_record *record, egc_table table, egc_error *err)
{
    struct egc_point_record_rows *rows = &record->tables[table];
    egc_status status = EGC_OK;
    if (rows->file.fd < 0) {
        egc_path path = egc_path_of("%s/%s", record->folder.text, egc_columns_tables[table].file);
        egc_buf header = {0};
        status = egc_atomic_file_open(&rows->file, path.text, err);
        if (!status && table != EGC_TABLE_RUNS)
            status = egc_columns_header(table, NULL, 0, &header, err);
        if (!status)
            status = egc_atomic_file_write(&rows->file, header.data, header.len, err);
        egc_buf_fini(&header);
    }
    if (!status)
        status = egc_atomic_file_write(&rows->file, rows->rows.data, rows->rows.len, err);
    egc_buf_clear(&rows->rows);
    if (status)
        record->failure = *err;
    return status;
}

static egc_status end_row(egc_point_record *record, egc_table table, egc_error *err)
{
    egc_buf *rows = &record->tables[table].rows;
    egc_status status = egc_csv_end(rows, err);
    return status || rows->len < PIECE_BYTES ? status : flush(record, table, err);
}

/* The columns that every table but runs.csv begins with. */
static egc_status begin_row(egc_buf *row, const egc_point_record *record, uint64_t step,
                            egc_error *err)
{
    egc_status status = egc_csv_text(row, record->point->run_id, err);
    return status ? status : egc_csv_int(row, (int64_t)step, err);
}

/* The metrics of the table, in the order of its columns, and nothing for its other columns. */
static egc_status append_metrics(egc_buf *row, egc_table table, const void *metrics, egc_error *err)
{
    const egc_table_type *type = &egc_columns_tables[table];
    egc_status status = EGC_OK;
    for (size_t i = 0; i < type->n_columns && !status; i++)
        if (type->columns[i].metric)
            status = egc_csv_real(row, egc_columns_value(&type->columns[i], metrics), err);
    return status;
}

/* A whole row; text stands before the metrics (NULL: none). */
static egc_status add_row(egc_point_record *record, egc_table table, uint64_t step,
                          const char *text, const void *metrics, egc_error *err)
{
    egc_buf *row = &record->tables[table].rows;
    egc_status status = begin_row(row, record, step, err);
    if (!status && text)
        status = egc_csv_text(row, text, err);
    if (!status)
        status = append_metrics(row, table, metrics, err);
    return status ? status : end_row(record, table, err);
}

static egc_status on_step(void *record, uint64_t step, const egc_metrics *metrics, egc_error *err)
{
    return add_row(record, EGC_TABLE_STEPS, step, NULL, metrics, err);
}

static egc_status on_unit(void *record, uint64_t step, const egc_unit_metrics *unit, egc_error *err)
{
    return add_row(record, EGC_TABLE_LAYERS, step, unit->name, unit, err);
}

static egc_status on_evaluation(void *record, uint64_t step, const egc_evaluation_metrics *metrics,
                                egc_error *err)
{
    return add_row(record, EGC_TABLE_EVALS, step, NULL, metrics, err);
}

static egc_status on_event(void *arg, const egc_timeline_event *event, egc_error *err)
{
    egc_point_record *record = arg;
    egc_status status = egc_timeline_add(&record->timeline, event, err);
    if (status)
        record->failure = *err;
    return status;
}

egc_train_sink egc_point_record_sink(egc_point_record *record)
{
    bool has_timeline = record->timeline.staged.fd >= 0;
    return (egc_train_sink){.arg = record,
                            .step = on_step,
                            .unit = on_unit,
                            .evaluation = on_evaluation,
                            .event = has_timeline ? on_event : NULL};
}

/* ---- the row of the run ---------------------------------------------------------------------- */

/* What was used, or what was asked for where it did not come to that. */
static const char *exchange_name(const egc_train_config *config, const egc_train_summary *summary)
{
    return summary && *summary->exchange ? summary->exchange : egc_exchange_choice_asked(config);
}

static egc_status append_method_params(egc_buf *row, const egc_method *method, egc_error *err)
{
    egc_buf text = {0};
    egc_status status = egc_method_describe(method, &text, err);
    if (!status)
        status = egc_buf_append(&text, "", 1, err);
    if (!status)
        status = egc_csv_text(row, (const char *)text.data, err);
    egc_buf_fini(&text);
    return status;
}

/* "ps mode=async;servers=2": its name, and what differs from its defaults. */
static egc_status append_algorithm(egc_buf *row, const egc_train_config *config, egc_error *err)
{
    const egc_algorithm_type *algorithm = egc_algorithm_of(config);
    egc_buf text = {0};
    if (config->algorithm_params)
        egc_param_format_all(algorithm->params, config->algorithm_params, true, &text);
    egc_status status = egc_buf_check(&text, err);
    egc_buf name = {0};
    egc_text_put(&name, text.len ? "%s %s" : "%s", algorithm->name, egc_text_get(&text));
    if (!status)
        status = egc_buf_check(&name, err);
    egc_text_put_field(row, egc_text_get(&name));
    egc_buf_fini(&name);
    egc_buf_fini(&text);
    return status;
}

/* run_id ... seed, steps: what was asked for, and the model and exchange that came of it. */
static egc_status append_setting(egc_buf *row, const egc_point_record *record,
                                 const egc_train_summary *summary, egc_error *err)
{
    const egc_train_config *config = &record->point->config;
    const egc_cluster_common *common = config->cluster_params;
    const char *before[] = {record->point->run_id, record->experiment->name, config->workload->name,
                            summary ? summary->model : "", config->method.name};
    const char *after[] = {exchange_name(config, summary), config->cluster->name};
    int64_t counts[] = {config->options.workers, config->options.seed, config->options.steps};
    egc_status status = EGC_OK;
    for (size_t i = 0; i < sizeof before / sizeof *before && !status; i++)
        status = egc_csv_text(row, before[i], err);
    if (!status)
        status = append_method_params(row, &config->method, err);
    if (!status)
        status = append_algorithm(row, config, err);
    for (size_t i = 0; i < sizeof after / sizeof *after && !status; i++)
        status = egc_csv_text(row, after[i], err);
    if (!status)
        status = egc_csv_real(row, common->bandwidth_Bps, err);
    if (!status)
        status = egc_csv_real(row, common->latency_s, err);
    for (size_t i = 0; i < sizeof counts / sizeof *counts && !status; i++)
        status = egc_csv_int(row, counts[i], err);
    return status;
}

/* The columns of egc_columns_extra. */
static egc_status append_extra(egc_buf *row, const egc_point_record *record, egc_error *err)
{
    const egc_experiment *experiment = record->experiment;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < experiment->n_axes && !status; i++)
        if (!egc_columns_has_axis(experiment->axes[i]))
            status = egc_csv_text(row, record->point->axis_values[i], err);
    bool is_measured = record->point->config.options.cost == EGC_COST_MEASURED;
    if (!status && egc_experiment_is_measured(experiment))
        status = egc_csv_text(row, is_measured ? "no" : "yes", err);
    return status;
}

/* A message of whatever origin as one line of UTF-8; json_string refuses what is not UTF-8. */
static void make_printable(const char *text, char *out, size_t room)
{
    json_t *probe = json_string(text);
    size_t len = 0;
    for (; text[len] && len < room - 1; len++) {
        unsigned char byte = (unsigned char)text[len];
        bool is_good = byte >= 0x80 ? probe != NULL : byte >= 0x20 && byte != 0x7f;
        out[len] = is_good ? (char)byte : '?';
    }
    out[len] = '\0';
    json_decref(probe);
}

static egc_status append_header(egc_buf *row, const egc_point_record *record, egc_error *err)
{
    egc_arena arena = {0};
    const char *const *axes = NULL;
    size_t n_axes = 0;
    egc_status status = egc_columns_extra(record->experiment, &arena, &axes, &n_axes, err);
    const char **extra = status ? NULL : egc_arena_alloc(&arena, (n_axes + 1) * sizeof *extra);
    if (!status && !extra)
        status = egc_fail_memory(err, (n_axes + 1) * sizeof *extra);
    if (!status) {
        memcpy(extra, axes, n_axes * sizeof *extra);
        extra[n_axes] = EGC_WALL_COLUMN;
        status = egc_columns_header(EGC_TABLE_RUNS, extra, n_axes + 1, row, err);
    }
    egc_arena_fini(&arena);
    return status;
}

static egc_status append_run(egc_point_record *record, const egc_point_outcome *outcome,
                             egc_error *err)
{
    egc_buf *row = &record->tables[EGC_TABLE_RUNS].rows;
    egc_metrics metrics;
    char error[EGC_ERROR_LENGTH];
    egc_metrics_clear(&metrics);
    if (outcome->summary)
        metrics = outcome->summary->metrics;
    make_printable(outcome->error, error, sizeof error);
    egc_status status = append_header(row, record, err);
    if (!status)
        status = append_setting(row, record, outcome->summary, err);
    if (!status)
        status = egc_csv_text(row, outcome->status, err);
    if (!status)
        status = egc_csv_text(row, error, err);
    if (!status)
        status = append_metrics(row, EGC_TABLE_RUNS, &metrics, err);
    if (!status)
        status = append_extra(row, record, err);
    if (!status)
        status = egc_csv_real(row, outcome->wall_s, err);
    return status ? status : egc_csv_end(row, err);
}

/* ---- the record as a whole ------------------------------------------------------------------- */

egc_status egc_point_record_open(egc_point_record *record, const char *spool,
                                 const egc_experiment *experiment, const egc_point *point,
                                 egc_error *err)
{
    *record = (egc_point_record){
        .experiment = experiment,
        .point = point,
        .folder = egc_point_record_staged(spool, point->run_id),
        .complete = egc_point_record_path(spool, point->run_id),
        .timeline = {.staged = {.fd = -1}},
    };
    for (int i = 0; i < EGC_N_TABLES; i++)
        record->tables[i].file.fd = -1;
    egc_status status = egc_point_record_remove(spool, point->run_id, err);
    return status ? status : egc_path_make_folder(record->folder.text, err);
}

egc_status egc_point_record_keep_timeline(egc_point_record *record,
                                          const egc_timeline_limits *limits, egc_error *err)
{
    if (limits->steps == 0)
        return EGC_OK;
    return egc_timeline_open(&record->timeline, limits, record->folder.text, record->point, err);
}

egc_status egc_point_record_finish(egc_point_record *record, const egc_point_outcome *outcome,
                                   egc_error *err)
{
    if (record->failure.status)
        return egc_fail(err, record->failure.status, "%s", record->failure.message);
    egc_status status = append_run(record, outcome, err);
    if (!status)
        status = egc_timeline_finish(&record->timeline, err);
    for (int i = 0; i < EGC_N_TABLES && !status; i++) {
        egc_atomic_file *file = &record->tables[i].file;
        if (file->fd >= 0 || record->tables[i].rows.len)
            status = flush(record, (egc_table)i, err);
        if (!status && file->fd >= 0)
            status = egc_atomic_file_sync(file, err);
        if (!status && file->fd >= 0)
            status = egc_atomic_file_commit(file, err);
    }
    if (!status && rename(record->folder.text, record->complete.text) != 0)
        status = egc_fail_errno(err, "write", record->complete.text);
    return status;
}

void egc_point_record_close(egc_point_record *record)
{
    for (int i = 0; i < EGC_N_TABLES; i++) {
        egc_atomic_file_discard(&record->tables[i].file);
        egc_buf_fini(&record->tables[i].rows);
    }
    egc_timeline_close(&record->timeline);
    egc_error ignored; /* a leftover is discarded by the next attempt */
    if (egc_path_remove_folder(record->folder.text, &ignored))
        return;
}
