/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks by name: each is a list of layers in nets.c. */
#ifndef EGC_WORKLOADS_TRAIN_NETS_H
#define EGC_WORKLOADS_TRAIN_NETS_H

#include "workloads/train/layers/layer.h"

typedef struct egc_net {
    const char *name;
    const char *summary;
    const char *reference;
    const egc_layer_spec *layers; /* ends with a zeroed one */
    const char *usual_dataset;    /* the data set for which its parameters are counted */
    bool reads_text;              /* it predicts the next word of a text; else it sees images */
} egc_net;

/* Every network, NULL-terminated, and their names in the same order. */
const egc_net *const *egc_nets(void);
extern const char *const egc_nets_names[];

#endif
