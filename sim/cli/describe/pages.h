/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `describe` prints about an item of each kind. */
#ifndef EGC_CLI_DESCRIBE_PAGES_H
#define EGC_CLI_DESCRIBE_PAGES_H

#include "cli/describe/catalog.h"
#include "experiment/spec/resolve.h"

egc_status egc_print_compressor(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_preset(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_workload(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_model(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_profile(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_dataset(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_cluster(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_chosen_cluster(const egc_cluster_choice *choice,
                                    egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_algorithm(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_exchange(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_sparse_exchange(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_index_codec(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_memory(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_value_codec(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_device(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_experiment(const egc_named *item, egc_error *err) EGC_MUST_CHECK;
egc_status egc_print_metric(const egc_named *item, egc_error *err) EGC_MUST_CHECK;

#endif
