/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Groups are intervals of ranks, since workers of a node have consecutive ranks. */
#include "exchange/groups.h"

int egc_groups_choose(int p, int requested)
{
    if (requested > 0)
        return requested < p ? requested : p;
    int group = 1;
    for (int divisor = 2; divisor <= p / divisor; divisor++)
        if (p % divisor == 0)
            group = divisor;
    return group;
}

int egc_groups_size(const egc_groups *groups, int index)
{
    int left = groups->p - index * groups->group;
    return left < groups->group ? left : groups->group;
}

egc_groups egc_groups_of(const egc_call *call)
{
    egc_groups groups = {.p = call->p, .group = egc_groups_choose(call->p, call->scratch->group)};
    groups.count = (groups.p + groups.group - 1) / groups.group;
    groups.mine.index = call->rank / groups.group;
    groups.mine.member = call->rank % groups.group;
    groups.mine.size = egc_groups_size(&groups, groups.mine.index);
    return groups;
}

egc_subgroup egc_groups_own(egc_transport *whole, const egc_groups *groups)
{
    int first = groups->mine.index * groups->group, size = groups->mine.size;
    return egc_subgroup_spaced(whole, first, 1, first + size - 1, size, groups->mine.member);
}

double egc_groups_contended_beta(const egc_exchange_network *network)
{
    return network->contended_beta_s > 0 ? network->contended_beta_s : network->beta_s;
}
