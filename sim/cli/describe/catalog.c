/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One row a kind: where its items come from, and which page describes them. */
#include "cli/describe/catalog.h"

#include <stddef.h>
#include <string.h>

#include "codec/codec.h"
#include "compressors/core/method.h"
#include "exchange/exchange.h"
#include "experiment/results/columns.h"
#include "experiment/spec/index.h"
#include "net/cluster/cluster.h"
#include "train/algorithm.h"
#include "workloads/profiles/profile.h"
#include "workloads/train/datasets/dataset.h"
#include "workloads/train/nets.h"
#include "workloads/workload.h"

/* Defines function: the items of a registry whose descriptors begin like egc_catalog_item. */
#define REGISTRY(function, type, list)                                                             \
    _Static_assert(offsetof(type, name) == offsetof(egc_catalog_item, name) &&                     \
                       offsetof(type, summary) == offsetof(egc_catalog_item, summary),             \
                   "a descriptor must begin with name and summary");                               \
    static egc_status function(egc_catalog *catalog, const egc_catalog_item *const **out,          \
                               egc_error *err)                                                     \
    {                                                                                              \
        (void)catalog, (void)err;                                                                  \
        *out = (const egc_catalog_item *const *)(list);                                            \
        return EGC_OK;                                                                             \
    }

REGISTRY(compressors, egc_compressor_type, egc_compressor_types())
REGISTRY(presets, egc_method_preset, egc_method_presets())
REGISTRY(workloads, egc_workload_type, egc_workload_types())
REGISTRY(models, egc_net, egc_nets())
REGISTRY(profiles, egc_profile, egc_profile_all())
REGISTRY(datasets, egc_dataset_type, egc_dataset_types())
REGISTRY(clusters, egc_cluster_type, egc_cluster_types())
REGISTRY(algorithms, egc_algorithm_type, egc_algorithm_types())
REGISTRY(exchanges, egc_exchange_type, egc_exchange_types())
REGISTRY(sparse_exchanges, egc_sparse_type, egc_sparse_types())
REGISTRY(index_codecs, egc_index_codec, egc_codec_index_types())
REGISTRY(memories, egc_error_feedback_type, egc_error_feedback_types())
REGISTRY(value_codecs, egc_value_codec, egc_codec_value_types())

/* The options of egc.experiment, which are not in any registry. */
static egc_status experiments(egc_catalog *catalog, const egc_catalog_item *const **out,
                              egc_error *err)
{
    static const egc_catalog_item experiment = {
        "experiment", "what egc.experiment takes beside name, workload, cluster, method, "
                      "algorithm, exchange and where"};
    static const egc_catalog_item *const items[] = {&experiment, NULL};
    (void)catalog, (void)err;
    *out = items;
    return EGC_OK;
}

static egc_status devices(egc_catalog *catalog, const egc_catalog_item *const **out, egc_error *err)
{
    if (!catalog->devices.profiles) {
        egc_status status = egc_devices_load(&catalog->devices, err);
        if (status)
            return status;
    }
    size_t n = 0;
    while (catalog->devices.profiles[n].name)
        n++;
    const egc_catalog_item **items = egc_arena_alloc(&catalog->arena, (n + 1) * sizeof *items);
    if (!items)
        return egc_fail_memory(err, (n + 1) * sizeof *items);
    for (size_t i = 0; i < n; i++)
        items[i] = (const egc_catalog_item *)&catalog->devices.profiles[i];
    *out = items;
    return EGC_OK;
}

/* A column of several files is one metric, with the help of the first; other help is added to the
 * file's name. */
static egc_status metrics(egc_catalog *catalog, const egc_catalog_item *const **out, egc_error *err)
{
    static const egc_table order[] = {EGC_TABLE_RUNS, EGC_TABLE_STEPS, EGC_TABLE_EVALS,
                                      EGC_TABLE_LAYERS};
    egc_arena *arena = &catalog->arena;
    egc_index index = {0};
    size_t n = 0, room = 1;
    for (size_t t = 0; t < EGC_N_TABLES; t++)
        room += egc_columns_tables[t].n_columns;
    egc_metric *all = egc_arena_alloc(arena, room * sizeof *all);
    const egc_catalog_item **items = egc_arena_alloc(arena, room * sizeof *items);
    bool failed = !all || !items;
    for (size_t t = 0; t < EGC_N_TABLES; t++) {
        const egc_table_type *table = &egc_columns_tables[order[t]];
        for (size_t i = 0; i < table->n_columns && !failed; i++) {
            const egc_column *column = &table->columns[i];
            egc_metric *metric = &all[egc_index_add(&index, column->name, n)];
            if (metric == &all[n]) {
                *metric = (egc_metric){{column->name, column->help}, column->unit, table->file};
                items[n++] = &metric->item;
            } else {
                bool same = strcmp(column->help, metric->item.summary) == 0;
                metric->files =
                    egc_arena_printf(arena, "%s, %s%s%s%s", metric->files, table->file,
                                     same ? "" : " (", same ? "" : column->help, same ? "" : ")");
            }
            failed = !metric->files;
        }
    }
    egc_status status =
        failed ? egc_fail_memory(err, room * sizeof *all) : egc_index_check(&index, err);
    egc_index_fini(&index);
    *out = items;
    return status;
}

#define FACT(name, type, member)                                                                   \
    {                                                                                              \
        name, offsetof(type, member)                                                               \
    }

const egc_catalog_kind egc_catalog_kinds[] = {
    {"compressors", "compressor", NULL, compressors, .page = egc_pages_compressor},
    {"methods", "preset", "compressors", presets, .page = egc_pages_preset},
    {"workloads", "workload", NULL, workloads, .page = egc_pages_workload},
    {"models", "model", NULL, models, .page = egc_pages_model},
    {"models", "profile", NULL, profiles, .page = egc_pages_profile},
    {"datasets", "data set", NULL, datasets, .page = egc_pages_dataset},
    {"clusters", "cluster", NULL, clusters, .page = egc_pages_cluster},
    {"algorithms", "algorithm", NULL, algorithms, .page = egc_pages_algorithm},
    {"exchanges", "exchange", NULL, exchanges, .page = egc_pages_exchange},
    {"exchanges", "sparse exchange", NULL, sparse_exchanges, .page = egc_pages_sparse_exchange},
    {"codecs", "index codec", NULL, index_codecs,
     .facts = {FACT("size", egc_index_codec, size), FACT("reference", egc_index_codec, reference)}},
    {"codecs", "value codec", NULL, value_codecs,
     .facts = {FACT("size", egc_value_codec, size), FACT("reference", egc_value_codec, reference)}},
    {"memories", "memory", NULL, memories,
     .facts = {FACT("formula", egc_error_feedback_type, formula),
               FACT("reference", egc_error_feedback_type, reference)}},
    {"devices", "device", NULL, devices, .page = egc_pages_device},
    {"experiments", "options", NULL, experiments, .page = egc_pages_experiment},
    {"metrics", "metric", NULL, metrics,
     .facts = {FACT("unit", egc_metric, unit), FACT("files", egc_metric, files)}},
    {0},
};

egc_status egc_catalog_print(const egc_catalog_kind *kind, const egc_catalog_item *item,
                             egc_error *err)
{
    for (size_t i = 0; i < 2 && kind->facts[i].name; i++)
        egc_pages_fact(
            kind->facts[i].name,
            *(const char *const *)(const void *)((const char *)item + kind->facts[i].offset));
    return kind->page ? kind->page(item, err) : EGC_OK;
}

void egc_catalog_fini(egc_catalog *catalog)
{
    egc_devices_fini(&catalog->devices);
    egc_arena_fini(&catalog->arena);
}
