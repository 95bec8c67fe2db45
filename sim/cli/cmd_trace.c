/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/table.h"
#include "cli/trace/fit.h"
#include "cli/trace/record.h"
#include "workloads/trace/info.h"

/* ---- trace info ----------------------------------------------------------------------------- */

static const egc_usage info_usage = {
    .command = "trace info",
    .arguments = "FILE",
    .summary = "Shows what a trace holds, with figures of each layer from up to 16 of its "
               "gradients",
    .example = "egc-sim trace info cnn.h5",
};

static void print_field(const char *name, const char *value)
{
    if (value[0])
        printf("%-10s %s\n", name, value);
}

static void print_count(const char *name, unsigned long long value)
{
    if (value)
        printf("%-10s %llu\n", name, value);
}

static void print_head(const egc_trace_info *info)
{
    print_field("model", info->model);
    print_field("dataset", info->note.dataset);
    print_count("batch", (unsigned long long)info->note.batch);
    print_field("optimizer", info->note.optimizer);
    print_field("source", info->note.source);
    print_count("every", (unsigned long long)info->note.every);
    print_count("workers", info->workers);
    print_count("steps", info->steps);
    print_count("layers", info->n_layers);
    print_count("params", info->n_params);
    print_count("sampled", info->n_sampled);
    putchar('\n');
}

static const char *real(char out[32], double value)
{
    snprintf(out, 32, isnan(value) ? "-" : "%.4g", value);
    return out;
}

static egc_status add_layer(egc_grid *grid, const egc_layer *layer,
                            const egc_trace_layer_stats *stats, egc_error *err)
{
    char count[32], mean_abs[32], rms[32], max_abs[32], zeros[32], kurtosis[32], bad[48];
    snprintf(count, sizeof count, "%zu", layer->count);
    snprintf(bad, sizeof bad, "%llu/%llu", (unsigned long long)stats->n_nan,
             (unsigned long long)stats->n_inf);
    const char *cells[] = {layer->name,
                           count,
                           real(mean_abs, stats->mean_abs),
                           real(rms, stats->rms),
                           real(max_abs, stats->max_abs),
                           real(zeros, stats->zero_share),
                           real(kurtosis, stats->kurtosis),
                           bad};
    return egc_grid_add(grid, cells, err);
}

static egc_status print_layers(const egc_trace_info *info, egc_error *err)
{
    static const char *const heads[] = {"layer",  "params", "mean|g|",  "rms",
                                        "max|g|", "zeros",  "kurtosis", "NaN/Inf"};
    egc_grid grid = {.n_columns = 8, .right = 0xfe};
    egc_status status = egc_grid_add(&grid, heads, err);
    for (size_t i = 0; !status && i < info->n_layers; i++)
        status = add_layer(&grid, &info->layers[i], &info->stats[i], err);
    egc_grid_print(&grid);
    return status;
}

static int trace_info(int argc, char **argv)
{
    egc_options args = {.usage = &info_usage, .argc = argc, .argv = argv};
    const char *value;
    int n;
    while (egc_options_next(&args, &value) >= 0)
        continue;
    char **files = egc_options_rest(&args, 1, 1, &n);
    if (args.stop)
        return args.exit;
    egc_error err = {0};
    egc_trace_info info;
    if (egc_trace_info_init(&info, files[0], &err))
        return egc_note_error(&err);
    print_head(&info);
    egc_status status = print_layers(&info, &err);
    egc_trace_info_fini(&info);
    return status ? egc_note_error(&err) : EGC_EXIT_DONE;
}

/* ---- trace record --------------------------------------------------------------------------- */

enum { OPTION_OUT, OPTION_STEPS, OPTION_WORKERS, OPTION_SEED, OPTION_EVERY, OPTION_SET };

static const egc_option record_options[] = {
    [OPTION_OUT] = {"out", "FILE", "the trace to write; replaced when it is there"},
    [OPTION_STEPS] = {"steps", "N", "training steps (default: 100)"},
    [OPTION_WORKERS] = {"workers", "N", "workers, each with its own batches (default: 4)"},
    [OPTION_SEED] = {"seed", "S", "of weights and batches (default: 1)"},
    [OPTION_EVERY] = {"every", "N", "record each N-th step, from the first on (default: 1)"},
    [OPTION_SET] = {"set", "KEY=VALUE", "a parameter of the workload train; may be given again"},
    {0},
};

static const egc_usage record_usage = {
    .command = "trace record",
    .arguments = "--out FILE [options]",
    .summary = "Trains a network without compression and records every worker's gradients. "
               "Interrupted, it leaves a trace of the steps it completed",
    .options = record_options,
    .example = "egc-sim trace record --out cnn.h5 --steps 200 --every 10 --set model=cnn",
};

static const egc_param record_params[] = {
    EGC_PARAM(egc_record_options, steps, INT, "steps", "", .def = 100, .min = 1, .max = 1e9),
    EGC_PARAM(egc_record_options, workers, INT, "workers", "", .def = 4, .min = 1, .max = 1e6),
    EGC_PARAM(egc_record_options, seed, INT, "seed", "", .def = 1, .min = 0,
              .max = 9007199254740992.0),
    EGC_PARAM(egc_record_options, every, INT, "every", "", .def = 1, .min = 1, .max = 1e9),
    EGC_PARAM_END,
};

static egc_status set_option(egc_record_options *options, const char *name, const char *value,
                             egc_error *err)
{
    egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = value};
    egc_status status = egc_param_set(egc_param_find(record_params, name), options, &scalar, err);
    return status ? egc_error_prefix(err, "--%s", name) : EGC_OK;
}

static int trace_record(int argc, char **argv)
{
    egc_options args = {.usage = &record_usage, .argc = argc, .argv = argv};
    egc_record_options options = {0};
    egc_error err = {0};
    egc_status status = egc_record_options_init(&options, &err);
    const char *value;
    int n, option;
    egc_param_init(record_params, &options);
    while (!status && (option = egc_options_next(&args, &value)) >= 0) {
        if (option == OPTION_OUT)
            options.path = value;
        else if (option == OPTION_SET)
            status = egc_record_options_set(&options, value, &err);
        else
            status = set_option(&options, record_options[option].name, value, &err);
    }
    int code = status ? egc_options_fail(&record_usage, "%s", err.message) : EGC_EXIT_DONE;
    if (!status)
        egc_options_rest(&args, 0, 0, &n);
    if (args.stop)
        code = args.exit;
    else if (!status && !options.path)
        code = egc_options_fail(&record_usage, "--out FILE is missing");
    else if (!status && egc_record(&options, &err))
        code = egc_note_error(&err);
    else if (!status)
        egc_note("recorded %s", options.path);
    egc_record_options_fini(&options);
    return code;
}

/* ---- trace fit ------------------------------------------------------------------------------ */

enum { FIT_OUT, FIT_PICK, FIT_ALL };

static const egc_option fit_options[] = {
    [FIT_OUT] = {"out", "FILE", "write a Lua table that egc.workload.synthetic takes"},
    [FIT_PICK] = {"pick", "RULE",
                  "ks: the closest (default); tail: the best 99.9 % quantile; or a distribution"},
    [FIT_ALL] = {"all", NULL, "print how well every distribution fits every layer"},
    {0},
};

static const egc_usage fit_usage = {
    .command = "trace fit",
    .arguments = "FILE [-o FILE.lua] [options]",
    .summary = "Fits distributions to each layer of a trace, and says how good they are by "
               "Kolmogorov and Smirnov's\ndistance (KS) and by the error of the 99.9 % quantile of "
               "magnitudes. Up to 16 gradients are read",
    .options = fit_options,
    .example = "egc-sim trace fit cnn.h5 -o cnn.lua",
};

typedef struct fit_arguments {
    const char *out;
    int pick;
    bool all;
} fit_arguments;

static egc_status fit_trace(const char *path, const fit_arguments *arguments, egc_error *err)
{
    egc_trace_fit fit;
    egc_status status = egc_trace_fit_init(&fit, path, err);
    if (status)
        return status;
    status = egc_fit_print(&fit, arguments->pick, err);
    if (!status && arguments->all)
        status = egc_fit_print_all(&fit, err);
    if (!status && arguments->out)
        status = egc_fit_write(&fit, arguments->pick, path, arguments->out, err);
    if (!status && arguments->out)
        egc_note("wrote %s", arguments->out);
    egc_trace_fit_fini(&fit);
    return status;
}

static int trace_fit(int argc, char **argv)
{
    static const egc_param pick = {
        .name = "pick", .kind = EGC_PARAM_CHOICE, .choices = egc_fit_pick_names};
    egc_options args = {.usage = &fit_usage, .argc = argc, .argv = argv};
    fit_arguments arguments = {0};
    egc_error err = {0};
    const char *value;
    int n, option;
    while ((option = egc_options_next(&args, &value)) >= 0) {
        egc_scalar word = {.kind = EGC_SCALAR_TEXT, .text = value};
        if (option == FIT_OUT)
            arguments.out = value;
        else if (option == FIT_ALL)
            arguments.all = true;
        else if (egc_param_set(&pick, &arguments.pick, &word, &err))
            return egc_options_fail(&fit_usage, "--pick: %s", err.message);
    }
    char **files = egc_options_rest(&args, 1, 1, &n);
    if (args.stop)
        return args.exit;
    return fit_trace(files[0], &arguments, &err) ? egc_note_error(&err) : EGC_EXIT_DONE;
}

/* ---- trace ---------------------------------------------------------------------------------- */

static const egc_usage usage = {
    .command = "trace",
    .arguments = "info|record|fit ...",
    .summary = "Recorded gradients: `trace info` shows what one holds, `trace record` makes one, "
               "`trace fit` says what\ndistributions it follows; each has a --help of its own",
    .example = "egc-sim trace record --out cnn.h5 --steps 200 && egc-sim trace info cnn.h5",
};

int egc_cmd_trace(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "info") == 0)
        return trace_info(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "record") == 0)
        return trace_record(argc - 1, argv + 1);
    if (argc > 1 && strcmp(argv[1], "fit") == 0)
        return trace_fit(argc - 1, argv + 1);
    if (argc > 1 && argv[1][0] != '-')
        return egc_options_fail(&usage, "unknown subcommand \"%s\"; valid: info, record, fit",
                                argv[1]);
    egc_options args = {.usage = &usage, .argc = argc, .argv = argv};
    const char *value;
    int n;
    while (egc_options_next(&args, &value) >= 0)
        continue;
    egc_options_rest(&args, 1, INT_MAX, &n);
    return args.exit;
}
