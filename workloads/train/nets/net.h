/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks by name. A network is one list of layers in one file, named by one line of list.def. */
#ifndef EGC_WORKLOADS_TRAIN_NETS_NET_H
#define EGC_WORKLOADS_TRAIN_NETS_NET_H

#include "workloads/train/layers/layer.h"

typedef struct egc_net {
    const char *name;
    const char *summary;
    const char *reference;
    const egc_layer_spec *layers; /* ends with a zeroed one */
    const char *usual_dataset;    /* on which its page counts its parameters */
    bool reads_text;              /* it predicts the next word of a text; else it sees images */
} egc_net;

/* Every registered network, NULL-terminated, in the order of list.def, and their names alike. */
const egc_net *const *egc_nets(void);
extern const char *const egc_nets_names[];

#endif
