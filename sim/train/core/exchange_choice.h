/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice of an exchange for each round of a method.
 *
 * "auto" takes for each round the exchange of its kind that the closed forms predict to be fastest
 * (egc_tuning_cheapest), as tuned libraries choose from tables. The choice follows from the
 * configuration alone, before the model is known, so that it can be part of a run's identity. It
 * assumes:
 *
 *     network       the paths that the cluster states (egc_cluster_paths_of); the other network
 *                   models of SimGrid and other traffic are ignored
 *     summing       the time that the cost model charges per byte, without launches
 *     all-reduce    a vector as long as a bucket, or of 25 MiB if the option is a word
 *     all-gather    as many of these bytes as the method's density says, each element with an
 * index; a density of 1 % if the method has none broadcast     the indices of as many elements
 *     all-to-all    as all-gather
 *
 * Exchanges that sum sparse messages (exchange/sparse.h) are used by name only. */
#ifndef EGC_TRAIN_CORE_EXCHANGE_CHOICE_H
#define EGC_TRAIN_CORE_EXCHANGE_CHOICE_H

#include "compressors/core/merger.h"
#include "compressors/core/round_plan.h"
#include "train/config.h"

typedef struct egc_exchange_choice {
    size_t n_rounds;
    egc_round round[EGC_ROUNDS_MAX + 1];
    const egc_exchange_type *exchange[EGC_ROUNDS_MAX + 1];
    const egc_sparse_type *sparse; /* for the only round, and exchange[0] is NULL; or NULL */
    egc_merge_rule merge;          /* if sparse */
    int group;                     /* local ranks: egc_exchange_scratch.group */
    double host_Bps;               /* no host sends or receives faster */
} egc_exchange_choice;

/* Finds an exchange by name, dense or sparse; the other is set to NULL. NAME, listing all. */
egc_status egc_exchange_choice_find(const char *name, const egc_exchange_type **exchange,
                                    const egc_sparse_type **sparse, egc_error *err) EGC_MUST_CHECK;

/* The exchange in the words of an experiment: "auto" or a name. */
const char *egc_exchange_choice_asked(const egc_train_config *config);

/* Chooses the exchange that config names for every round it can carry, and that of "auto" for the
 * others. UNSUPPORTED if it can carry none, or if sampled_workers excludes the method's rounds or
 * the sparse sums. */
egc_status egc_exchange_choice_init(egc_exchange_choice *choice, const egc_train_config *config,
                                    egc_error *err) EGC_MUST_CHECK;

/* Writes the names of the exchanges in the order of rounds, "broadcast-tree+ring"; one name for
 * consecutive rounds with the same exchange. */
void egc_exchange_choice_name(const egc_exchange_choice *choice,
                              char name[EGC_EXCHANGE_CHOICE_NAME]);

/* Writes the names of the exchanges that sum, each with the size of its groups if it has two
 * levels, and "any" for the others: sums depend on the order of additions. */
void egc_exchange_choice_sums(const egc_exchange_choice *choice,
                              char name[EGC_EXCHANGE_CHOICE_NAME]);

/* True if an exchange of this kind can carry the round. */
bool egc_exchange_choice_fits(egc_collective kind, const egc_round *round);

/* The elements that a sparse exchange keeps of sums. */
egc_merge_rule egc_exchange_choice_merge(const egc_sparse_type *type);

#endif
