/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/trace/fit.h"

#include <gsl/gsl_sort_double.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file/atomic_file.h"
#include "base/mem.h"
#include "base/quantity.h"
#include "cli/table.h"

const char *const egc_fit_pick_names[] = {
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
_Static_assert(sizeof egc_fit_pick_names / sizeof *egc_fit_pick_names ==
                   EGC_FIT_PICK_FIRST + EGC_N_DISTRIBUTIONS + 1,
               "any distribution may be picked");

static const egc_law_fit *picked(const egc_layer_fit *fit, int pick)
{
    return pick >= EGC_FIT_PICK_FIRST ? &fit->fits[pick - EGC_FIT_PICK_FIRST]
                                      : egc_layer_fit_best(fit, pick == EGC_FIT_PICK_TAIL);
}

/* ---- tables --------------------------------------------------------------------------------- */

static const char *real(char out[32], double value)
{
    snprintf(out, 32, isnan(value) ? "-" : "%.3g", value);
    return out;
}

static const char *percent(char out[32], double share)
{
    snprintf(out, 32, isnan(share) ? "-" : "%+.1f%%", 100 * share);
    return out;
}

static egc_status add_layer(egc_grid *grid, const egc_layer *layer, const egc_layer_fit *fit,
                            int pick, egc_error *err)
{
    char count[32], zeros[32], scale[32], shape[32], distance[32], tail[32];
    const egc_law_fit *best = fit->n_values ? picked(fit, pick) : NULL;
    snprintf(count, sizeof count, "%zu", layer->count);
    const char *cells[] = {layer->name,
                           count,
                           real(zeros, fit->zeros),
                           best ? egc_distribution_names[best->law.distribution] : "-",
                           real(scale, best ? best->law.scale : NAN),
                           real(shape, best ? best->law.shape : NAN),
                           real(distance, best ? best->distance : NAN),
                           percent(tail, best ? best->tail : NAN)};
    return egc_grid_add(grid, cells, err);
}

static egc_status print_layers(const egc_trace_fit *fit, int pick, egc_error *err)
{
    static const char *const heads[] = {"layer", "params", "zeros", "distribution",
                                        "scale", "shape",  "KS",    "99.9 %"};
    egc_grid grid = {.n_columns = 8, .right = 0xf6};
    egc_status status = egc_grid_add(&grid, heads, err);
    for (size_t i = 0; i < fit->n_layers && !status; i++)
        status = add_layer(&grid, &fit->layers[i], &fit->fits[i], pick, err);
    egc_grid_print(&grid);
    return status;
}

/* Of n values, which are sorted; NAN of none. */
static double median_of(double *values, size_t n)
{
    gsl_sort(values, 1, n);
    return n ? gsl_stats_median_from_sorted_data(values, 1, n) : NAN;
}

static egc_status add_distribution(egc_grid *grid, const egc_trace_fit *fit, int distribution,
                                   double *scratch, egc_error *err)
{
    char closest[32], distance[32], tail[32];
    size_t n = 0, n_best = 0;
    for (size_t i = 0; i < fit->n_layers; i++)
        if (fit->fits[i].n_values) {
            const egc_law_fit *best = egc_layer_fit_best(&fit->fits[i], false);
            n_best += (int)best->law.distribution == distribution;
            scratch[n++] = fit->fits[i].fits[distribution].distance;
        }
    snprintf(closest, sizeof closest, "%zu", n_best);
    real(distance, median_of(scratch, n));
    n = 0;
    for (size_t i = 0; i < fit->n_layers; i++)
        if (fit->fits[i].n_values && !isnan(fit->fits[i].fits[distribution].tail))
            scratch[n++] = fabs(fit->fits[i].fits[distribution].tail);
    percent(tail, median_of(scratch, n));
    return egc_grid_add(grid,
                        (const char *[]){egc_distribution_names[distribution], closest, distance,
                                         tail[0] == '+' ? tail + 1 : tail},
                        err);
}

static egc_status print_distributions(const egc_trace_fit *fit, double *scratch, egc_error *err)
{
    static const char *const heads[] = {"distribution", "closest", "median KS", "median |99.9 %|"};
    egc_grid grid = {.n_columns = 4, .right = 0xe};
    egc_status status = egc_grid_add(&grid, heads, err);
    for (int d = 0; d < EGC_N_DISTRIBUTIONS && !status; d++)
        status = add_distribution(&grid, fit, d, scratch, err);
    putchar('\n');
    egc_grid_print(&grid);
    return status;
}

static void print_median(const char *what, const egc_trace_fit *fit, size_t offset, double *scratch)
{
    char text[32];
    for (size_t i = 0; i < fit->n_layers; i++)
        memcpy(&scratch[i], (const char *)&fit->fits[i] + offset, sizeof *scratch);
    printf("%-22s %s\n", what, real(text, median_of(scratch, fit->n_layers)));
}

egc_status egc_fit_print(const egc_trace_fit *fit, int pick, egc_error *err)
{
    double *scratch = egc_calloc(fit->n_layers, sizeof *scratch);
    if (!scratch)
        return egc_fail_memory(err, fit->n_layers * sizeof *scratch);
    egc_status status = print_layers(fit, pick, err);
    if (!status)
        status = print_distributions(fit, scratch, err);
    if (!status) {
        puts("\nmedian over the layers");
        print_median("decay", fit, offsetof(egc_layer_fit, decay), scratch);
        print_median("correlation of workers", fit, offsetof(egc_layer_fit, worker_correlation),
                     scratch);
        print_median("correlation of steps", fit, offsetof(egc_layer_fit, time_correlation),
                     scratch);
    }
    egc_free(scratch);
    return status;
}

egc_status egc_fit_print_all(const egc_trace_fit *fit, egc_error *err)
{
    const char *cells[1 + EGC_N_DISTRIBUTIONS] = {"layer"};
    egc_grid grid = {.n_columns = 1 + EGC_N_DISTRIBUTIONS, .right = 0xfe};
    for (int d = 0; d < EGC_N_DISTRIBUTIONS; d++)
        cells[1 + d] = egc_distribution_names[d];
    egc_status status = egc_grid_add(&grid, cells, err);
    for (size_t i = 0; i < fit->n_layers && !status; i++) {
        char text[EGC_N_DISTRIBUTIONS][72];
        cells[0] = fit->layers[i].name;
        for (int d = 0; d < EGC_N_DISTRIBUTIONS; d++) {
            const egc_law_fit *law = &fit->fits[i].fits[d];
            char distance[32], tail[32];
            bool any = fit->fits[i].n_values > 0;
            snprintf(text[d], sizeof text[d], "%s %s", real(distance, any ? law->distance : NAN),
                     percent(tail, any ? law->tail : NAN));
            cells[1 + d] = text[d];
        }
        status = egc_grid_add(&grid, cells, err);
    }
    puts("\nKS and error of the 99.9 % quantile");
    egc_grid_print(&grid);
    return status;
}

/* ---- the Lua file --------------------------------------------------------------------------- */

/* As a Lua string. */
static egc_status put_text(egc_buf *out, const char *text, egc_error *err)
{
    egc_status status = egc_buf_printf(out, err, "\"");
    for (; *text && !status; text++)
        status = egc_buf_printf(out, err, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    return status ? status : egc_buf_printf(out, err, "\"");
}

static egc_status put_number(egc_buf *out, const char *key, double value, egc_error *err)
{
    char text[32];
    return egc_buf_printf(out, err, ", %s = %s", key,
                          egc_text_format_real(value, text, sizeof text));
}

/* Six digits: more than any fit has. */
static egc_status put_fitted(egc_buf *out, const char *key, double value, egc_error *err)
{
    return egc_buf_printf(out, err, ", %s = %.6g", key, value);
}

static egc_status put_layer_law(egc_buf *out, const egc_layer_fit *fit, int pick, egc_error *err)
{
    if (!fit->n_values)
        return put_number(out, "zeros", 1, err);
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
    egc_status status = egc_buf_printf(out, err, ", distribution = \"%s\"",
                                       egc_distribution_names[law->distribution]);
    for (size_t i = 0; i < sizeof fields / sizeof *fields && !status; i++)
        if (!isnan(fields[i].value) && fields[i].value != fields[i].usual)
            status = put_fitted(out, fields[i].key, fields[i].value, err);
    return status;
}

/* Work is that of one example. */
static egc_status put_layer_work(egc_buf *out, const egc_layer *layer, double batch, egc_error *err)
{
    egc_status status = put_number(out, "forward_flops", layer->forward_flops / batch, err);
    if (!status)
        status = put_number(out, "backward_flops", layer->backward_flops / batch, err);
    if (!status && !isnan(layer->forward_s))
        status = put_number(out, "forward_s", layer->forward_s / batch, err);
    if (!status && !isnan(layer->backward_s))
        status = put_number(out, "backward_s", layer->backward_s / batch, err);
    return status;
}

static egc_status put_layer(egc_buf *out, const egc_layer *layer, const egc_layer_fit *fit,
                            int pick, double batch, egc_error *err)
{
    egc_status status = egc_buf_printf(out, err, "    { name = ");
    if (!status)
        status = put_text(out, layer->name, err);
    for (size_t d = 0; d < EGC_LAYER_DIMS && layer->shape[d] && !status; d++)
        status = egc_buf_printf(out, err, "%s%zu", d ? "x" : ", dims = \"", layer->shape[d]);
    if (!status)
        status = egc_buf_printf(out, err, "\"");
    if (!status)
        status = put_layer_law(out, fit, pick, err);
    if (!status)
        status = put_layer_work(out, layer, batch, err);
    return status ? status : egc_buf_printf(out, err, " },\n");
}

static egc_status put_file(egc_buf *out, const egc_trace_fit *fit, int pick, const char *source,
                           egc_error *err)
{
    double batch = fit->note.batch ? (double)fit->note.batch : 1;
    egc_status status = egc_buf_printf(
        out, err,
        "-- What `egc-sim trace fit` found in %s.\n"
        "-- egc.workload.synthetic(dofile(\"THIS FILE\")) makes gradients like those; to change\n"
        "-- something: local fit = dofile(\"THIS FILE\"); fit.batch = 64.\nreturn {\n  model = ",
        source);
    if (!status)
        status = put_text(out, fit->model, err);
    if (!status)
        status = egc_buf_printf(out, err, ",\n  batch = %.0f,\n  layers = {\n", batch);
    for (size_t i = 0; i < fit->n_layers && !status; i++)
        status = put_layer(out, &fit->layers[i], &fit->fits[i], pick, batch, err);
    return status ? status : egc_buf_printf(out, err, "  },\n}\n");
}

egc_status egc_fit_write(const egc_trace_fit *fit, int pick, const char *source, const char *path,
                         egc_error *err)
{
    egc_buf text = {0};
    egc_status status = put_file(&text, fit, pick, source, err);
    if (!status)
        status = egc_atomic_file_save(path, text.data, text.len, err);
    egc_buf_fini(&text);
    return status;
}
