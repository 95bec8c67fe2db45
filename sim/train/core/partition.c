/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Buckets are filled from the last layer backwards; one predicate per kind of bucket decides if the
 * next layer joins. Units are the layers, the buckets or the model, by the granularity. */
#include "train/core/partition.h"

#include <math.h>
#include <string.h>

egc_partition_options egc_partition_options_of(const egc_train_config *config)
{
    return (egc_partition_options){
        .granularity = (egc_granularity)config->method.options.granularity,
        .bucket_bytes = config->options.bucket_bytes,
        .first_bucket_bytes = config->options.first_bucket_bytes,
        .fusion_bytes = config->options.fusion_bytes,
        .cycle_s = config->options.cycle_s,
        .speed_flops = egc_cluster_host_flops(config->cluster_params, &config->device),
    };
}

double egc_partition_cycle(double since_s, double cycle_s)
{
    const double rounding = 1e-6; /* in cycles: a gradient ready at the end of one belongs to it */
    return ceil(since_s / cycle_s - rounding);
}

static double time_s(double recorded_s, double flops, double speed_flops)
{
    return isnan(recorded_s) ? flops / speed_flops : recorded_s;
}

static double forward_s(const egc_layer *layer, const egc_partition_options *options)
{
    return time_s(layer->forward_s, layer->forward_flops, options->speed_flops);
}

static double backward_s(const egc_layer *layer, const egc_partition_options *options)
{
    return time_s(layer->backward_s, layer->backward_flops, options->speed_flops);
}

/* ---- buckets --------------------------------------------------------------------------------- */

/* The bucket that is being filled, and the times of the backward pass so far. */
typedef struct filling {
    bool is_first;
    double bytes;
    double ready_s; /* the gradients of all layers in buckets are ready */
    double free_s;  /* the buckets before have been exchanged */
} filling;

static bool joins(const egc_layer *next, const egc_partition_options *options, const filling *now)
{
    double kind = options->bucket_bytes, limit = kind;
    double bytes = now->bytes + 4 * (double)next->count;
    double ready_s = now->ready_s + backward_s(next, options);
    if (kind == EGC_BUCKET_MODEL || options->granularity == EGC_GRANULARITY_MODEL)
        return true;
    if (kind == EGC_BUCKET_MERGE)
        return ready_s < fmax(now->ready_s, now->free_s) + options->startup_s;
    if (kind == EGC_BUCKET_FUSION)
        return bytes <= options->fusion_bytes &&
               egc_partition_cycle(ready_s, options->cycle_s) <=
                   egc_partition_cycle(now->ready_s, options->cycle_s);
    if (now->is_first)
        limit = fmin(options->first_bucket_bytes, limit);
    return kind != EGC_BUCKET_LAYER && bytes <= limit;
}

/* The number of layers, counted back from layer `end`, in the next bucket. */
static size_t fill(const egc_workload *workload, size_t end, const egc_partition_options *options,
                   filling *now)
{
    const egc_layer *layers = workload->layers;
    size_t next = end;
    now->bytes = 0;
    do {
        next--;
        now->bytes += 4 * (double)layers[next].count;
        now->ready_s += backward_s(&layers[next], options);
    } while (next > 0 && joins(&layers[next - 1], options, now));
    now->free_s =
        fmax(now->ready_s, now->free_s) + options->startup_s + now->bytes * options->byte_s;
    return end - next;
}

/* NULL when out of memory. */
static const char *name_layers(egc_partition *partition, const egc_layer *first, size_t n)
{
    return n == 1 ? first->name
                  : egc_arena_printf(&partition->arena, "%s..%s", first->name, first[n - 1].name);
}

static bool make_buckets(egc_partition *partition, const egc_workload *workload,
                         const egc_partition_options *options)
{
    size_t last_float = workload->n_params;
    filling now = {.is_first = true};
    for (size_t end = workload->n_layers; end > 0; now.is_first = false) {
        egc_bucket *bucket = &partition->buckets[partition->n_buckets++];
        bucket->n_units = fill(workload, end, options, &now);
        bucket->first_unit = end -= bucket->n_units; /* if units are layers */
        for (size_t i = end; i < end + bucket->n_units; i++) {
            bucket->count += workload->layers[i].count;
            bucket->forward_s += forward_s(&workload->layers[i], options);
            bucket->backward_s += backward_s(&workload->layers[i], options);
        }
        bucket->first = last_float -= bucket->count;
        partition->backward_s += bucket->backward_s;
        bucket->layers = name_layers(partition, &workload->layers[end], bucket->n_units);
        if (!bucket->layers)
            return false;
    }
    return true;
}

/* ---- units ----------------------------------------------------------------------------------- */

static void make_units_of_layers(egc_partition *partition, const egc_workload *workload)
{
    size_t first = 0;
    partition->n_units = workload->n_layers;
    for (size_t i = 0; i < workload->n_layers; i++) {
        const egc_layer *layer = &workload->layers[i];
        partition->units[i] = (egc_unit){
            .name = layer->name,
            .first = first,
            .count = layer->count,
            .rows = layer->shape[1] ? layer->shape[0] : 0,
        };
        first += layer->count;
    }
}

static bool make_units_of_buckets(egc_partition *partition, const egc_workload *workload,
                                  egc_granularity granularity)
{
    size_t *layers = egc_arena_alloc(&partition->arena, workload->n_layers * sizeof *layers);
    if (!layers)
        return false;
    for (size_t i = 0; i < workload->n_layers; i++)
        layers[i] = workload->layers[i].count;
    partition->n_units = partition->n_buckets;
    for (size_t b = 0; b < partition->n_buckets; b++) {
        egc_bucket *bucket = &partition->buckets[b];
        size_t u = partition->n_buckets - 1 - b;
        partition->units[u] = (egc_unit){
            .name = granularity == EGC_GRANULARITY_MODEL ? "model" : bucket->layers,
            .first = bucket->first,
            .count = bucket->count,
            .layers = layers + bucket->first_unit, /* still its first layer */
            .n_layers = bucket->n_units,
        };
        bucket->first_unit = u;
        bucket->n_units = 1;
    }
    return true;
}

egc_status egc_partition_init(egc_partition *partition, const egc_workload *workload,
                              const egc_partition_options *options, egc_error *err)
{
    *partition = (egc_partition){0};
    size_t n = workload->n_layers;
    partition->buckets = egc_arena_alloc(&partition->arena, n * sizeof *partition->buckets);
    partition->units = egc_arena_alloc(&partition->arena, n * sizeof *partition->units);
    bool made =
        partition->buckets && partition->units && make_buckets(partition, workload, options);
    if (made && options->granularity == EGC_GRANULARITY_LAYER)
        make_units_of_layers(partition, workload);
    else
        made = made && make_units_of_buckets(partition, workload, options->granularity);
    for (size_t i = 0; i < n; i++)
        partition->forward_s += forward_s(&workload->layers[i], options);
    if (made)
        return EGC_OK;
    egc_partition_fini(partition);
    return egc_fail_memory(err, n * (sizeof *partition->buckets + sizeof *partition->units));
}

void egc_partition_fini(egc_partition *partition)
{
    egc_arena_fini(&partition->arena);
}

size_t egc_partition_longest_unit(const egc_partition *partition)
{
    size_t longest = 0;
    for (size_t u = 0; u < partition->n_units; u++)
        longest = partition->units[u].count > longest ? partition->units[u].count : longest;
    return longest;
}

egc_status egc_partition_of_bucket(const egc_partition *whole, size_t b, egc_partition *out,
                                   egc_error *err)
{
    const egc_bucket *bucket = &whole->buckets[b];
    *out = (egc_partition){.n_units = bucket->n_units, .n_buckets = 1};
    out->units = egc_arena_alloc(&out->arena, out->n_units * sizeof *out->units);
    out->buckets = egc_arena_alloc(&out->arena, sizeof *out->buckets);
    if (!out->units || !out->buckets)
        return egc_fail_memory(err, out->n_units * sizeof *out->units);
    memcpy(out->units, &whole->units[bucket->first_unit], out->n_units * sizeof *out->units);
    for (size_t u = 0; u < out->n_units; u++)
        out->units[u].first -= bucket->first;
    out->buckets[0] = *bucket;
    out->buckets[0].first_unit = out->buckets[0].first = 0;
    return EGC_OK;
}
