/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The small interface: one vector is a worker of one layer, whose steps are counted here. */
#include <math.h>

#include "base/error.h"
#include "base/mem.h"
#include "compressors/egc.h"

struct egc_vector {
    egc_worker *worker;
    uint64_t n_steps; /* begun */
};

static egc_status make_worker(const egc_setup *setup, size_t rank, egc_worker **out, egc_error *err)
{
    if (rank == EGC_RECEIVER)
        return egc_fail(err, EGC_ERROR_RANGE, "a vector needs a rank; use egc_worker_new");
    egc_status status = egc_worker_new(setup, rank, NULL, out, err);
    if (status)
        return status;
    size_t n_rounds = egc_worker_rounds(*out);
    if (n_rounds > 1)
        status = egc_fail(err, EGC_ERROR_UNSUPPORTED,
                          "the method takes %zu rounds a step; use egc_worker_new", n_rounds);
    if (status)
        egc_worker_free(*out);
    return status;
}

egc_status egc_vector_new(const char *method, const char *parameters, size_t elements, size_t rank,
                          size_t n_workers, egc_vector **out, egc_error *err)
{
    const egc_model_layer layer = {.name = "vector", .elements = elements};
    egc_vector *v = egc_calloc(1, sizeof *v);
    egc_setup *setup = NULL;
    if (!v)
        return egc_fail_memory(err, sizeof *v);
    egc_status status = egc_setup_new(method, parameters, &setup, err);
    if (!status)
        status = egc_setup_workers(setup, n_workers, 1, err);
    if (!status)
        status = egc_setup_layers(setup, &layer, 1, err);
    if (!status)
        status = make_worker(setup, rank, &v->worker, err);
    egc_setup_free(setup);
    if (status)
        egc_free(v);
    else
        *out = v;
    return status;
}

void egc_vector_free(egc_vector *vector)
{
    if (!vector)
        return;
    egc_worker_free(vector->worker);
    egc_free(vector);
}

egc_status egc_vector_encode(egc_vector *v, const float *gradient, egc_message *message,
                             egc_error *err)
{
    egc_status status = egc_step_begin(v->worker, v->n_steps++, NAN, err);
    if (!status)
        status = egc_step_gradient(v->worker, 0, gradient, err);
    return status ? status : egc_step_message(v->worker, 0, 0, message, err);
}

egc_status egc_vector_average(egc_vector *v, const egc_message *messages, size_t n_messages,
                              float *average, egc_error *err)
{
    return egc_step_absorb(v->worker, 0, 0, messages, n_messages, average, err);
}
