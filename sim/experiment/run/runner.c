/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parent starts a child for each point of the queue and waits for events of the pool. A child
 * writes the record of its point; if it cannot, its last line says why and its exit status is
 * NOT_RECORDED. The parent writes the record of a child that died, and publishes finished points.
 */
#include "experiment/run/runner.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file/path.h"
#include "experiment/results/import.h"
#include "experiment/run/child_pool.h"
#include "experiment/run/point_queue.h"

enum { RECORDED = 0, NOT_RECORDED = 113 };

/* ---- in the child ---------------------------------------------------------------------------- */

typedef struct point_job {
    const egc_experiment *experiment;
    const egc_point *point;
    const char *spool;
    egc_point_main point_main;
    egc_timeline_limits timeline;
    const char *learning_key;
    egc_training_role role;
} point_job;

static egc_point_outcome outcome_of(egc_status status, const egc_train_summary *summary,
                                    const egc_error *failure)
{
    egc_point_outcome outcome = {.status = "ok", .error = "", .summary = summary};
    if (status) {
        outcome.status = status == EGC_ERROR_TIMEOUT ? "timeout" : "failed";
        outcome.error = failure->message;
    } else if (summary->diverged) {
        outcome.status = "diverged";
        outcome.error = summary->reason;
    }
    return outcome;
}

/* Runs the point, writing or replaying a log as its role says. */
static egc_status run_main(const point_job *job, const egc_train_sink *sink, egc_train_summary *out,
                           egc_error *err)
{
    egc_train_config config = job->point->config;
    egc_training_cache log;
    egc_training_cache_open(&log, job->spool, job->learning_key, job->role, &config);
    egc_status status = job->point_main(&config, sink, out, err);
    egc_training_cache_close(&log);
    return status;
}

static egc_status record_point(const point_job *job, egc_error *err)
{
    egc_point_record record;
    egc_train_summary summary = {0};
    egc_error failure = {0};
    egc_metrics_clear(&summary.metrics);
    egc_status status =
        egc_point_record_open(&record, job->spool, job->experiment, job->point, err);
    if (!status)
        status = egc_point_record_keep_timeline(&record, &job->timeline, err);
    if (!status) {
        egc_train_sink sink = egc_point_record_sink(&record);
        double start_s = egc_clock_now();
        egc_status end = run_main(job, &sink, &summary, &failure);
        egc_point_outcome outcome = outcome_of(end, &summary, &failure);
        outcome.wall_s = egc_clock_now() - start_s;
        status = egc_point_record_finish(&record, &outcome, err);
    }
    egc_point_record_close(&record);
    return status;
}

static int child_main(void *arg)
{
    egc_error err = {0};
    if (record_point(arg, &err) == EGC_OK)
        return RECORDED;
    dprintf(STDERR_FILENO, "\n%s\n", err.message); /* read by the parent as reason.last */
    return NOT_RECORDED;
}

/* ---- the end of a child ---------------------------------------------------------------------- */

static bool has_recorded(const egc_child_end *end)
{
    return WIFEXITED(end->wait_status) && WEXITSTATUS(end->wait_status) == RECORDED;
}

static bool could_not_record(const egc_child_end *end)
{
    return WIFEXITED(end->wait_status) && WEXITSTATUS(end->wait_status) == NOT_RECORDED;
}

/* Writes "killed by signal 11 (Segmentation fault): REASON" or the like. */
static void describe_end(const egc_child_end *end, double limit_s, char *out, size_t room)
{
    int len;
    if (end->stopped)
        len = snprintf(out, room, "stopped after %g s on the host", limit_s);
    else if (WIFSIGNALED(end->wait_status))
        len = snprintf(out, room, "killed by signal %d (%s)", WTERMSIG(end->wait_status),
                       strsignal(WTERMSIG(end->wait_status)));
    else
        len = snprintf(out, room, "exited with status %d before it had a result",
                       WEXITSTATUS(end->wait_status));
    if (*end->reason.text && !end->stopped)
        snprintf(out + len, room - (size_t)len, ": %s", end->reason.text);
}

/* Writes the record of a point whose child died: its row of runs.csv only. */
static egc_status record_death(const point_job *job, const egc_child_end *end, double limit_s,
                               egc_error *err)
{
    char error[EGC_ERROR_LENGTH];
    describe_end(end, limit_s, error, sizeof error);
    egc_point_outcome outcome = {
        .status = end->stopped ? "timeout" : "failed", .error = error, .wall_s = end->wall_s};
    egc_point_record record;
    egc_status status =
        egc_point_record_open(&record, job->spool, job->experiment, job->point, err);
    if (!status)
        status = egc_point_record_finish(&record, &outcome, err);
    egc_point_record_close(&record);
    return status;
}

/* Makes sure that the point of an ended child has a record. IO if no record can be written. */
static egc_status ensure_record(const point_job *job, const egc_child_end *end, double limit_s,
                                egc_error *err)
{
    if (could_not_record(end))
        return egc_fail(err, EGC_ERROR_IO, "%s", end->reason.last);
    bool is_there = egc_path_exists(egc_point_record_path(job->spool, job->point->run_id).text);
    return has_recorded(end) && is_there ? EGC_OK : record_death(job, end, limit_s, err);
}

/* ---- a run ----------------------------------------------------------------------------------- */

typedef struct running {
    const egc_experiment *experiment;
    const egc_runner_options *options;
    egc_results_plan plan;
    egc_results *results;
    json_t *manifest;
    egc_point_queue *queue;
    egc_child_pool pool;
    egc_runner_report *report;
    size_t n_wanted; /* points that will have a row */
    double start_s;
} running;

static bool is_failure(const egc_point_state *state)
{
    return strcmp(state->status, "failed") == 0 || strcmp(state->status, "timeout") == 0;
}

static void report_progress(const running *run)
{
    if (!run->options->progress)
        return;
    double elapsed_s = egc_clock_now() - run->start_s;
    egc_runner_progress progress = {
        .done = run->report->done,
        .total = run->n_wanted,
        .failed = run->report->failed,
        .elapsed_s = elapsed_s,
        .eta_s = egc_point_queue_left_s(run->queue, elapsed_s),
    };
    run->options->progress(run->options->progress_arg, &progress);
}

/* Publishes finished points and the manifest, and only then removes their records. */
static egc_status publish(running *run, egc_error *err)
{
    egc_status status = egc_results_publish(run->results, err);
    if (!status)
        status = egc_manifest_update(run->manifest, run->results, err);
    if (!status)
        status = egc_manifest_write(run->manifest, run->options->dir, err);
    return status ? status : egc_results_forget_records(run->results, err);
}

static point_job job_of(const running *run, size_t point)
{
    return (point_job){
        .experiment = run->experiment,
        .point = &run->experiment->points[point],
        .spool = run->results->spool.text,
        .point_main = run->options->point_main,
        .timeline = run->options->timeline,
    };
}

/* Starts children until all seats are taken or no point can start now. */
static egc_status start_children(running *run, egc_error *err)
{
    egc_status status = EGC_OK;
    egc_queued_point next;
    while (!status && run->pool.n_running < run->options->jobs &&
           egc_point_queue_next(run->queue, &next)) {
        point_job job = job_of(run, next.point);
        job.learning_key = next.key;
        job.role = next.role;
        status = egc_child_pool_start(&run->pool, next.point, child_main, &job, err);
    }
    return status;
}

static egc_status take_end(running *run, const egc_child_end *end, egc_error *err)
{
    point_job job = job_of(run, end->tag);
    egc_status status = ensure_record(&job, end, run->options->point_limit_s, err);
    if (!status)
        status = egc_results_finish(run->results, end->tag, err);
    if (status)
        return status;
    bool failed = is_failure(&run->results->states[end->tag]);
    egc_point_queue_end(run->queue, end->tag, failed, end->wall_s);
    run->report->done++;
    run->report->failed += failed;
    return egc_results_is_due(run->results) ? publish(run, err) : EGC_OK;
}

/* Runs until every point has ended or a signal arrives. */
static egc_status run_points(running *run, egc_error *err)
{
    egc_status status =
        egc_child_pool_open(&run->pool, run->options->jobs, run->options->point_limit_s, err);
    if (!status)
        status = start_children(run, err);
    report_progress(run);
    while (!status && run->pool.n_running > 0 && !run->report->signal) {
        egc_child_pool_event event;
        egc_child_end end;
        status = egc_child_pool_wait(&run->pool, &event, &end, &run->report->signal, err);
        if (!status && event == EGC_CHILD_POOL_ENDED)
            status = take_end(run, &end, err);
        if (!status && event == EGC_CHILD_POOL_ENDED)
            status = start_children(run, err);
        report_progress(run);
    }
    return status;
}

/* ---- before and after ------------------------------------------------------------------------ */

/* Results of several runs or machines must equal those of one run; measured times do not. */
static egc_status check_measured(const egc_runner_options *options, egc_error *err)
{
    if (!options->resume && options->shard_count <= 1)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "cost: measured times of different runs must not be mixed; run all points at "
                    "once into a new folder, without --resume or --shard");
}

static egc_status check_options(const egc_runner_options *options, egc_error *err)
{
    if (options->jobs < 1)
        return egc_fail(err, EGC_ERROR_RANGE, "jobs must be at least 1, got 0");
    if (options->shard_count > 0 &&
        (options->shard_index < 1 || options->shard_index > options->shard_count))
        return egc_fail(err, EGC_ERROR_RANGE, "shard must be I/N with 1 <= I <= N, got %zu/%zu",
                        options->shard_index, options->shard_count);
    return EGC_OK;
}

/* Marks the points of the shard, every shard_count-th, as wanted. */
static void choose_shard(running *run)
{
    const egc_runner_options *options = run->options;
    for (size_t i = 0; i < run->plan.n_points && options->shard_count > 0; i++)
        run->plan.points[i].is_wanted = i % options->shard_count == options->shard_index - 1;
}

static void count_reused(running *run)
{
    for (size_t i = 0; i < run->plan.n_points; i++) {
        run->report->reused += run->results->states[i].is_finished;
        run->n_wanted += run->plan.points[i].is_wanted || run->results->states[i].is_finished;
    }
    run->report->done = run->report->reused;
}

static egc_status make_queue(running *run, egc_arena *arena, egc_error *err)
{
    size_t n = run->plan.n_points;
    bool *is_pending = egc_arena_alloc(arena, n * sizeof *is_pending);
    if (!is_pending)
        return egc_fail_memory(err, n * sizeof *is_pending);
    for (size_t i = 0; i < n; i++)
        is_pending[i] = run->plan.points[i].is_wanted && !run->results->states[i].is_finished;
    return egc_point_queue_new(run->experiment, is_pending, run->options->share,
                               run->results->spool.text, &run->queue, err);
}

/* Writes the manifest before the first point runs. */
static egc_status begin(running *run, egc_error *err)
{
    egc_shard shard = {run->options->shard_index, run->options->shard_count};
    egc_status status = egc_manifest_new(run->experiment, &run->plan, run->options->provenance,
                                         shard, &run->manifest, err);
    json_t *earlier = NULL;
    egc_error ignored; /* without an earlier manifest there is nothing to continue */
    if (!status && run->options->resume &&
        egc_manifest_read(run->options->dir, &earlier, &ignored) == EGC_OK)
        egc_manifest_continue(run->manifest, earlier);
    json_decref(earlier);
    if (!status)
        status = egc_manifest_update(run->manifest, run->results, err);
    return status ? status : egc_manifest_write(run->manifest, run->options->dir, err);
}

/* Publishes the rest; signals are still blocked. The manifest of an interrupted run has no end. */
static egc_status end(running *run, egc_error *err)
{
    egc_status status = run->report->signal ? EGC_OK : egc_manifest_end(run->manifest, err);
    return status ? status : publish(run, err);
}

egc_status egc_runner_run(const egc_experiment *experiment, const egc_runner_options *options,
                          egc_runner_report *out, egc_error *err)
{
    *out = (egc_runner_report){0};
    running run = {.experiment = experiment, .options = options, .report = out};
    egc_arena arena = {0};
    run.start_s = egc_clock_now();
    egc_status status = check_options(options, err);
    if (!status && egc_experiment_is_measured(experiment))
        status = check_measured(options, err);
    if (!status)
        status = egc_results_plan_new(experiment, &arena, &run.plan, err);
    if (status)
        goto done;
    choose_shard(&run);
    status = egc_results_open(options->dir, &run.plan, options->resume, &run.results, err);
    if (!status && options->resume)
        status = egc_results_import_resumed(run.results, err);
    if (status)
        goto done;
    count_reused(&run);
    status = make_queue(&run, &arena, err);
    if (!status)
        status = begin(&run, err);
    if (!status)
        status = run_points(&run, err);
    if (!status)
        status = end(&run, err);
done:
    egc_child_pool_close(&run.pool);
    egc_point_queue_free(run.queue);
    egc_results_close(run.results);
    json_decref(run.manifest);
    egc_arena_fini(&arena);
    return status;
}

/* ---- one point ------------------------------------------------------------------------------- */

static egc_status run_alone(const point_job *job, int *signal, egc_error *err)
{
    egc_child_pool pool = {0};
    egc_child_end end;
    egc_child_pool_event event = EGC_CHILD_POOL_TICK;
    point_job copy = *job;
    egc_status status = egc_child_pool_open(&pool, 1, 0, err);
    if (!status)
        status = egc_child_pool_start(&pool, 0, child_main, &copy, err);
    while (!status && event == EGC_CHILD_POOL_TICK)
        status = egc_child_pool_wait(&pool, &event, &end, signal, err);
    if (!status && event == EGC_CHILD_POOL_ENDED)
        status = ensure_record(job, &end, 0, err);
    egc_child_pool_close(&pool);
    return status;
}

static egc_status read_result(const point_job *job, egc_runner_result *out, egc_error *err)
{
    const char *run_id = job->point->run_id;
    egc_path steps = egc_point_record_file(job->spool, run_id, EGC_TABLE_STEPS);
    egc_status status = egc_point_record_read(job->spool, run_id, &out->run, err);
    if (!status && egc_path_exists(steps.text))
        status = egc_csv_read(steps.text, &out->steps, err);
    return status;
}

egc_status egc_runner_simulate(const egc_experiment *experiment, const egc_point *point,
                               egc_point_main point_main, egc_runner_result *out, egc_error *err)
{
    char spool[] = P_tmpdir "/egc-sim-XXXXXX";
    *out = (egc_runner_result){0};
    int signal = 0;
    if (!mkdtemp(spool))
        return egc_fail_errno(err, "make a folder in", P_tmpdir);
    point_job job = {
        .experiment = experiment, .point = point, .spool = spool, .point_main = point_main};
    egc_status status = run_alone(&job, &signal, err);
    if (!status && !signal)
        status = read_result(&job, out, err);
    egc_error ignored; /* the system clears P_tmpdir */
    egc_status removed = egc_path_remove_tree(spool, &ignored);
    (void)removed;
    if (signal) {
        raise(signal);
        status = egc_fail(err, EGC_ERROR_SIMULATION, "interrupted by signal %d (%s)", signal,
                          strsignal(signal));
    }
    if (status)
        egc_runner_result_fini(out);
    return status;
}

void egc_runner_result_fini(egc_runner_result *result)
{
    egc_csv_table_fini(&result->run);
    egc_csv_table_fini(&result->steps);
    *result = (egc_runner_result){0};
}
