/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `egc-sim trace fit`: prints the fits of workloads/trace/fit.h, a row a layer and a summary by
 * distribution, and writes the chosen ones as a Lua table for egc.workload.synthetic. */
#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/atomic_file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/grid.h"
#include "cli/trace/trace.h"
#include "workloads/trace/fit.h"

/* How a layer's distribution is chosen; the values from PICK_FIRST on name a distribution. */
enum { PICK_DISTANCE, PICK_TAIL, PICK_FIRST };

static const char *const pick_names[] = {
    "ks",
    "tail",
    "laplace",
    "gaussian",
    "generalized-gaussian",
    "student-t",
    "weibull",
    "generalized-pareto",
    "mixture",
    NULL,
};
_Static_assert(sizeof pick_names / sizeof *pick_names == PICK_FIRST + EGC_N_DISTRIBUTIONS + 1,
               "every distribution has a name");

typedef struct fit_request {
    egc_texts file;
    const char *out;
    int pick;
    bool all;
} fit_request;

static const egc_option options[] = {
    {"out", "FILE", "write a Lua table for egc.workload.synthetic",
     EGC_OPTION(fit_request, out, TEXT)},
    {"pick", "RULE",
     "ks: the smallest KS distance (default); tail: the best 99.9 % quantile; or a distribution",
     EGC_OPTION(fit_request, pick, CHOICE), .choices = pick_names},
    {"all", NULL, "print the errors of every distribution for every layer",
     EGC_OPTION(fit_request, all, SWITCH)},
    {0},
};

static const egc_law_fit *picked(const egc_layer_fit *fit, int pick)
{
    return pick >= PICK_FIRST ? &fit->fits[pick - PICK_FIRST]
                              : egc_trace_fit_best(fit, pick == PICK_TAIL);
}

/* ---- tables --------------------------------------------------------------------------------- */

static egc_status print_layers(const egc_trace_fit *fit, int pick, egc_error *err)
{
    egc_grid grid = {.n_columns = 8, .right = 0xf6};
    EGC_GRID_ROW(&grid, "layer", "params", "zeros", "distribution", "scale", "shape", "KS",
                 "99.9 %");
    for (size_t i = 0; i < fit->n_layers; i++) {
        const egc_layer_fit *layer = &fit->fits[i];
        const egc_law_fit *best = layer->n_values ? picked(layer, pick) : NULL;
        egc_grid_cell(&grid, "%s", fit->layers[i].name);
        egc_grid_cell(&grid, "%zu", fit->layers[i].count);
        egc_grid_real(&grid, "%.3g", layer->zeros);
        egc_grid_cell(&grid, "%s", best ? egc_law_names[best->law.distribution] : "-");
        egc_grid_real(&grid, "%.3g", best ? best->law.scale : NAN);
        egc_grid_real(&grid, "%.3g", best ? best->law.shape : NAN);
        egc_grid_real(&grid, "%.3g", best ? best->distance : NAN);
        egc_grid_real(&grid, "%+.1f%%", best ? 100 * best->tail : NAN);
    }
    return egc_grid_print(&grid, err);
}

/* Sorts the n values. NaN if there are none. */
static double median_of(double *values, size_t n)
{
    gsl_sort(values, 1, n);
    return n ? gsl_stats_median_from_sorted_data(values, 1, n) : NAN;
}

/* scratch holds n_layers numbers. */
static void add_distribution(egc_grid *grid, const egc_trace_fit *fit, int distribution,
                             double *scratch)
{
    size_t n = 0, n_best = 0;
    egc_grid_cell(grid, "%s", egc_law_names[distribution]);
    for (size_t i = 0; i < fit->n_layers; i++)
        if (fit->fits[i].n_values) {
            const egc_law_fit *best = egc_trace_fit_best(&fit->fits[i], false);
            n_best += (int)best->law.distribution == distribution;
            scratch[n++] = fit->fits[i].fits[distribution].distance;
        }
    egc_grid_cell(grid, "%zu", n_best);
    egc_grid_real(grid, "%.3g", median_of(scratch, n));
    n = 0;
    for (size_t i = 0; i < fit->n_layers; i++)
        if (fit->fits[i].n_values && !isnan(fit->fits[i].fits[distribution].tail))
            scratch[n++] = fabs(fit->fits[i].fits[distribution].tail);
    egc_grid_real(grid, "%.1f%%", 100 * median_of(scratch, n));
}

static void print_median(const char *name, const egc_trace_fit *fit, size_t offset, double *scratch)
{
    for (size_t i = 0; i < fit->n_layers; i++)
        memcpy(&scratch[i], (const char *)&fit->fits[i] + offset, sizeof *scratch);
    double median = median_of(scratch, fit->n_layers);
    printf(isnan(median) ? "%-22s -\n" : "%-22s %.3g\n", name, median);
}

static egc_status print_summary(const egc_trace_fit *fit, egc_error *err)
{
    egc_grid grid = {.n_columns = 4, .right = 0xe};
    double *scratch = egc_calloc(fit->n_layers, sizeof *scratch);
    if (!scratch)
        return egc_fail_memory(err, fit->n_layers * sizeof *scratch);
    EGC_GRID_ROW(&grid, "distribution", "closest", "median KS", "median |99.9 %|");
    for (int d = 0; d < EGC_N_DISTRIBUTIONS; d++)
        add_distribution(&grid, fit, d, scratch);
    putchar('\n');
    egc_status status = egc_grid_print(&grid, err);
    puts("\nmedian over the layers");
    print_median("decay", fit, offsetof(egc_layer_fit, decay), scratch);
    print_median("correlation of workers", fit, offsetof(egc_layer_fit, worker_correlation),
                 scratch);
    print_median("correlation of steps", fit, offsetof(egc_layer_fit, time_correlation), scratch);
    egc_free(scratch);
    return status;
}

/* Prints KS distance and error of the tail of each layer for every distribution. */
static egc_status print_all(const egc_trace_fit *fit, egc_error *err)
{
    egc_grid grid = {.n_columns = 1 + EGC_N_DISTRIBUTIONS, .right = 0xfe};
    EGC_GRID_ROW(&grid, "layer");
    egc_grid_texts(&grid, egc_law_names, EGC_N_DISTRIBUTIONS);
    for (size_t i = 0; i < fit->n_layers; i++) {
        egc_grid_cell(&grid, "%s", fit->layers[i].name);
        for (int d = 0; d < EGC_N_DISTRIBUTIONS; d++) {
            const egc_law_fit *law = &fit->fits[i].fits[d];
            if (!fit->fits[i].n_values || isnan(law->distance))
                egc_grid_cell(&grid, "- -");
            else if (isnan(law->tail))
                egc_grid_cell(&grid, "%.3g -", law->distance);
            else
                egc_grid_cell(&grid, "%.3g %+.1f%%", law->distance, 100 * law->tail);
        }
    }
    puts("\nKS and error of the 99.9 % quantile");
    return egc_grid_print(&grid, err);
}

/* ---- the Lua file --------------------------------------------------------------------------- */

/* Appends a Lua string literal. */
static void put_string(egc_buf *out, const char *string)
{
    egc_text_put(out, "\"");
    for (; *string; string++)
        egc_text_put(out, *string == '"' || *string == '\\' ? "\\%c" : "%c", *string);
    egc_text_put(out, "\"");
}

static void put_number(egc_buf *out, const char *key, double value)
{
    egc_text_put(out, ", %s = %s", key, egc_text_of_real(value).text);
}

/* Six digits: more than the accuracy of any fit. */
static void put_law(egc_buf *out, const egc_layer_fit *fit, int pick)
{
    if (!fit->n_values) {
        put_number(out, "zeros", 1);
        return;
    }
    const egc_law *law = &picked(fit, pick)->law;
    const struct {
        const char *key;
        double value, usual;
    } fields[] = {
        {"scale", law->scale, NAN},
        {"shape", law->shape, NAN},
        {"mix", law->mix, NAN},
        {"zeros", law->zeros, 0},
        {"decay", fit->decay, 1},
        {"worker_correlation", fit->worker_correlation, 0},
        {"time_correlation", fit->time_correlation, 0},
    };
    egc_text_put(out, ", distribution = \"%s\"", egc_law_names[law->distribution]);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!isnan(fields[i].value) && fields[i].value != fields[i].usual)
            egc_text_put(out, ", %s = %.6g", fields[i].key, fields[i].value);
}

/* The work of a layer is written for one example; `batch` examples are one gradient. */
static void put_layer(egc_buf *out, const egc_layer *layer, const egc_layer_fit *fit, int pick,
                      double batch)
{
    egc_text_put(out, "    { name = ");
    put_string(out, layer->name);
    for (size_t d = 0; d < EGC_LAYER_DIMS && layer->shape[d]; d++)
        egc_text_put(out, "%s%zu", d ? "x" : ", dims = \"", layer->shape[d]);
    egc_text_put(out, "\"");
    put_law(out, fit, pick);
    put_number(out, "forward_flops", layer->forward_flops / batch);
    put_number(out, "backward_flops", layer->backward_flops / batch);
    if (!isnan(layer->forward_s))
        put_number(out, "forward_s", layer->forward_s / batch);
    if (!isnan(layer->backward_s))
        put_number(out, "backward_s", layer->backward_s / batch);
    egc_text_put(out, " },\n");
}

static egc_status write_lua(const egc_trace_fit *fit, const fit_request *request, egc_error *err)
{
    double batch = fit->note.batch ? (double)fit->note.batch : 1;
    egc_buf text = {0};
    egc_text_put(&text,
                 "-- Fitted by `egc-sim trace fit` to %s.\n"
                 "-- egc.workload.synthetic(dofile(\"THIS FILE\")) makes similar gradients; to "
                 "change\n-- something: local fit = dofile(\"THIS FILE\"); fit.batch = 64.\n"
                 "return {\n  model = ",
                 request->file.items[0]);
    put_string(&text, fit->model);
    egc_text_put(&text, ",\n  batch = %.0f,\n  layers = {\n", batch);
    for (size_t i = 0; i < fit->n_layers; i++)
        put_layer(&text, &fit->layers[i], &fit->fits[i], request->pick, batch);
    egc_text_put(&text, "  },\n}\n");
    egc_status status = egc_buf_check(&text, err);
    if (!status)
        status = egc_atomic_file_save(request->out, text.data, text.len, err);
    if (!status)
        egc_note("wrote %s", request->out);
    egc_buf_fini(&text);
    return status;
}

/* ---- the command ---------------------------------------------------------------------------- */

static int run(void *arg)
{
    const fit_request *request = arg;
    egc_trace_fit fit;
    egc_error err;
    if (egc_trace_fit_init(&fit, request->file.items[0], &err))
        return egc_note_error(&err);
    egc_status status = print_layers(&fit, request->pick, &err);
    if (!status)
        status = print_summary(&fit, &err);
    if (!status && request->all)
        status = print_all(&fit, &err);
    if (!status && request->out)
        status = write_lua(&fit, request, &err);
    egc_trace_fit_fini(&fit);
    return status ? egc_note_error(&err) : EGC_EXIT_DONE;
}

const egc_command egc_fit_command = {
    .name = "trace fit",
    .arguments = "FILE [-o FILE.lua] [options]",
    .summary = "Fits distributions to each layer of a trace. The errors printed are the "
               "Kolmogorov-Smirnov distance (KS)\nand the relative error of the 99.9 % quantile "
               "of magnitudes. Up to 16 gradients are read",
    .example = "egc-sim trace fit cnn.h5 -o cnn.lua",
    .options = options,
    .least = 1,
    .most = 1,
    .request_size = sizeof(fit_request),
    .run = run,
};
