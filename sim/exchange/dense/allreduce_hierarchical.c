/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-reduce of two levels, for ranks of which some are near each other: group G is the ranks
 * G g ... G g + g - 1, N = ceil(p / g) groups.
 *
 *     1. reduce-scatter round a ring in each group: each member has the group's sum of one g-th
 *     2. all-reduce of each part round a ring across the groups: g rings of N ranks at once
 *     3. all-gather round a ring in each group
 *
 * A link that the g members of a group share to reach others carries no more than with one rank a
 * group. When g does not divide p, the members of the last, smaller group have several of the g
 * parts each, and take part in their rings one after the other.
 *
 * A part is summed at one rank, in the order of the rings, and then copied: all ranks hold the same
 * bits. */
#include "exchange/groups.h"
#include "exchange/reduction.h"

/* The member that holds part `part` of `parts` after step 1. */
static int holder_of(int part, int size, int parts)
{
    return (egc_reduction_owner(part, size, parts) + size - 1) % size;
}

/* Step 2 of one part. */
static void reduce_across(egc_call *whole, const egc_groups *groups, int part)
{
    int g = groups->group, n_groups = groups->count;
    egc_slice slice = egc_reduction_slice(whole->n, part, part + 1, g);
    if (slice.count == 0)
        return;
    int first = holder_of(part, egc_groups_size(groups, 0), g);
    int last = (n_groups - 1) * g + holder_of(part, egc_groups_size(groups, n_groups - 1), g);
    egc_subgroup ring =
        egc_subgroup_spaced(whole->transport, first, g, last, n_groups, groups->mine.index);
    egc_call across = egc_call_on(whole, &ring.common);
    across.data +=
        whole->transport->size_only ? 0 : slice.first * egc_element_bytes(across.element);
    across.n = slice.count;
    egc_allreduce_ring_scatter(&across, n_groups);
    egc_allreduce_ring_gather(&across, n_groups);
    whole->status = across.status;
}

static void run(egc_call *call)
{
    egc_groups groups = egc_groups_of(call);
    egc_subgroup group = egc_groups_own(call->transport, &groups);
    egc_call inside = egc_call_on(call, &group.common);
    egc_allreduce_ring_scatter(&inside, groups.group);
    call->status = inside.status;
    for (int part = 0; part < groups.group; part++)
        if (holder_of(part, groups.mine.size, groups.group) == groups.mine.member)
            reduce_across(call, &groups, part);
    inside.status = call->status;
    egc_allreduce_ring_gather(&inside, groups.group);
    call->status = inside.status;
}

static double closed_form(int p, double n, const egc_exchange_network *network)
{
    int g = network->group, n_groups = p / g;
    double inside = 2 * (g - 1) * (network->local_alpha_s + n / g * network->local_beta_s);
    double across = 2 * (n_groups - 1) *
                    (network->alpha_s + n / g / n_groups * egc_groups_contended_beta(network));
    return inside + across + (p - 1.0) / p * n * network->gamma_s;
}

const egc_exchange_type egc_exchange_allreduce_hierarchical = {
    .name = "hierarchical",
    .summary = "all-reduce of two levels: rings in groups of near ranks, and across them",
    .cost = "N groups of g ranks (unless it is set, the largest divisor of p up to sqrt p): 2(g-1) "
            "(alpha' + n/g beta') + "
            "2(N-1) (alpha + n/(gN) beta) + (p-1)/p n gamma, alpha' and beta' in a group",
    .reference = "Jia et al., Highly scalable deep learning training system with mixed-precision, "
                 "2018, arXiv 1807.11205; as in Horovod and NCCL",
    .two_levels = true,
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .run = run,
    .closed_form = closed_form,
};
