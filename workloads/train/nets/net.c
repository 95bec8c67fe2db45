/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "workloads/train/nets/net.h"

#define EGC_NET(name) extern const egc_net egc_net_##name;
#include "workloads/train/nets/list.def"
#undef EGC_NET

static const egc_net *const nets[] = {
#define EGC_NET(name) &egc_net_##name,
#include "workloads/train/nets/list.def"
#undef EGC_NET
    NULL,
};

const char *const egc_nets_names[] = {
#define EGC_NET(name) #name,
#include "workloads/train/nets/list.def"
#undef EGC_NET
    NULL,
};

const egc_net *const *egc_nets(void)
{
    return nets;
}
