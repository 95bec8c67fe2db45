/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `egc-sim trace info`: the attributes of a trace, then statistics of each layer. */
#include <math.h>
#include <stdio.h>

#include "cli/grid.h"
#include "cli/trace/trace.h"
#include "workloads/trace/info.h"

static void print_text(const char *name, const char *value)
{
    if (value[0])
        printf("%-10s %s\n", name, value);
}

static void print_count(const char *name, uint64_t value)
{
    if (value)
        printf("%-10s %llu\n", name, (unsigned long long)value);
}

static void print_head(const egc_trace_info *info)
{
    print_text("model", info->model);
    print_text("dataset", info->note.dataset);
    print_count("batch", (uint64_t)info->note.batch);
    print_text("optimizer", info->note.optimizer);
    print_text("source", info->note.source);
    print_count("every", (uint64_t)info->note.every);
    print_count("workers", info->workers);
    print_count("steps", info->steps);
    print_count("layers", info->n_layers);
    print_count("params", info->n_params);
    print_count("sampled", info->n_sampled);
    putchar('\n');
}

static egc_status print_layers(const egc_trace_info *info, egc_error *err)
{
    egc_grid grid = {.n_columns = 8, .right = 0xfe};
    EGC_GRID_ROW(&grid, "layer", "params", "mean|g|", "rms", "max|g|", "zeros", "kurtosis",
                 "NaN/Inf");
    for (size_t i = 0; i < info->n_layers; i++) {
        const egc_trace_layer_stats *stats = &info->stats[i];
        egc_grid_cell(&grid, "%s", info->layers[i].name);
        egc_grid_cell(&grid, "%zu", info->layers[i].count);
        egc_grid_real(&grid, "%.4g", stats->mean_abs);
        egc_grid_real(&grid, "%.4g", stats->rms);
        egc_grid_real(&grid, "%.4g", stats->max_abs);
        egc_grid_real(&grid, "%.4g", stats->zero_share);
        egc_grid_real(&grid, "%.4g", stats->kurtosis);
        egc_grid_cell(&grid, "%llu/%llu", (unsigned long long)stats->n_nan,
                      (unsigned long long)stats->n_inf);
    }
    return egc_grid_print(&grid, err);
}

static int run(void *arg)
{
    const egc_texts *file = arg;
    egc_trace_info info;
    egc_error err;
    if (egc_trace_info_init(&info, file->items[0], &err))
        return egc_note_error(&err);
    print_head(&info);
    egc_status status = print_layers(&info, &err);
    egc_trace_info_fini(&info);
    return status ? egc_note_error(&err) : EGC_EXIT_DONE;
}

const egc_command egc_info_command = {
    .name = "trace info",
    .arguments = "FILE",
    .summary = "Shows the content of a trace, and statistics of each layer from up to 16 of its "
               "gradients",
    .example = "egc-sim trace info cnn.h5",
    .least = 1,
    .most = 1,
    .request_size = sizeof(egc_texts),
    .run = run,
};
