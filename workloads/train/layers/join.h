/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a fork needs of its join. */
#ifndef EGC_WORKLOADS_TRAIN_LAYERS_JOIN_H
#define EGC_WORKLOADS_TRAIN_LAYERS_JOIN_H

#include "workloads/train/layers/layer.h"

/* Adds the gradient that comes back through the skip connection to grad, the fork's. */
egc_status egc_join_return(const egc_node *join, egc_graph *graph, egc_tensor *grad,
                           egc_error *err) EGC_MUST_CHECK;

#endif
