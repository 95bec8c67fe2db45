/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows are collected in memory and written in pieces; the record's folder takes its name by rename,
 * after all its files are on the disk. */
#include "experiment/results/point_record.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file/path.h"
#include "base/text.h"
#include "train/algorithm.h"
#include "train/core/exchange_choice.h"

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

/* ---- rows of steps, units and evaluations ---------------------------------------------------- */

/* Moves the rows into the file, which begins with its header. */
static egc_status flush(egc_point_record *record, egc_table table, egc_error *err)
{
    struct egc_point_record_rows *rows = &record->tables[table];
    egc_status status = egc_buf_check(&rows->rows, err);
    if (!status && rows->file.fd < 0)
        status = egc_atomic_file_open(
            &rows->file,
            egc_path_of("%s/%s", record->folder.text, egc_columns_tables[table].file).text, err);
    if (!status)
        status = egc_atomic_file_write(&rows->file, rows->rows.data, rows->rows.len, err);
    egc_buf_clear(&rows->rows);
    if (status)
        record->failure = *err;
    return status;
}

/* Appends the metrics of a table in the order of its columns. */
static void put_metrics(egc_buf *row, egc_table table, const void *metrics)
{
    const egc_table_type *type = &egc_columns_tables[table];
    for (size_t i = 0; i < type->n_columns; i++)
        if (type->columns[i].metric)
            egc_text_put_real_field(row, egc_columns_value(&type->columns[i], metrics));
}

/* Adds a row, and before the first one the header. text, which may be NULL, precedes the metrics.
 */
static egc_status add_row(egc_point_record *record, egc_table table, uint64_t step,
                          const char *text, const void *metrics, egc_error *err)
{
    struct egc_point_record_rows *rows = &record->tables[table];
    egc_buf *row = &rows->rows;
    if (rows->file.fd < 0 && row->len == 0) {
        egc_columns_put_names(table, row);
        egc_text_end_row(row);
    }
    egc_text_put_field(row, record->point->run_id);
    egc_text_put_int_field(row, (int64_t)step);
    if (text)
        egc_text_put_field(row, text);
    put_metrics(row, table, metrics);
    egc_text_end_row(row);
    return row->len < PIECE_BYTES ? egc_buf_check(row, err) : flush(record, table, err);
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

/* Appends one field: the name of the algorithm, then the parameters that differ from its defaults.
 */
static egc_status put_algorithm(egc_buf *row, const egc_train_config *config, egc_error *err)
{
    const egc_algorithm_type *algorithm = egc_algorithm_of(config);
    egc_buf params = {0}, text = {0};
    if (config->algorithm_params)
        egc_param_format_all(algorithm->params, config->algorithm_params, true, &params);
    egc_text_put(&text, params.len ? "%s %s" : "%s", algorithm->name, egc_text_get(&params));
    egc_text_put_field(row, egc_text_get(&text));
    egc_status status = egc_buf_check(params.missing ? &params : &text, err);
    egc_buf_fini(&params);
    egc_buf_fini(&text);
    return status;
}

/* Appends the fields from run_id to steps. Model and exchange are known only if training began; the
 * exchange asked for takes the place of an unknown one. */
static egc_status put_setting(egc_buf *row, const egc_point_record *record,
                              const egc_train_summary *summary, egc_error *err)
{
    const egc_train_config *config = &record->point->config;
    const egc_cluster_common *common = config->cluster_params;
    bool is_known = summary && *summary->exchange;
    egc_buf params = {0};
    egc_status status = egc_method_describe(&config->method, &params, err);
    egc_text_put_field(row, record->point->run_id);
    egc_text_put_field(row, record->experiment->name);
    egc_text_put_field(row, config->workload->name);
    egc_text_put_field(row, summary ? summary->model : "");
    egc_text_put_field(row, config->method.name);
    egc_text_put_field(row, egc_text_get(&params));
    if (!status)
        status = put_algorithm(row, config, err);
    egc_text_put_field(row, is_known ? summary->exchange : egc_exchange_choice_asked(config));
    egc_text_put_field(row, config->cluster->name);
    egc_text_put_real_field(row, common->bandwidth_Bps);
    egc_text_put_real_field(row, common->latency_s);
    egc_text_put_int_field(row, config->options.workers);
    egc_text_put_int_field(row, config->options.seed);
    egc_text_put_int_field(row, config->options.steps);
    egc_buf_fini(&params);
    return status;
}

/* Appends an error message as one line of UTF-8; json_string returns NULL for other encodings. */
static void put_message(egc_buf *row, const char *message)
{
    char text[EGC_ERROR_LENGTH];
    json_t *probe = json_string(message);
    size_t len = 0;
    for (; message[len] && len < sizeof text - 1; len++) {
        unsigned char byte = (unsigned char)message[len];
        bool is_good = byte >= 0x80 ? probe != NULL : byte >= 0x20 && byte != 0x7f;
        text[len] = is_good ? (char)byte : '?';
    }
    text[len] = '\0';
    json_decref(probe);
    egc_text_put_field(row, text);
}

/* Appends names or values of the columns after those of egc_columns_tables, as in results/plan.c.
 */
static void put_axes(egc_buf *row, const egc_point_record *record, bool names)
{
    const egc_experiment *experiment = record->experiment;
    bool is_measured = record->point->config.options.cost == EGC_COST_MEASURED;
    for (size_t i = 0; i < experiment->n_axes; i++)
        if (!egc_columns_has_axis(experiment->axes[i]))
            egc_text_put_field(row, names ? experiment->axes[i] : record->point->axis_values[i]);
    if (egc_experiment_is_measured(experiment))
        egc_text_put_field(row, names ? EGC_REPRODUCIBLE_COLUMN : is_measured ? "no" : "yes");
}

/* Appends header and row of the record's runs.csv. */
static egc_status put_run(egc_point_record *record, const egc_point_outcome *outcome,
                          egc_error *err)
{
    egc_buf *row = &record->tables[EGC_TABLE_RUNS].rows;
    egc_metrics metrics;
    egc_metrics_clear(&metrics);
    egc_columns_put_names(EGC_TABLE_RUNS, row);
    put_axes(row, record, true);
    egc_text_put_field(row, EGC_WALL_COLUMN);
    egc_text_end_row(row);
    egc_status status = put_setting(row, record, outcome->summary, err);
    egc_text_put_field(row, outcome->status);
    put_message(row, outcome->error);
    put_metrics(row, EGC_TABLE_RUNS, outcome->summary ? &outcome->summary->metrics : &metrics);
    put_axes(row, record, false);
    egc_text_put_real_field(row, outcome->wall_s);
    egc_text_end_row(row);
    return status;
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
    egc_status status = put_run(record, outcome, err);
    if (!status)
        status = egc_timeline_finish(&record->timeline, err);
    for (int i = 0; i < EGC_N_TABLES && !status; i++) {
        egc_atomic_file *file = &record->tables[i].file;
        if (file->fd < 0 && !record->tables[i].rows.len && !record->tables[i].rows.missing)
            continue;
        status = flush(record, (egc_table)i, err);
        if (!status)
            status = egc_atomic_file_sync(file, err);
        if (!status)
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
    egc_error ignored; /* the next attempt removes the rest */
    if (egc_path_remove_folder(record->folder.text, &ignored))
        return;
}
