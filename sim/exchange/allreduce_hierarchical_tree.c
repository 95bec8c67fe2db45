/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-reduce of two levels, of whole vectors: up a binomial tree in each group to its first rank,
 * the leader; recursive doubling between the leaders; and down the trees. Few steps, and on a link
 * that the members of a group share only one vector at a time: for short vectors. Groups are those
 * of hierarchical.c; the last may be smaller.
 *
 * Leaders hold the same bits (recursive_doubling.c), and the others get copies. */
#include "exchange/groups.h"
#include "exchange/reduction.h"

static egc_status reduce(egc_transport *transport, egc_element element, void *data, size_t n,
                         egc_exchange_scratch *scratch, egc_error *err)
{
    egc_groups groups = egc_groups_of(transport, scratch->group);
    egc_subgroup group = egc_groups_own(transport, &groups);
    egc_subgroup leaders =
        egc_subgroup_spaced(transport, 0, groups.group, (groups.count - 1) * groups.group,
                            groups.count, groups.mine.index);
    egc_reduction inside = {"hierarchical-tree", &group.common, element, data, n, scratch};
    egc_reduction across = {"hierarchical-tree", &leaders.common, element, data, n, scratch};
    if (n == 0)
        return EGC_OK;
    egc_status status = egc_allreduce_binomial_tree_reduce(&inside, err);
    if (!status && groups.mine.member == 0)
        status = egc_allreduce_recursive_doubling_run(&across, err);
    return status ? status : egc_allreduce_binomial_tree_broadcast(&inside, err);
}

static double grouped_form(int p, double n, const egc_exchange_network *network)
{
    int g = network->group, n_groups = (p + g - 1) / g;
    double message = network->local_alpha_s + n * network->local_beta_s;
    double inside = egc_ranks_ceil_log2(g) * (2 * message + n * network->gamma_s);
    double across = egc_allreduce_recursive_doubling_cost(n_groups, n, network->alpha_s,
                                                          network->beta_s, network->gamma_s);
    return n > 0 ? inside + across : 0;
}

static double closed_form(int p, double n, double alpha, double beta, double gamma)
{
    egc_exchange_network flat = egc_groups_flat_network(p, alpha, beta, gamma);
    return grouped_form(p, n, &flat);
}

const egc_exchange_type egc_exchange_allreduce_hierarchical_tree = {
    .name = "hierarchical-tree",
    .summary = "all-reduce of two levels: trees in groups of near ranks, doubling between leaders",
    .cost = "N groups of g ranks (unless it is set, the largest divisor of p up to sqrt p): "
            "ceil(log2 g) (2 alpha' + 2 n beta' + n gamma), alpha' and "
            "beta' in a group, and recursive-doubling of N ranks",
    .reference = "the SMP algorithms of MVAPICH and SimGrid (smp_rdb)",
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .reduce = reduce,
    .closed_form = closed_form,
    .grouped_form = grouped_form,
};
