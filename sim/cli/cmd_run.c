/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `egc-sim run`: loads a Lua script (sim/script), runs the points of each of its experiments
 * (experiment/run/runner.h), and prints a summary. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file/path.h"
#include "cli/grid.h"
#include "cli/options.h"
#include "cli/summary.h"
#include "cli/versions.h"
#include "experiment/results/columns.h"
#include "experiment/run/runner.h"
#include "script/script.h"
#include "train/run.h"

enum { TIMELINE_STEPS = 10, TIMELINE_WORKERS = 64 };

typedef struct run_request {
    egc_texts script;
    const char *out; /* NULL: results/NAME */
    int64_t jobs;
    egc_texts overrides;
    const char *shard;                        /* "I/N", or NULL */
    int64_t timeline_steps, timeline_workers; /* 0: not given */
    bool resume, no_share, timeline, dry_run, quiet;
} run_request;

static const egc_option options[] = {
    {"out", "DIR", "folder for the results (default: results/NAME)",
     EGC_OPTION(run_request, out, TEXT)},
    {"jobs", "N", "points to run at a time (default: 1)", EGC_OPTION(run_request, jobs, INT),
     .min = 1, .max = INT_MAX},
    {"set", "PATH=VALUE", "change a field of the experiment; may be repeated",
     EGC_OPTION(run_request, overrides, TEXTS)},
    {"resume", NULL, "continue an earlier run in the same folder",
     EGC_OPTION(run_request, resume, SWITCH)},
    {"no-share", NULL, "do not reuse training between points that differ only in network or device",
     EGC_OPTION(run_request, no_share, SWITCH)},
    {"shard", "I/N", "run part I of N equal parts; join the parts with merge",
     EGC_OPTION(run_request, shard, TEXT)},
    {"timeline", NULL, "write the events of each stream to DIR/timeline/RUN_ID.json",
     EGC_OPTION(run_request, timeline, SWITCH)},
    {"timeline-steps", "N", "... of the first N steps (default: 10); implies --timeline",
     EGC_OPTION(run_request, timeline_steps, INT), .min = 1, .max = INT_MAX},
    {"timeline-workers", "N", "... of the first N workers (default: 64); implies --timeline",
     EGC_OPTION(run_request, timeline_workers, INT), .min = 1, .max = INT_MAX},
    {"dry-run", NULL, "print the points without running them",
     EGC_OPTION(run_request, dry_run, SWITCH)},
    {"quiet", NULL, "print no progress and no notes except errors",
     EGC_OPTION(run_request, quiet, SWITCH)},
    {0},
};

/* ---- one experiment -------------------------------------------------------------------------- */

/* Prints a table of the points: run_id, then the value of each axis. */
static int print_points(const egc_experiment *experiment)
{
    size_t most = EGC_GRID_COLUMNS - 1;
    size_t n_axes = experiment->n_axes < most ? experiment->n_axes : most;
    egc_grid grid = {.n_columns = n_axes + 1};
    egc_error err;
    EGC_GRID_ROW(&grid, "run_id");
    egc_grid_texts(&grid, experiment->axes, n_axes);
    for (size_t i = 0; i < experiment->n_points; i++) {
        EGC_GRID_ROW(&grid, experiment->points[i].run_id);
        egc_grid_texts(&grid, experiment->points[i].axis_values, n_axes);
    }
    printf("%s: %zu point%s\n", experiment->name, experiment->n_points,
           experiment->n_points == 1 ? "" : "s");
    return egc_grid_print(&grid, &err) ? egc_note_error(&err) : EGC_EXIT_DONE;
}

/* Overwrites one line of the terminal. */
static void show_progress(void *arg, const egc_runner_progress *progress)
{
    (void)arg;
    fprintf(stderr, "\r\033[Kegc-sim: %zu of %zu points", progress->done, progress->total);
    if (progress->failed)
        fprintf(stderr, ", %zu failed", progress->failed);
    if (isfinite(progress->eta_s) && progress->done < progress->total) {
        unsigned long left_s = (unsigned long)ceil(progress->eta_s);
        fprintf(stderr, ", %lu:%02lu:%02lu left", left_s / 3600, left_s / 60 % 60, left_s % 60);
    }
    fflush(stderr);
}

static void note_files(const char *dir, bool has_timeline)
{
    for (size_t t = 0; t < EGC_N_TABLES; t++) {
        egc_path path = egc_path_of("%s/%s", dir, egc_columns_tables[t].file);
        if (egc_path_exists(path.text))
            egc_note("%s: %s", path.text, egc_columns_tables[t].help);
    }
    if (has_timeline)
        egc_note("%s/timeline: events of each stream; open at ui.perfetto.dev", dir);
    egc_note("figures: egc-sim plot %s", dir);
}

/* Measured times depend on this machine and its load, not on the experiment alone. */
static void note_measured(const run_request *request)
{
    egc_note("cost = \"measured\": the time of compression is measured on this machine; rows say "
             "reproducible = no");
    if (request->jobs > 1)
        egc_note("%lld points at a time slow each other down; --jobs 1 measures each alone",
                 (long long)request->jobs);
}

/* Returns an egc_exit. */
static int end_run(const run_request *request, const char *dir, const egc_runner_report *result)
{
    egc_error err;
    if (result->signal) {
        egc_note("interrupted by signal %d; the same command with --resume continues",
                 result->signal);
        return EGC_EXIT_FAILED;
    }
    if (result->done > 0 && egc_summary_print(dir, &err))
        return egc_note_error(&err);
    if (!request->quiet && result->done > 0)
        note_files(dir, request->timeline);
    return result->failed ? EGC_EXIT_FAILED : EGC_EXIT_DONE;
}

static int run_in(const run_request *request, egc_shard shard, const egc_experiment *experiment,
                  const char *dir)
{
    bool shows_progress = !request->quiet && isatty(STDERR_FILENO);
    egc_runner_options runner = {
        .dir = dir,
        .jobs = (size_t)request->jobs,
        .resume = request->resume,
        .share = !request->no_share,
        .shard_index = shard.index,
        .shard_count = shard.count,
        .timeline = {(uint64_t)request->timeline_steps, (size_t)request->timeline_workers},
        .point_main = egc_train_run,
        .provenance = egc_versions_get(),
        .progress = shows_progress ? show_progress : NULL};
    egc_runner_report result = {0};
    egc_error err;
    if (!request->quiet && egc_experiment_is_measured(experiment))
        note_measured(request);
    egc_status status = egc_runner_run(experiment, &runner, &result, &err);
    if (shows_progress)
        fputs("\r\033[K", stderr);
    return status ? egc_note_error(&err) : end_run(request, dir, &result);
}

/* Several experiments of one script get a folder each in DIR. */
static int run_experiment(const run_request *request, egc_shard shard,
                          const egc_experiment *experiment, bool alone)
{
    const char *out = request->out ? request->out : "results";
    egc_error err;
    if (request->dry_run)
        return print_points(experiment);
    if (egc_path_check(out, &err))
        return egc_note_error(&err);
    egc_path dir = request->out && alone ? egc_path_of("%s", out)
                                         : egc_path_of("%s/%s", out, experiment->name);
    return run_in(request, shard, experiment, dir.text);
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Reads "I/N" with 1 <= I <= N. */
static bool parse_shard(const char *text, egc_shard *out)
{
    int end = 0;
    bool is_read = strspn(text, "0123456789/") == strlen(text) &&
                   sscanf(text, "%5zu/%5zu%n", &out->index, &out->count, &end) == 2;
    return is_read && !text[end] && out->index >= 1 && out->index <= out->count;
}

static int run(void *arg)
{
    run_request *request = arg;
    egc_shard shard = {0};
    egc_script script = {0};
    egc_error err;
    int exit = EGC_EXIT_DONE;
    if (request->shard && !parse_shard(request->shard, &shard))
        return egc_options_fail(&egc_cmd_run, "--shard must be I/N with 1 <= I <= N, got \"%s\"",
                                request->shard);
    request->timeline |= request->timeline_steps || request->timeline_workers;
    if (request->timeline && !request->timeline_steps)
        request->timeline_steps = TIMELINE_STEPS;
    if (!request->timeline_workers)
        request->timeline_workers = TIMELINE_WORKERS;
    if (egc_script_load(request->script.items[0], request->overrides.items, request->overrides.n,
                        &script, &err))
        return egc_note_error(&err);
    for (size_t i = 0; i < script.n_experiments; i++) {
        int one = run_experiment(request, shard, &script.experiments[i], script.n_experiments == 1);
        exit = one ? one : exit;
    }
    egc_script_fini(&script);
    return exit;
}

const egc_command egc_cmd_run = {
    .name = "run",
    .brief = "run an experiment written in Lua",
    .arguments = "EXPERIMENT.lua [options]",
    .summary = "Runs every point of the experiment that the script returns, and prints a table of "
               "the results",
    .example = "egc-sim run scripts/compare.lua --jobs 4 --set steps=100",
    .options = options,
    .least = 1,
    .most = 1,
    .request_size = sizeof(run_request),
    .defaults = &(const run_request){.jobs = 1},
    .run = run,
};
