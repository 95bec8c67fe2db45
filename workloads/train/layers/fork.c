/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a skip connection starts: what comes in goes on to the next layer, and also to the matching
 * join. Nothing moves on the way forward; on the way back two gradients meet. */
#include "workloads/train/layers/join.h"

static egc_status plan(egc_node *node, egc_error *err)
{
    (void)err;
    node->out = node->in;
    return EGC_OK;
}

static egc_status forward(egc_node *node, egc_graph *graph, egc_error *err)
{
    (void)graph, (void)err;
    node->input->kept = true;
    node->output = node->input;
    return EGC_OK;
}

static egc_status backward(egc_node *node, egc_graph *graph, egc_error *err)
{
    egc_status status =
        egc_graph_own(graph, EGC_PHASE_BACKWARD, node->output_grad, &node->input_grad, err);
    if (status)
        return status;
    return egc_join_return(node->partner, graph, node->input_grad, err);
}

const egc_layer_kind egc_layer_fork = {
    .name = "fork",
    .plan = plan,
    .forward = forward,
    .backward = backward,
};
