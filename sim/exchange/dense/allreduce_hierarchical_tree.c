/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-reduce of two levels, of whole vectors: up a binomial tree in each group to its first rank,
 * the leader; recursive doubling between the leaders; and down the trees. Few steps, and on a link
 * that the members of a group share only one vector at a time: for short vectors. Groups are those
 * of hierarchical.c; the last may be smaller.
 *
 * Leaders hold the same bits (recursive_doubling.c), and the others get copies. */
#include "exchange/groups.h"
#include "exchange/reduction.h"

static void run(egc_call *call)
{
    egc_groups groups = egc_groups_of(call);
    egc_subgroup group = egc_groups_own(call->transport, &groups);
    egc_subgroup leaders =
        egc_subgroup_spaced(call->transport, 0, groups.group, (groups.count - 1) * groups.group,
                            groups.count, groups.mine.index);
    egc_call inside = egc_call_on(call, &group.common);
    egc_allreduce_binomial_tree_reduce(&inside);
    if (groups.mine.member == 0) {
        egc_call across = egc_call_on(&inside, &leaders.common);
        egc_allreduce_recursive_doubling_run(&across);
        inside.status = across.status;
    }
    egc_allreduce_binomial_tree_broadcast(&inside);
    call->status = inside.status;
}

static double closed_form(int p, double n, const egc_exchange_network *network)
{
    int g = network->group, n_groups = (p + g - 1) / g;
    double message = network->local_alpha_s + n * network->local_beta_s;
    double inside = egc_ranks_ceil_log2(g) * (2 * message + n * network->gamma_s);
    double across = egc_allreduce_recursive_doubling_cost(n_groups, n, network->alpha_s,
                                                          network->beta_s, network->gamma_s);
    return inside + across;
}

const egc_exchange_type egc_exchange_allreduce_hierarchical_tree = {
    .name = "hierarchical-tree",
    .summary = "all-reduce of two levels: trees in groups of near ranks, doubling between leaders",
    .cost = "N groups of g ranks (unless it is set, the largest divisor of p up to sqrt p): "
            "ceil(log2 g) (2 alpha' + 2 n beta' + n gamma), alpha' and "
            "beta' in a group, and recursive-doubling of N ranks",
    .reference = "the SMP algorithms of MVAPICH and SimGrid (smp_rdb)",
    .two_levels = true,
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .run = run,
    .closed_form = closed_form,
};
