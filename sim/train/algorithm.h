/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A training algorithm: when workers compute gradients, which ranks exchange messages, and how
 * parameters are updated.
 *
 * An algorithm is one const descriptor in a file of its own folder, named by one line of list.def.
 * Workers are ranks 0, 1, ...; servers are the ranks after them. */
#ifndef EGC_TRAIN_ALGORITHM_H
#define EGC_TRAIN_ALGORITHM_H

#include "train/config.h"

typedef struct egc_algorithm_type {
    const char *name;
    const char *summary;
    const char *reference;

    const egc_param *params;
    size_t params_size;

    /* True if training depends only on options that are not about time, so that points that differ
     * in nothing else share one training (sync/engine/training_log.h). */
    bool timeless;

    /* True when no worker ever sends a message before the last one has arrived. */
    bool one_message_each;

    /* All workers exchange a bucket at once, so that bucket = "merge" can be planned. */
    bool merges;

    bool drops; /* can go on without workers that are lost: on_failure = "drop" */

    /* The number of ranks besides the workers; NULL: none. Servers take the first hosts and workers
     * the hosts after them; if `colocated` is true, server s is on the host of worker s. */
    size_t (*servers)(const egc_train_config *config);
    bool (*colocated)(const egc_train_config *config);

    /* Refuses configurations that cannot run; the message starts with the key at fault. NULL:
     * accepts all. */
    egc_status (*check)(const egc_train_config *config, egc_error *err);

    /* Trains. egc_train_run_check found nothing; *out is ready to be filled in. */
    egc_status (*run)(const egc_train_config *config, const egc_train_sink *sink,
                      egc_train_summary *out, egc_error *err);
} egc_algorithm_type;

/* Every registered type, NULL-terminated, in the order of algorithms/list.def. The first is the
 * default. */
const egc_algorithm_type *const *egc_algorithm_types(void);

/* The type called name. NAME, listing the valid ones. */
egc_status egc_algorithm_find(const char *name, const egc_algorithm_type **out,
                              egc_error *err) EGC_MUST_CHECK;

/* The one of config, the default where it names none. */
const egc_algorithm_type *egc_algorithm_of(const egc_train_config *config);

/* Workers and servers. */
size_t egc_algorithm_ranks(const egc_train_config *config);

/* The hosts they need. */
size_t egc_algorithm_hosts(const egc_train_config *config);

/* Fills seats[0..ranks) with the host of each rank. */
void egc_algorithm_seat(const egc_train_config *config, int *seats);

/* The world that the algorithm's ranks run in; size_only: see egc_transport. *out is the caller's,
 * to be given to egc_world_free. Errors of egc_world_new. */
egc_status egc_algorithm_world(const egc_train_config *config, bool size_only, egc_world **out,
                               egc_error *err) EGC_MUST_CHECK;

#endif
