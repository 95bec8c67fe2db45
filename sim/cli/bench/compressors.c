/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost of compression: the medians of some steps of four workers (cli/play.h), whose gradients come
 * from one layer of the workload "synthetic". */
#include <math.h>
#include <stdio.h>

#include "cli/bench/bench.h"
#include "cli/play.h"
#include "workloads/synthetic/layers.h"

enum { P = EGC_PLAY_WORKERS, STEPS = 6 }; /* the first step is not counted */

/* One layer of the shape of unit, with the workload's default distribution. */
static egc_status open_workload(const egc_unit *unit, uint64_t seed, egc_workload **out,
                                egc_error *err)
{
    const egc_workload_type *type;
    egc_synthetic_params params;
    egc_synthetic_row row;
    egc_status status = egc_workload_find("synthetic", &type, err);
    if (status)
        return status;
    egc_param_init(egc_synthetic_layers_params, &params);
    egc_param_init(egc_synthetic_layers_row_params, &row);
    snprintf(row.name, sizeof row.name, "layer");
    snprintf(row.dims, sizeof row.dims, "%zux%zu", unit->rows, unit->count / unit->rows);
    params.layers = (egc_param_list){&row, 1};
    const egc_workload_request request = {.workers = P, .steps = STEPS, .seed = seed};
    return egc_workload_new(type, &params, &request, out, err);
}

static egc_status take_step(egc_play *play, egc_workload *workload, uint64_t step,
                            egc_play_costs *costs, egc_error *err)
{
    egc_status status = EGC_OK;
    double loss;
    for (size_t w = 0; w < P && !status; w++)
        status = workload->type->gradient(workload, step, w, NULL, egc_play_gradient(play, w),
                                          &loss, err);
    return status ? status : egc_play_step(play, step, NAN, costs, err);
}

static egc_status bench_method(const egc_method *method, uint64_t seed, egc_bench_cost *out,
                               egc_error *err)
{
    egc_play *play = NULL;
    egc_workload *workload = NULL;
    double encode_s[STEPS], decode_s[STEPS];
    egc_status status = egc_play_new(method, out->elements, P, seed, &play, err);
    if (!status)
        status = open_workload(egc_play_unit(play), seed, &workload, err);
    for (uint64_t step = 0; step < STEPS && !status; step++) {
        egc_play_costs costs;
        status = take_step(play, workload, step, &costs, err);
        encode_s[step] = costs.encode_s;
        decode_s[step] = costs.decode_s;
    }
    egc_play_free(play);
    egc_workload_free(workload);
    if (status)
        return egc_error_prefix(err, "%s, %zu elements", method->name, out->elements);
    out->encode_s = egc_bench_timer_median(encode_s + 1, STEPS - 1);
    out->decode_s = egc_bench_timer_median(decode_s + 1, STEPS - 1);
    return EGC_OK;
}

egc_status egc_bench_compressors(const egc_bench_request *request,
                                 egc_status (*row)(void *arg, const egc_bench_cost *cost,
                                                   egc_error *err),
                                 void *arg, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t m = 0; m < request->n_methods && !status; m++) {
        const egc_method *method = &request->methods[m];
        egc_buf params = {0};
        status = egc_method_describe(method, &params, err);
        if (!status)
            status = egc_buf_append(&params, "", 1, err);
        for (size_t i = 0; i < request->n_elements && !status; i++) {
            egc_bench_cost cost = {.method = method->name,
                                   .params = (const char *)params.data,
                                   .elements = request->elements[i]};
            status = bench_method(method, request->seed, &cost, err);
            if (!status)
                status = row(arg, &cost, err);
        }
        egc_buf_fini(&params);
    }
    return status;
}
