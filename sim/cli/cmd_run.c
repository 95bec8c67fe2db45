/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/summary.h"
#include "cli/table.h"
#include "cli/versions.h"
#include "experiment/results/columns.h"
#include "experiment/run/runner.h"
#include "script/script.h"

enum {
    OPTION_OUT,
    OPTION_JOBS,
    OPTION_SET,
    OPTION_RESUME,
    OPTION_NO_SHARE,
    OPTION_SHARD,
    OPTION_TIMELINE,
    OPTION_TIMELINE_STEPS,
    OPTION_TIMELINE_WORKERS,
    OPTION_DRY_RUN,
    OPTION_QUIET
};

static const egc_option options[] = {
    [OPTION_OUT] = {"out", "DIR", "where results go (default: results/NAME)"},
    [OPTION_JOBS] = {"jobs", "N", "points to run at a time (default: 1)"},
    [OPTION_SET] = {"set", "PATH=VALUE", "change a field of the experiment; may be given again"},
    [OPTION_RESUME] = {"resume", NULL, "go on where an earlier run into the same folder stopped"},
    [OPTION_NO_SHARE] = {"no-share", NULL, "train each point, even where another learns the same"},
    [OPTION_SHARD] = {"shard", "I/N", "run the I-th of N equal parts; join them with merge"},
    [OPTION_TIMELINE] = {"timeline", NULL,
                         "write what each stream did when to DIR/timeline/RUN_ID.json"},
    [OPTION_TIMELINE_STEPS] = {"timeline-steps", "N",
                               "... in the first N steps (default: 10); implies --timeline"},
    [OPTION_TIMELINE_WORKERS] = {"timeline-workers", "N",
                                 "... of the first N workers (default: 64); implies --timeline"},
    [OPTION_DRY_RUN] = {"dry-run", NULL, "print the points, and run nothing"},
    [OPTION_QUIET] = {"quiet", NULL, "no progress and no notes but errors"},
    {0},
};

static const egc_usage usage = {
    .command = "run",
    .arguments = "EXPERIMENT.lua [options]",
    .summary = "Runs every point of the experiment that the script returns, and prints a table of "
               "what came out",
    .options = options,
    .example = "egc-sim run scripts/compare.lua --jobs 4 --set steps=100",
};

typedef struct run_request {
    const char *script;
    const char *out; /* NULL: results/NAME */
    const char **overrides;
    size_t n_overrides;
    size_t jobs;
    size_t shard_index, shard_count;
    size_t timeline_steps, timeline_workers;
    bool resume, no_share, timeline, dry_run, quiet;
} run_request;

/* ---- the command line ----------------------------------------------------------------------- */

/* A whole number from 1 on that ends where it should. */
static bool parse_count(const char *text, char end, size_t *out, const char **rest)
{
    char *stop;
    errno = 0;
    unsigned long value = strtoul(text, &stop, 10);
    bool is_digit = *text >= '0' && *text <= '9';
    *out = value;
    *rest = stop + (*stop != '\0');
    return is_digit && value >= 1 && value <= INT_MAX && errno == 0 && *stop == end;
}

static bool parse_shard(const char *text, run_request *request)
{
    const char *rest;
    return parse_count(text, '/', &request->shard_index, &rest) &&
           parse_count(rest, '\0', &request->shard_count, &rest) &&
           request->shard_index <= request->shard_count;
}

static int set_count(const char *value, const char *option, size_t *out)
{
    const char *rest;
    return parse_count(value, '\0', out, &rest)
               ? EGC_EXIT_DONE
               : egc_options_fail(&usage, "%s must be a whole number >= 1, got \"%s\"", option,
                                  value);
}

static int set_option(run_request *request, int option, const char *value)
{
    switch (option) {
    case OPTION_OUT:
        request->out = value;
        break;
    case OPTION_JOBS:
        return set_count(value, "--jobs", &request->jobs);
    case OPTION_SET:
        request->overrides[request->n_overrides++] = value;
        break;
    case OPTION_SHARD:
        if (!parse_shard(value, request))
            return egc_options_fail(&usage, "--shard must be I/N with 1 <= I <= N, got \"%s\"",
                                    value);
        break;
    case OPTION_RESUME:
        request->resume = true;
        break;
    case OPTION_NO_SHARE:
        request->no_share = true;
        break;
    case OPTION_TIMELINE:
        request->timeline = true;
        break;
    case OPTION_TIMELINE_STEPS:
        request->timeline = true;
        return set_count(value, "--timeline-steps", &request->timeline_steps);
    case OPTION_TIMELINE_WORKERS:
        request->timeline = true;
        return set_count(value, "--timeline-workers", &request->timeline_workers);
    case OPTION_DRY_RUN:
        request->dry_run = true;
        break;
    case OPTION_QUIET:
        request->quiet = true;
        break;
    }
    return EGC_EXIT_DONE;
}

/* ---- one experiment -------------------------------------------------------------------------- */

/* The points as a table: run_id, then the value of each axis. */
static egc_status print_points(const egc_experiment *experiment, egc_error *err)
{
    const char *cells[EGC_GRID_COLUMNS] = {"run_id"};
    size_t n_axes =
        experiment->n_axes < EGC_GRID_COLUMNS - 1 ? experiment->n_axes : EGC_GRID_COLUMNS - 1;
    egc_grid grid = {.n_columns = n_axes + 1};
    memcpy(cells + 1, experiment->axes, n_axes * sizeof *cells);
    egc_status status = egc_grid_add(&grid, cells, err);
    for (size_t i = 0; i < experiment->n_points && !status; i++) {
        cells[0] = experiment->points[i].run_id;
        memcpy(cells + 1, experiment->points[i].axis_values, n_axes * sizeof *cells);
        status = egc_grid_add(&grid, cells, err);
    }
    printf("%s: %zu point%s\n", experiment->name, experiment->n_points,
           experiment->n_points == 1 ? "" : "s");
    egc_grid_print(&grid);
    return status;
}

/* One line that is written over, on a terminal only. */
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
    egc_buf path = {0};
    for (size_t t = 0; t < EGC_N_TABLES; t++) {
        egc_buf_clear(&path);
        if (egc_buf_printf(&path, NULL, "%s/%s", dir, egc_columns_tables[t].file))
            break;
        if (access((const char *)path.data, F_OK) == 0)
            egc_note("%s: %s", (const char *)path.data, egc_columns_tables[t].help);
    }
    egc_buf_fini(&path);
    if (has_timeline)
        egc_note("%s/timeline: what each stream did when; open at ui.perfetto.dev", dir);
    egc_note("figures: egc-sim plot %s", dir);
}

/* Returns an egc_exit. */
static int report(const run_request *request, const char *dir, const egc_runner_report *result)
{
    egc_error err = {0};
    if (result->signal) {
        egc_note("interrupted by signal %d; the same command with --resume goes on",
                 result->signal);
        return EGC_EXIT_FAILED;
    }
    if (result->done > 0 && egc_summary_print(dir, &err))
        return egc_note_error(&err);
    if (!request->quiet && result->done > 0)
        note_files(dir, request->timeline);
    return result->failed ? EGC_EXIT_FAILED : EGC_EXIT_DONE;
}

/* What is measured is no property of the experiment alone. */
static void note_measured(const run_request *request)
{
    egc_note("cost = \"measured\": compression is charged what it takes on this machine now; the "
             "rows say reproducible = no");
    if (request->jobs > 1)
        egc_note("%zu points at a time slow one another down; --jobs 1 measures each alone",
                 request->jobs);
}

static int run_in(const run_request *request, const egc_experiment *experiment, const char *dir)
{
    bool shows_progress = !request->quiet && isatty(STDERR_FILENO);
    egc_runner_options run = {
        .dir = dir,
        .jobs = request->jobs,
        .resume = request->resume,
        .share = !request->no_share,
        .shard_index = request->shard_index,
        .shard_count = request->shard_count,
        .timeline = {request->timeline ? request->timeline_steps : 0, request->timeline_workers},
        .point_main = egc_train_run,
        .provenance = egc_versions_get(),
        .progress = shows_progress ? show_progress : NULL};
    egc_runner_report result = {0};
    egc_error err = {0};
    if (!request->quiet && egc_experiment_is_measured(experiment))
        note_measured(request);
    egc_status status = egc_runner_run(experiment, &run, &result, &err);
    if (shows_progress)
        fputs("\r\033[K", stderr);
    return status ? egc_note_error(&err) : report(request, dir, &result);
}

/* Several experiments of one script get a folder each in DIR. */
static int run_experiment(const run_request *request, const egc_experiment *experiment, bool alone)
{
    egc_buf dir = {0};
    egc_error err = {0};
    egc_status status =
        request->out && alone
            ? egc_buf_printf(&dir, &err, "%s", request->out)
            : egc_buf_printf(&dir, &err, "%s/%s", request->out ? request->out : "results",
                             experiment->name);
    int exit_code =
        status ? egc_note_error(&err) : run_in(request, experiment, (const char *)dir.data);
    egc_buf_fini(&dir);
    return exit_code;
}

static int run_script(const run_request *request)
{
    egc_script script = {0};
    egc_error err = {0};
    int exit_code = EGC_EXIT_DONE;
    if (egc_script_load(request->script, request->overrides, request->n_overrides, &script, &err))
        return egc_note_error(&err);
    for (size_t i = 0; i < script.n_experiments; i++) {
        const egc_experiment *experiment = &script.experiments[i];
        int one = request->dry_run ? (print_points(experiment, &err) ? egc_note_error(&err) : 0)
                                   : run_experiment(request, experiment, script.n_experiments == 1);
        exit_code = one ? one : exit_code;
    }
    egc_script_fini(&script);
    return exit_code;
}

int egc_cmd_run(int argc, char **argv)
{
    egc_options args = {.usage = &usage, .argc = argc, .argv = argv};
    run_request request = {.jobs = 1, .timeline_steps = 10, .timeline_workers = 64};
    request.overrides = egc_calloc((size_t)argc, sizeof *request.overrides);
    if (!request.overrides) {
        egc_note("out of memory");
        return EGC_EXIT_FAILED;
    }
    const char *value;
    int exit_code = EGC_EXIT_DONE, n;
    for (int option; !exit_code && (option = egc_options_next(&args, &value)) >= 0;)
        exit_code = set_option(&request, option, value);
    if (exit_code)
        goto done;
    char **script = egc_options_rest(&args, 1, 1, &n);
    exit_code = args.exit;
    if (args.stop)
        goto done;
    request.script = script[0];
    exit_code = run_script(&request);
done:
    egc_free(request.overrides);
    return exit_code;
}
