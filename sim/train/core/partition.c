/* SPDX-License-Identifier: GPL-3.0-or-later */
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

static double layer_time_s(double recorded_s, double flops, double speed_flops)
{
    return isnan(recorded_s) ? flops / speed_flops : recorded_s;
}

/* When things happen in the backward pass, as far as buckets have been made. */
typedef struct schedule {
    double ready_s; /* the gradients of all layers in buckets */
    double free_s;  /* the buckets are exchanged */
} schedule;

static double backward_time_s(const egc_workload *workload, size_t layer,
                              const egc_partition_options *options)
{
    const egc_layer *l = &workload->layers[layer];
    return layer_time_s(l->backward_s, l->backward_flops, options->speed_flops);
}

/* The next bucket of MG-WFBP. It may be exchanged from when its last gradient is ready and the
 * buckets before have been; the next layer joins it if it is ready less than a startup later. */
static size_t layers_to_merge(const egc_workload *workload, size_t end,
                              const egc_partition_options *options, schedule *now)
{
    size_t taken = 1;
    double bytes = 4 * (double)workload->layers[end - 1].count;
    now->ready_s += backward_time_s(workload, end - 1, options);
    for (; taken < end; taken++) {
        double next_s = now->ready_s + backward_time_s(workload, end - 1 - taken, options);
        if (!(next_s < fmax(now->ready_s, now->free_s) + options->startup_s))
            break;
        now->ready_s = next_s;
        bytes += 4 * (double)workload->layers[end - 1 - taken].count;
    }
    now->free_s = fmax(now->ready_s, now->free_s) + options->startup_s + bytes * options->byte_s;
    return taken;
}

/* The next bucket of tensor fusion. *ready_s: when all layers that are in buckets are ready. */
static size_t layers_to_fuse(const egc_workload *workload, size_t end,
                             const egc_partition_options *options, double *ready_s)
{
    size_t taken = 1;
    double bytes = 4 * (double)workload->layers[end - 1].count;
    *ready_s += backward_time_s(workload, end - 1, options);
    double cycle = egc_partition_cycle(*ready_s, options->cycle_s);
    for (; taken < end; taken++) {
        double next_s = *ready_s + backward_time_s(workload, end - 1 - taken, options);
        bytes += 4 * (double)workload->layers[end - 1 - taken].count;
        if (bytes > options->fusion_bytes || egc_partition_cycle(next_s, options->cycle_s) > cycle)
            break;
        *ready_s = next_s;
    }
    return taken;
}

/* The number of layers, ending before layer `end`, that the next bucket takes. */
static size_t layers_in_bucket(const egc_workload *workload, size_t end,
                               const egc_partition_options *options, bool is_first, schedule *now)
{
    if (options->bucket_bytes == EGC_BUCKET_MODEL || options->granularity == EGC_GRANULARITY_MODEL)
        return end;
    if (options->bucket_bytes == EGC_BUCKET_MERGE)
        return layers_to_merge(workload, end, options, now);
    if (options->bucket_bytes == EGC_BUCKET_FUSION)
        return layers_to_fuse(workload, end, options, &now->ready_s);
    double limit =
        is_first ? fmin(options->first_bucket_bytes, options->bucket_bytes) : options->bucket_bytes;
    size_t taken = 1;
    double bytes = 4 * (double)workload->layers[end - 1].count;
    while (options->bucket_bytes != EGC_BUCKET_LAYER && taken < end) {
        bytes += 4 * (double)workload->layers[end - 1 - taken].count;
        if (bytes > limit)
            break;
        taken++;
    }
    return taken;
}

double egc_partition_cycle(double since_s, double cycle_s)
{
    const double rounding = 1e-6; /* of a cycle: what is ready at its end is in it */
    return ceil(since_s / cycle_s - rounding);
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
    schedule now = {0};
    for (size_t end = workload->n_layers; end > 0;) {
        egc_bucket *bucket = &partition->buckets[partition->n_buckets];
        size_t taken = layers_in_bucket(workload, end, options, partition->n_buckets == 0, &now);
        for (size_t i = end - taken; i < end; i++) {
            const egc_layer *layer = &workload->layers[i];
            bucket->count += layer->count;
            bucket->forward_s +=
                layer_time_s(layer->forward_s, layer->forward_flops, options->speed_flops);
            bucket->backward_s += backward_time_s(workload, i, options);
        }
        end -= taken;
        bucket->first_unit = end; /* when units are layers */
        bucket->n_units = taken;
        bucket->first = last_float -= bucket->count;
        partition->backward_s += bucket->backward_s;
        bucket->layers = name_layers(partition, &workload->layers[end], taken);
        partition->n_buckets++;
        if (!bucket->layers)
            return false;
    }
    return true;
}

static void make_units_of_layers(egc_partition *partition, const egc_workload *workload)
{
    size_t first = 0;
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
    partition->n_units = workload->n_layers;
}

static bool make_units_of_buckets(egc_partition *partition, const egc_workload *workload,
                                  egc_granularity granularity)
{
    size_t *layers = egc_arena_alloc(&partition->arena, workload->n_layers * sizeof *layers);
    for (size_t i = 0; layers && i < workload->n_layers; i++)
        layers[i] = workload->layers[i].count;
    partition->n_units = partition->n_buckets;
    if (!layers)
        return false;
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
    bool made = partition->buckets && partition->units;
    made = made && make_buckets(partition, workload, options);
    if (made)
        made = options->granularity != EGC_GRANULARITY_LAYER
                   ? make_units_of_buckets(partition, workload, options->granularity)
                   : (make_units_of_layers(partition, workload), true);
    if (!made) {
        egc_partition_fini(partition);
        return egc_fail_memory(err, n * (sizeof *partition->buckets + sizeof *partition->units));
    }
    for (size_t i = 0; i < n; i++)
        partition->forward_s += layer_time_s(
            workload->layers[i].forward_s, workload->layers[i].forward_flops, options->speed_flops);
    return EGC_OK;
}

size_t egc_partition_longest_unit(const egc_partition *partition)
{
    size_t longest = 0;
    for (size_t u = 0; u < partition->n_units; u++)
        longest = partition->units[u].count > longest ? partition->units[u].count : longest;
    return longest;
}

void egc_partition_fini(egc_partition *partition)
{
    egc_arena_fini(&partition->arena);
}
