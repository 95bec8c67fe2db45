/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a training algorithm is: who computes gradients when, who talks to whom, and whose
 * parameters are updated with what.
 *
 * An algorithm is one const descriptor in one file of algorithms/, named by one line of its
 * list.def. Workers are ranks 0, 1, ...; servers, where it has any, are the ranks after them. */
#ifndef EGC_TRAIN_ALGORITHM_H
#define EGC_TRAIN_ALGORITHM_H

#include "train/config.h"

typedef struct egc_algorithm_type {
    const char *name;
    const char *summary;
    const char *reference;

    const egc_param *params;
    size_t params_size;

    /* True when what is learnt depends on nothing that only changes how long things take, so that
     * points that differ only in that train once (learning.h). */
    bool timeless;

    /* True when no worker ever sends a message before the last one has arrived. */
    bool one_message_each;

    /* All workers exchange a bucket at once, so that bucket = "merge" can be planned. */
    bool merges;

    bool drops; /* can go on without workers that are lost: on_failure = "drop" */

    /* Ranks besides the workers. NULL: none. They sit on the first hosts and the workers on those
     * after them; or, where `colocated` says so, server s on the host of worker s. */
    size_t (*servers)(const egc_train_config *config);
    bool (*colocated)(const egc_train_config *config);

    /* What can be known before running; the message starts with the key at fault. NULL: nothing. */
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

/* Where each rank sits: fills seats[0..ranks). */
void egc_algorithm_seat(const egc_train_config *config, int *seats);

/* The world that the algorithm's ranks run in; size_only: see egc_transport. *out is the caller's,
 * to be given to egc_world_free. Errors of egc_world_new. */
egc_status egc_algorithm_world(const egc_train_config *config, bool size_only, egc_world **out,
                               egc_error *err) EGC_MUST_CHECK;

#endif
