/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/results/timeline.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/path.h"
#include "base/mem.h"
#include "experiment/results/manifest.h"
#include "train/algorithm.h"

/* Events are handed to the system in pieces of this size. */
enum { PIECE_BYTES = 256 * 1024 };

/* ---- where it is ----------------------------------------------------------------------------- */

egc_path egc_timeline_record_path(const char *record)
{
    return egc_path_of("%s/timeline.json", record);
}

egc_path egc_timeline_path(const char *dir, const char *run_id)
{
    return egc_path_of("%s/timeline/%s.json", dir, run_id);
}

egc_status egc_timeline_publish(const char *record, const char *dir, const char *run_id,
                                egc_error *err)
{
    egc_path from = egc_timeline_record_path(record), to = egc_timeline_path(dir, run_id);
    if (!egc_path_exists(from.text))
        return EGC_OK;
    egc_status status = egc_path_make_folder(egc_path_of("%s/timeline", dir).text, err);
    if (!status && rename(from.text, to.text) != 0)
        status = egc_fail_errno(err, "write", to.text);
    return status;
}

egc_status egc_timeline_import(const char *dir, const char *run_id, const char *record,
                               egc_error *err)
{
    egc_path from = egc_timeline_path(dir, run_id);
    egc_atomic_file staged = {.fd = -1};
    if (!egc_path_exists(from.text))
        return EGC_OK;
    egc_status status = egc_atomic_file_open(&staged, egc_timeline_record_path(record).text, err);
    if (!status)
        status = egc_atomic_file_copy(&staged, from.text, 0, err);
    return egc_atomic_file_end(&staged, status, err);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static egc_status flush(egc_timeline *file, egc_error *err)
{
    egc_status status = egc_atomic_file_write(&file->staged, file->text.data, file->text.len, err);
    egc_buf_clear(&file->text);
    return status;
}

static int append(const char *bytes, size_t len, void *text)
{
    return egc_buf_append(text, bytes, len, NULL) ? -1 : 0;
}

/* Appends a value, which is taken, after some text. NULL stands for one that had no memory. */
static egc_status put(egc_timeline *file, const char *before, json_t *value, egc_error *err)
{
    egc_status status = egc_buf_append(&file->text, before, strlen(before), err);
    if (!status && (!value || json_dump_callback(value, append, &file->text, JSON_COMPACT) != 0))
        status = egc_fail(err, EGC_ERROR_MEMORY, "out of memory for the timeline");
    json_decref(value);
    return status || file->text.len < PIECE_BYTES ? status : flush(file, err);
}

/* What the file is, and what it leaves out. */
static json_t *about(const egc_timeline *file, const egc_point *point)
{
    const egc_train_config *config = &point->config;
    uint64_t steps = (uint64_t)config->options.steps;
    size_t n = file->n_workers;
    return json_pack("{s:s, s:o*, s:s, s:I, s:I, s:I, s:I, s:s}", "run_id", point->run_id, "method",
                     egc_json_text(config->method.name), "algorithm",
                     egc_algorithm_of(config)->name, "steps", (json_int_t)steps, "steps_kept",
                     (json_int_t)(file->limits.steps < steps ? file->limits.steps : steps),
                     "workers", (json_int_t)n, "workers_kept",
                     (json_int_t)(file->limits.ranks < n ? file->limits.ranks : n), "time",
                     "simulated");
}

/* Viewers want numbers of threads that no two processes share, and no process 0. */
static json_int_t process_of(int rank)
{
    return (json_int_t)rank + 1;
}

static json_int_t thread_of(const egc_timeline *file, int rank, size_t stream)
{
    return (json_int_t)((size_t)rank * file->n_streams + stream + 1);
}

static egc_status put_event(egc_timeline *file, json_t *event, egc_error *err)
{
    const char *before = file->has_events ? ",\n" : "\n";
    file->has_events = true;
    return put(file, before, event, err);
}

/* ---- events ---------------------------------------------------------------------------------- */

typedef struct rank_name {
    char text[32];
} rank_name;

static rank_name name_of(const egc_timeline *file, size_t rank)
{
    rank_name name;
    bool serves = rank >= file->n_workers;
    snprintf(name.text, sizeof name.text, "%s %zu", serves ? "server" : "worker",
             rank - (serves ? file->n_workers : 0));
    return name;
}

static egc_status put_process(egc_timeline *file, int rank, egc_error *err)
{
    return put_event(file,
                     json_pack("{s:s, s:s, s:I, s:{s:s}}", "ph", "M", "name", "process_name", "pid",
                               process_of(rank), "args", "name", name_of(file, (size_t)rank).text),
                     err);
}

/* The streams of a rank in their order: lanes come last. */
static size_t stream_of(const egc_timeline_event *event)
{
    return (size_t)event->stream + event->lane;
}

static egc_status put_thread(egc_timeline *file, const egc_timeline_event *event, egc_error *err)
{
    static const char *const names[] = {"compute", "compression", "reception", "communication"};
    char name[64];
    bool has_lanes = event->stream == EGC_STREAM_COMMUNICATION && file->n_streams > EGC_N_STREAMS;
    snprintf(name, sizeof name, has_lanes ? "%s with server %zu" : "%s", names[event->stream],
             event->lane);
    json_int_t pid = process_of(event->rank);
    json_int_t tid = thread_of(file, event->rank, stream_of(event));
    egc_status status =
        put_event(file,
                  json_pack("{s:s, s:s, s:I, s:I, s:{s:s}}", "ph", "M", "name", "thread_name",
                            "pid", pid, "tid", tid, "args", "name", name),
                  err);
    return status ? status
                  : put_event(file,
                              json_pack("{s:s, s:s, s:I, s:I, s:{s:I}}", "ph", "M", "name",
                                        "thread_sort_index", "pid", pid, "tid", tid, "args",
                                        "sort_index", (json_int_t)stream_of(event)),
                              err);
}

/* Names the process of a rank, and the thread of its stream, before their first event. */
static egc_status introduce(egc_timeline *file, const egc_timeline_event *event, egc_error *err)
{
    bool *known = &file->known[(size_t)event->rank * file->n_streams];
    bool is_new = true;
    for (size_t i = 0; i < file->n_streams; i++)
        is_new = is_new && !known[i];
    egc_status status = is_new ? put_process(file, event->rank, err) : EGC_OK;
    if (status || known[stream_of(event)])
        return status;
    known[stream_of(event)] = true;
    return put_thread(file, event, err);
}

static json_t *peers_of(const egc_timeline *file, const egc_timeline_event *event)
{
    json_t *names = json_array();
    for (size_t i = 0; i < event->n_peers && names; i++)
        if (json_array_append_new(names, json_string(name_of(file, event->peers[i]).text)) != 0) {
            json_decref(names);
            names = NULL;
        }
    return names;
}

static json_t *args_of(const egc_timeline *file, const egc_timeline_event *event)
{
    json_t *args = json_pack("{s:I}", "step", (json_int_t)event->step), *more = NULL;
    int failed = args == NULL;
    if (event->layers) {
        more = json_pack("{s:o, s:I, s:I}", "layers", egc_json_text(event->layers), "bucket",
                         (json_int_t)event->bucket, "round", (json_int_t)event->round);
        failed |= json_object_update(args, more);
        json_decref(more);
    }
    if (event->peers) {
        more = json_pack("{s:o, s:f}", "peers", peers_of(file, event), "bytes", event->bytes);
        failed |= json_object_update(args, more);
        json_decref(more);
    }
    if (event->exchange) {
        more =
            json_pack("{s:s, s:I, s:I, s:f, s:f, s:f}", "exchange", event->exchange, "piece",
                      (json_int_t)event->piece, "pieces", (json_int_t)event->n_pieces,
                      "message_bytes", event->message_bytes, "network_sent_bytes",
                      event->network_sent_bytes, "network_recv_bytes", event->network_recv_bytes);
        failed |= json_object_update(args, more);
        json_decref(more);
    }
    if (!failed)
        return args;
    json_decref(args);
    return NULL;
}

static bool is_wanted(const egc_timeline *file, const egc_timeline_event *event)
{
    size_t rank = (size_t)event->rank;
    return event->step < file->limits.steps &&
           (rank < file->limits.ranks || rank >= file->n_workers);
}

/* Microseconds in units of 2^-20 (a picosecond), of which sums and differences are exact for two
 * hours: viewers add ts and dur, and must not find that an event ends after the next began. */
static double in_us(double seconds)
{
    const double units = 0x1p20;
    return round(seconds * 1e6 * units) / units;
}

/* A complete event; an instant of its thread when it took no time. */
egc_status egc_timeline_add(egc_timeline *file, const egc_timeline_event *event, egc_error *err)
{
    double start_us = in_us(event->start_s), end_us = in_us(event->end_s);
    if (!is_wanted(file, event))
        return EGC_OK;
    egc_status status = introduce(file, event, err);
    if (status)
        return status;
    json_t *json =
        json_pack("{s:s, s:I, s:I, s:f, s:o}", "name", event->name, "pid", process_of(event->rank),
                  "tid", thread_of(file, event->rank, stream_of(event)), "ts", start_us, "args",
                  args_of(file, event));
    json_t *kind = end_us > start_us ? json_pack("{s:s, s:f}", "ph", "X", "dur", end_us - start_us)
                                     : json_pack("{s:s, s:s}", "ph", "i", "s", "t");
    bool made = json_object_update(json, kind) == 0;
    json_decref(kind);
    if (made)
        return put_event(file, json, err);
    json_decref(json);
    return egc_fail(err, EGC_ERROR_MEMORY, "out of memory for the timeline");
}

/* ---- the file as a whole --------------------------------------------------------------------- */

egc_status egc_timeline_open(egc_timeline *file, const egc_timeline_limits *limits,
                             const char *record, const egc_point *point, egc_error *err)
{
    size_t n_workers = (size_t)point->config.options.workers;
    size_t n_ranks = egc_algorithm_ranks(&point->config), n_servers = n_ranks - n_workers;
    size_t n_streams = EGC_N_STREAMS + (n_servers > 1 ? n_servers - 1 : 0);
    size_t tracks = n_ranks * n_streams;
    *file = (egc_timeline){.limits = *limits,
                           .n_workers = n_workers,
                           .n_streams = n_streams,
                           .staged = {.fd = -1},
                           .known = egc_calloc(tracks, sizeof *file->known)};
    if (!file->known)
        return egc_fail_memory(err, tracks * sizeof *file->known);
    egc_status status =
        egc_atomic_file_open(&file->staged, egc_timeline_record_path(record).text, err);
    if (!status)
        status = put(file, "{\"displayTimeUnit\":\"ns\",\"otherData\":", about(file, point), err);
    return status ? status : egc_buf_printf(&file->text, err, ",\"traceEvents\":[");
}

egc_status egc_timeline_finish(egc_timeline *file, egc_error *err)
{
    if (file->staged.fd < 0)
        return EGC_OK;
    egc_status status = egc_buf_append(&file->text, "\n]}\n", 4, err);
    if (!status)
        status = flush(file, err);
    if (!status)
        status = egc_atomic_file_sync(&file->staged, err);
    return status ? status : egc_atomic_file_commit(&file->staged, err);
}

void egc_timeline_close(egc_timeline *file)
{
    egc_atomic_file_discard(&file->staged);
    egc_buf_fini(&file->text);
    egc_free(file->known);
    file->known = NULL;
}
