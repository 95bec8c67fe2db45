/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Workers of the public interface: an encoder and a decoder of compressors/core together, over the
 * units that layers and buckets become by the method's granularity. */
#include "compressors/api/worker.h"

#include <math.h>

#include "base/mem.h"
#include "compressors/api/setup.h"

/* ---- units and buckets ----------------------------------------------------------------------- */

/* Places the buckets over the flat gradient; layers are in their order (egc_setup_layers). */
static bool make_buckets(egc_worker *w, const egc_setup *setup)
{
    size_t first = 0;
    w->n_buckets = setup->layers[setup->n_layers - 1].bucket + 1;
    w->buckets = egc_arena_alloc(&w->arena, w->n_buckets * sizeof *w->buckets);
    w->units = egc_arena_alloc(&w->arena, setup->n_layers * sizeof *w->units);
    for (size_t i = 0; w->buckets && i < setup->n_layers; i++) {
        egc_worker_bucket *bucket = &w->buckets[setup->layers[i].bucket];
        if (bucket->n == 0) {
            bucket->first = first;
            bucket->first_unit = i; /* for granularity = "layer" */
        }
        bucket->n += setup->layers[i].elements;
        bucket->n_units++;
        first += setup->layers[i].elements;
    }
    return w->buckets && w->units;
}

static bool make_units_of_layers(egc_worker *w, const egc_setup *setup)
{
    size_t first = 0;
    bool complete = true;
    w->n_units = setup->n_layers;
    for (size_t i = 0; i < setup->n_layers && complete; i++) {
        const egc_model_layer *layer = &setup->layers[i];
        w->units[i] = (egc_unit){
            .name = egc_arena_strdup(&w->arena, layer->name),
            .first = first,
            .count = layer->elements,
            .rows = layer->rows,
        };
        complete = w->units[i].name;
        first += layer->elements;
    }
    return complete;
}

static const char *name_of(egc_worker *w, const egc_model_layer *first, size_t n)
{
    return n == 1 ? egc_arena_strdup(&w->arena, first->name)
                  : egc_arena_printf(&w->arena, "%s..%s", first->name, first[n - 1].name);
}

static bool make_units_of_buckets(egc_worker *w, const egc_setup *setup)
{
    size_t *elements = egc_arena_alloc(&w->arena, setup->n_layers * sizeof *elements);
    bool complete = elements;
    for (size_t i = 0; complete && i < setup->n_layers; i++)
        elements[i] = setup->layers[i].elements;
    w->n_units = w->n_buckets;
    for (size_t b = 0; complete && b < w->n_buckets; b++) {
        egc_worker_bucket *bucket = &w->buckets[b];
        w->units[b] = (egc_unit){
            .name = name_of(w, &setup->layers[bucket->first_unit], bucket->n_units),
            .first = bucket->first,
            .count = bucket->n,
            .layers = elements + bucket->first_unit,
            .n_layers = bucket->n_units,
        };
        bucket->first_unit = b;
        bucket->n_units = 1;
        complete = w->units[b].name;
    }
    return complete;
}

static size_t longest_unit(const egc_worker *w)
{
    size_t longest = 0;
    for (size_t u = 0; u < w->n_units; u++)
        longest = w->units[u].count > longest ? w->units[u].count : longest;
    return longest;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void leave_memory(egc_worker_memory *memory)
{
    if (!memory || --memory->n_users > 0)
        return;
    egc_workspace_free(memory->workspace);
    egc_free(memory);
}

void egc_worker_free(egc_worker *w)
{
    if (!w)
        return;
    for (size_t b = 0; b < w->n_buckets && w->buckets; b++)
        for (size_t m = 0; w->buckets[b].wire && m < w->n_wires; m++)
            egc_buf_fini(&w->buckets[b].wire[m]);
    egc_encoder_free(w->encoder);
    egc_decoder_free(w->decoder);
    leave_memory(w->memory);
    egc_free(w->readers);
    egc_arena_fini(&w->arena);
    egc_free(w);
}

bool egc_worker_has_round(const egc_worker *w, egc_collective collective)
{
    for (size_t r = 0; r < w->plan.n_rounds; r++)
        if (egc_worker_round(w, r).collective == collective)
            return true;
    return false;
}

static egc_status check(const egc_worker *w, const egc_setup *setup, egc_error *err)
{
    if (setup->n_layers == 0)
        return egc_fail(err, EGC_ERROR_RANGE, "no layers: egc_setup_layers comes first");
    if (w->rank != EGC_RECEIVER && w->rank >= w->n_workers)
        return egc_fail(err, EGC_ERROR_RANGE, "rank must be below the %zu workers, got %zu",
                        w->n_workers, w->rank);
    egc_status status = egc_method_check(&setup->method, err);
    if (status)
        return status;
    if (w->method.options.granularity == EGC_GRANULARITY_MODEL &&
        setup->layers[setup->n_layers - 1].bucket > 0)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "granularity = \"model\" needs all layers in bucket 0");
    if (w->rank == EGC_RECEIVER && egc_worker_has_round(w, EGC_COLLECTIVE_ALLTOALL))
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "%s gives each worker a shard, which a receiver has not", w->method.name);
    return EGC_OK;
}

static egc_status make_units(egc_worker *w, const egc_setup *setup, egc_error *err)
{
    w->n_wires = egc_worker_has_round(w, EGC_COLLECTIVE_ALLTOALL) ? w->n_workers : 1;
    bool complete = make_buckets(w, setup);
    if (complete)
        complete = w->method.options.granularity == EGC_GRANULARITY_LAYER
                       ? make_units_of_layers(w, setup)
                       : make_units_of_buckets(w, setup);
    for (size_t b = 0; complete && b < w->n_buckets; b++) {
        w->buckets[b].wire = egc_arena_alloc(&w->arena, w->n_wires * sizeof(egc_buf));
        complete = w->buckets[b].wire;
    }
    return complete ? EGC_OK : egc_fail_memory(err, setup->n_layers * sizeof(egc_unit));
}

static egc_status join_memory(egc_worker *w, egc_worker *peer, egc_error *err)
{
    size_t longest = longest_unit(w);
    if (peer && peer->memory->longest < longest)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "peer must have working memory for %zu elements, got %zu", longest,
                        peer->memory->longest);
    if (peer) {
        w->memory = peer->memory;
        w->memory->n_users++;
        return EGC_OK;
    }
    w->memory = egc_calloc(1, sizeof *w->memory);
    if (!w->memory)
        return egc_fail_memory(err, sizeof *w->memory);
    *w->memory = (egc_worker_memory){.longest = longest, .n_users = 1};
    return egc_workspace_new(longest, &w->memory->workspace, err);
}

static egc_status make_coders(egc_worker *w, const egc_setup *setup, egc_error *err)
{
    double momentum = w->method.options.momentum;
    const egc_coder_config config = {
        .method = &w->method,
        .momentum = isnan(momentum) ? 0.9 : momentum,
        .n_workers = w->n_workers,
        .seed = setup->seed,
        .units = w->units,
        .n_units = w->n_units,
        .workspace = w->memory->workspace,
    };
    w->readers = egc_calloc(w->n_workers, sizeof *w->readers);
    if (!w->readers)
        return egc_fail_memory(err, w->n_workers * sizeof *w->readers);
    egc_status status = egc_decoder_new(&config, &w->decoder, err);
    if (!status && w->rank != EGC_RECEIVER)
        status = egc_encoder_new(&config, w->rank, w->decoder, &w->encoder, err);
    return status;
}

egc_status egc_worker_new(const egc_setup *setup, size_t rank, egc_worker *peer, egc_worker **out,
                          egc_error *err)
{
    egc_worker *w = egc_calloc(1, sizeof *w);
    if (!w)
        return egc_fail_memory(err, sizeof *w);
    w->method = setup->method;
    w->plan = egc_round_plan_of(&w->method);
    w->rank = rank;
    w->n_workers = setup->n_workers;
    egc_status status = check(w, setup, err);
    if (!status)
        status = make_units(w, setup, err);
    if (!status)
        status = join_memory(w, peer, err);
    if (!status)
        status = make_coders(w, setup, err);
    if (status) {
        egc_worker_free(w);
        return status;
    }
    *out = w;
    return EGC_OK;
}

egc_status egc_worker_regroup(egc_worker *w, size_t rank, size_t n_workers, egc_error *err)
{
    bool receives = w->rank == EGC_RECEIVER;
    if (n_workers == 0 || n_workers > w->n_workers)
        return egc_fail(err, EGC_ERROR_RANGE, "workers must be in [1, %zu], got %zu", w->n_workers,
                        n_workers);
    if (receives ? rank != EGC_RECEIVER : rank >= n_workers)
        return egc_fail(err, EGC_ERROR_RANGE, "rank must be %s, got %zu",
                        receives ? "EGC_RECEIVER" : "below the workers", rank);
    if (egc_worker_has_round(w, EGC_COLLECTIVE_BROADCAST) ||
        egc_worker_has_round(w, EGC_COLLECTIVE_ALLTOALL))
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "the rounds of %s are tied to the first number of workers", w->method.name);
    w->rank = rank;
    w->n_workers = n_workers;
    egc_decoder_regroup(w->decoder, n_workers);
    if (w->encoder)
        egc_encoder_regroup(w->encoder, rank, n_workers);
    return EGC_OK;
}

/* ---- questions ------------------------------------------------------------------------------- */

size_t egc_worker_buckets(const egc_worker *worker)
{
    return worker->n_buckets;
}

size_t egc_worker_elements(const egc_worker *worker, size_t bucket)
{
    return bucket < worker->n_buckets ? worker->buckets[bucket].n : 0;
}

size_t egc_worker_rounds(const egc_worker *worker)
{
    return worker->plan.n_rounds;
}

egc_round_info egc_worker_round(const egc_worker *worker, size_t round)
{
    if (round >= worker->plan.n_rounds)
        return (egc_round_info){0};
    egc_round r = worker->plan.round[round];
    bool sharded = r.kind == EGC_COLLECTIVE_ALLTOALL;
    return (egc_round_info){r.kind, r.element, sharded ? worker->n_workers : 1};
}

/* Both are decided from the whole gradient: the factor of clipping, and whether to skip the step.
 */
bool egc_worker_needs_whole_gradient(const egc_worker *worker)
{
    return worker->method.options.clip > 0 ||
           worker->method.options.nonfinite == EGC_NONFINITE_SKIP;
}

const float *egc_worker_residual(const egc_worker *worker)
{
    /* Error feedback that accumulates keeps an estimate of the gradient in place of a residual. */
    int kind = worker->method.options.error_feedback;
    bool kept = worker->encoder && !egc_error_feedback_types()[kind]->accumulates;
    return kept ? egc_encoder_residual(worker->encoder) : NULL;
}
