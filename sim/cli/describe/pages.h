/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `describe` prints about an item of each kind. */
#ifndef EGC_CLI_DESCRIBE_PAGES_H
#define EGC_CLI_DESCRIBE_PAGES_H

#include "cli/describe/catalog.h"
#include "experiment/spec/resolve.h"

egc_status egc_pages_compressor(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_preset(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_workload(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_model(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_profile(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_dataset(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_cluster(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_chosen_cluster(const egc_cluster_choice *choice,
                                    egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_algorithm(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_exchange(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_sparse_exchange(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_index_codec(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_error_feedback(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_value_codec(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_device(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_experiment(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_pages_metric(const egc_catalog_item *item, egc_error *err) EGC_MUST_CHECK;

#endif
