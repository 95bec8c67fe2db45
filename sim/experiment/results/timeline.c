/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events are written as they come, in pieces; jansson formats each. Names of processes and threads
 * are metadata events ("ph": "M") that precede the first event of each.
 */
#include "experiment/results/timeline.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/path.h"
#include "base/mem.h"
#include "base/text.h"
#include "train/algorithm.h"

enum { PIECE_BYTES = 256 * 1024 };

/* ---- paths ----------------------------------------------------------------------------------- */

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
    egc_status status = egc_json_check(&file->json, "the timeline", err);
    if (!status)
        status = egc_buf_check(&file->text, err);
    if (!status)
        status = egc_atomic_file_write(&file->staged, file->text.data, file->text.len, err);
    egc_buf_clear(&file->text);
    return status;
}

/* Describes the point, and how much of it the file holds. */
static json_t *about(const egc_timeline *file, const egc_point *point)
{
    const egc_train_config *config = &point->config;
    uint64_t steps = (uint64_t)config->options.steps;
    size_t n = file->n_workers;
    return json_pack("{s:s, s:o, s:s, s:I, s:I, s:I, s:I, s:s}", "run_id", point->run_id, "method",
                     egc_json_text(config->method.name), "algorithm",
                     egc_algorithm_of(config)->name, "steps", (json_int_t)steps, "steps_kept",
                     (json_int_t)(file->limits.steps < steps ? file->limits.steps : steps),
                     "workers", (json_int_t)n, "workers_kept",
                     (json_int_t)(file->limits.ranks < n ? file->limits.ranks : n), "time",
                     "simulated");
}

/* Takes event. */
static void put_event(egc_timeline *file, json_t *event)
{
    egc_text_put(&file->text, file->has_events ? ",\n" : "\n");
    egc_json_put(&file->text, event);
    file->has_events = true;
}

/* Viewers reserve process 0, and need thread numbers that no two processes share. */
static json_int_t process_of(int rank)
{
    return (json_int_t)rank + 1;
}

/* The position of a stream among those of its rank; lanes follow the last stream. */
static size_t stream_of(const egc_timeline_event *event)
{
    return (size_t)event->stream + event->lane;
}

static json_int_t thread_of(const egc_timeline *file, const egc_timeline_event *event)
{
    return (json_int_t)((size_t)event->rank * file->n_streams + stream_of(event) + 1);
}

/* ---- names of processes and threads ---------------------------------------------------------- */

typedef struct rank_name {
    char text[32];
} rank_name;

static rank_name name_of(const egc_timeline *file, size_t rank)
{
    rank_name name;
    bool is_server = rank >= file->n_workers;
    snprintf(name.text, sizeof name.text, "%s %zu", is_server ? "server" : "worker",
             rank - (is_server ? file->n_workers : 0));
    return name;
}

static void put_process(egc_timeline *file, int rank)
{
    put_event(file, json_pack("{s:s, s:s, s:I, s:{s:s}}", "ph", "M", "name", "process_name", "pid",
                              process_of(rank), "args", "name", name_of(file, (size_t)rank).text));
}

/* Takes value, an argument of the metadata event. */
static void put_thread_metadata(egc_timeline *file, const egc_timeline_event *event,
                                const char *name, const char *key, json_t *value)
{
    put_event(file, json_pack("{s:s, s:s, s:I, s:I, s:{s:o}}", "ph", "M", "name", name, "pid",
                              process_of(event->rank), "tid", thread_of(file, event), "args", key,
                              value));
}

static void put_thread(egc_timeline *file, const egc_timeline_event *event)
{
    static const char *const names[] = {"compute", "compression", "reception", "communication"};
    char name[64];
    bool has_lanes = event->stream == EGC_STREAM_COMMUNICATION && file->n_streams > EGC_N_STREAMS;
    snprintf(name, sizeof name, has_lanes ? "%s with server %zu" : "%s", names[event->stream],
             event->lane);
    put_thread_metadata(file, event, "thread_name", "name", json_string(name));
    put_thread_metadata(file, event, "thread_sort_index", "sort_index",
                        json_integer((json_int_t)stream_of(event)));
}

/* Names the process of a rank and the thread of its stream before their first event. */
static void introduce(egc_timeline *file, const egc_timeline_event *event)
{
    bool *known = &file->known[(size_t)event->rank * file->n_streams];
    if (!memchr(known, true, file->n_streams))
        put_process(file, event->rank);
    if (!known[stream_of(event)])
        put_thread(file, event);
    known[stream_of(event)] = true;
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Adds the members of `more`, which is taken. */
static void extend(egc_timeline *file, json_t *object, json_t *more)
{
    file->json.failed |= json_object_update_new(object, more) != 0;
}

static json_t *peers_of(egc_timeline *file, const egc_timeline_event *event)
{
    json_t *names = json_array();
    for (size_t i = 0; i < event->n_peers; i++)
        egc_json_add(&file->json, names, json_string(name_of(file, event->peers[i]).text));
    return names;
}

static json_t *args_of(egc_timeline *file, const egc_timeline_event *event)
{
    json_t *args = json_pack("{s:I}", "step", (json_int_t)event->step);
    if (event->layers)
        extend(file, args,
               json_pack("{s:o, s:I, s:I}", "layers", egc_json_text(event->layers), "bucket",
                         (json_int_t)event->bucket, "round", (json_int_t)event->round));
    if (event->peers)
        extend(file, args,
               json_pack("{s:o, s:f}", "peers", peers_of(file, event), "bytes", event->bytes));
    if (event->exchange)
        extend(file, args,
               json_pack("{s:s, s:I, s:I, s:f, s:f, s:f}", "exchange", event->exchange, "piece",
                         (json_int_t)event->piece, "pieces", (json_int_t)event->n_pieces,
                         "message_bytes", event->message_bytes, "network_sent_bytes",
                         event->network_sent_bytes, "network_recv_bytes",
                         event->network_recv_bytes));
    return args;
}

static bool is_wanted(const egc_timeline *file, const egc_timeline_event *event)
{
    size_t rank = (size_t)event->rank;
    return event->step < file->limits.steps &&
           (rank < file->limits.ranks || rank >= file->n_workers);
}

/* Microseconds, rounded to multiples of 2^-20 (a picosecond). Viewers add ts and dur; sums of such
 * numbers are exact for two hours, so that no event seems to end after the next one began. */
static double in_us(double seconds)
{
    const double units = 0x1p20;
    return round(seconds * 1e6 * units) / units;
}

/* An event without duration is an instant of its thread. */
egc_status egc_timeline_add(egc_timeline *file, const egc_timeline_event *event, egc_error *err)
{
    double start_us = in_us(event->start_s), end_us = in_us(event->end_s);
    if (!is_wanted(file, event))
        return EGC_OK;
    introduce(file, event);
    json_t *object =
        json_pack("{s:s, s:I, s:I, s:f, s:o}", "name", event->name, "pid", process_of(event->rank),
                  "tid", thread_of(file, event), "ts", start_us, "args", args_of(file, event));
    extend(file, object,
           end_us > start_us ? json_pack("{s:s, s:f}", "ph", "X", "dur", end_us - start_us)
                             : json_pack("{s:s, s:s}", "ph", "i", "s", "t"));
    put_event(file, object);
    return file->text.len < PIECE_BYTES ? egc_buf_check(&file->text, err) : flush(file, err);
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
    egc_text_put(&file->text, "{\"displayTimeUnit\":\"ns\",\"otherData\":");
    egc_json_put(&file->text, about(file, point));
    egc_text_put(&file->text, ",\"traceEvents\":[");
    return status ? status : egc_buf_check(&file->text, err);
}

egc_status egc_timeline_finish(egc_timeline *file, egc_error *err)
{
    if (file->staged.fd < 0)
        return EGC_OK;
    egc_text_put(&file->text, "\n]}\n");
    egc_status status = flush(file, err);
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
