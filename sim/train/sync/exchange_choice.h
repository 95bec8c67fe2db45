/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which exchange carries each round of a method.
 *
 * "auto" takes for each round the exchange of its kind that should be fastest by the closed forms
 * (egc_tuning_cheapest), as tuned libraries choose from tables. It is decided before the model is
 * known, from the configuration alone, so that runs can be told apart by it. What is assumed:
 *
 *     the network   what the cluster says of itself while idle (egc_cluster_paths_of): SimGrid's
 *                   other models, and other traffic, are not looked at
 *     summing       a byte takes what the cost model charges the device, launches left out
 *     dense sums    a vector as long as a bucket, or of 25 MiB where the option is a word
 *     gathered      as many of these bytes as the method's ratio says, each element with an index;
 *                   one in a hundred where it has no ratio
 *     broadcast,    indices of as many
 *     scattered     as gathered
 *
 * Exchanges that sum sparse messages (exchange/sparse.h) are used by name only. */
#ifndef EGC_TRAIN_SYNC_EXCHANGE_CHOICE_H
#define EGC_TRAIN_SYNC_EXCHANGE_CHOICE_H

#include "compressors/core/merger.h"
#include "compressors/core/round_plan.h"
#include "train/config.h"

typedef struct egc_exchange_choice {
    size_t n_rounds;
    egc_round round[EGC_ROUNDS_MAX + 1];
    const egc_exchange_type *exchange[EGC_ROUNDS_MAX + 1];
    const egc_sparse_type *sparse; /* carries the only round, and exchange[0] is NULL; or NULL */
    egc_merge_rule merge;          /* of sparse */
    int group;                     /* near ranks: egc_exchange_scratch.group */
    double host_Bps;               /* what no host can send, or receive, more of */
} egc_exchange_choice;

/* The exchange called name, of either sort; the other is NULL. NAME, listing all. */
egc_status egc_exchange_choice_find(const char *name, const egc_exchange_type **exchange,
                                    const egc_sparse_type **sparse, egc_error *err) EGC_MUST_CHECK;

/* What config asks for, as experiments write it: "auto" or a name. */
const char *egc_exchange_choice_asked(const egc_train_config *config);

/* The exchange that config names carries every round it can, the one that "auto" takes the others.
 * UNSUPPORTED when it can carry none, and when the method's rounds or sums of sparse messages do
 * not go with sampled_workers. */
egc_status egc_exchange_choice_init(egc_exchange_choice *choice, const egc_train_config *config,
                                    egc_error *err) EGC_MUST_CHECK;

/* The names of the exchanges in the order of rounds, "broadcast-tree+ring"; once when they are all
 * the same. */
void egc_exchange_choice_name(const egc_exchange_choice *choice,
                              char name[EGC_EXCHANGE_CHOICE_NAME]);

/* The same of those that sum, in whose order of additions results differ, with the size of groups
 * where they have two levels; "any" for others. */
void egc_exchange_choice_sums(const egc_exchange_choice *choice,
                              char name[EGC_EXCHANGE_CHOICE_NAME]);

/* Whether an exchange of this kind can carry the round. */
bool egc_exchange_choice_fits(egc_collective kind, const egc_round *round);

/* What a sparse exchange keeps of sums. */
egc_merge_rule egc_exchange_choice_merge(const egc_sparse_type *type);

#endif
