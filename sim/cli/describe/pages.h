/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pages of `egc-sim describe`: each function prints to stdout everything about an item beyond
 * its name and summary. Errors are those of the parts described; MEMORY. */
#ifndef EGC_CLI_DESCRIBE_PAGES_H
#define EGC_CLI_DESCRIBE_PAGES_H

#include "base/error.h"
#include "experiment/spec/resolve.h"

/* The first members of every registered descriptor. */
typedef struct egc_catalog_item {
    const char *name;
    const char *summary;
} egc_catalog_item;

/* A column of the results files. */
typedef struct egc_metric {
    egc_catalog_item item;
    const char *unit;
    const char *files; /* "runs.csv, steps.csv" */
} egc_metric;

/* Prints "  NAME  TEXT" in two aligned columns, and nothing if text is NULL or empty. */
void egc_pages_fact(const char *name, const char *text);

egc_status egc_pages_compressor(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_preset(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_workload(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_model(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_profile(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_dataset(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_cluster(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_algorithm(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_exchange(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_sparse_exchange(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_device(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_experiment(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;

/* The page of a cluster with the parameters of choice instead of the defaults. */
egc_status egc_pages_chosen_cluster(const egc_cluster_choice *choice,
                                    egc_error *err) EGC_MUST_CHECK;

#endif
