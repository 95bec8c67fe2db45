/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of layers, and a layer at its place in a network.
 *
 * A network is written as a list of egc_layer_spec (see train/nets.c). A kind of layer is one const
 * descriptor. First it infers shapes: those of its output and its parameters from that of its
 * input, without arithmetic. Then it appends its oneDNN primitives to a graph, forward in the order
 * of the list, backward in the opposite order. */
#ifndef EGC_WORKLOADS_TRAIN_LAYERS_LAYER_H
#define EGC_WORKLOADS_TRAIN_LAYERS_LAYER_H

#include "workloads/train/graph.h"
#include "workloads/workload.h"

/* Shape of one example: {channels, height, width} for images, {features} after a linear layer. */
typedef struct egc_shape {
    int rank;
    size_t dims[EGC_LAYER_DIMS];
} egc_shape;

typedef struct egc_layer_kind egc_layer_kind;

/* Width of the last layer of a network: one output for each class of the data set. */
#define EGC_WIDTH_CLASSES 0

/* Width chosen by the user, for embeddings and recurrent layers. */
#define EGC_WIDTH_CHOSEN SIZE_MAX

typedef struct egc_layer_spec {
    const egc_layer_kind *kind;
    const char *name; /* prefix of its parameters: "conv1" gives "conv1.weight" and "conv1.bias" */
    size_t width;     /* channels or features out */
    size_t kernel;    /* height and width of the window */
    size_t stride;    /* 0 is 1; windows of a pool never overlap */
    size_t padding;   /* zeros on each side */
    bool no_bias;     /* convolution: its outputs are normalised next */
    bool relu;        /* normalisation: max(., 0) in the same pass */
} egc_layer_spec;

/* One tensor of parameters: a range of the flat vector. */
typedef struct egc_parameter {
    egc_layer layer;   /* as the workload shows it */
    size_t first;      /* place in the flat vector */
    double start;      /* mean of the normal distribution of the initial values */
    double deviation;  /* its standard deviation; 0: every initial value is start */
    egc_tensor *value; /* attached to the parameters of a run */
    egc_tensor *grad;  /* attached to the gradient of a run */
} egc_parameter;

enum { EGC_NODE_PARAMETERS = 3 }; /* weight and bias; two weights and bias of an LSTM */

enum { EGC_NODE_STATES = 2 }; /* output and cell of an LSTM */

/* Settings of networks of words. Their batch is `sequence` steps of batch / sequence streams, and
 * step t of stream s is example t * streams + s. */
typedef struct egc_sequences {
    size_t sequence; /* 0 in networks of images */
    size_t words;    /* in the vocabulary */
    double dropout;  /* probability */
} egc_sequences;

/* Mean and variance of each channel of a normalisation's input: in training those of the last
 * batch, else those set by egc_network_set_moments. */
typedef struct egc_moments {
    egc_tensor *mean, *variance; /* NULL in other layers */
    size_t channels;
    size_t count; /* numbers of each channel in a batch */
} egc_moments;

/* A layer at its place in a network. */
typedef struct egc_node {
    egc_layer_spec spec; /* with every default filled in */
    size_t batch;
    bool needs_input_grad; /* false before the first parameters */
    bool feeds_relu;       /* a relu follows, directly or after a normalisation */
    egc_shape in, out;
    egc_sequences sequences;
    uint64_t place; /* index in the network: seeds the layer's random numbers */
    egc_parameter parameters[EGC_NODE_PARAMETERS];
    int n_parameters;
    egc_moments moments;
    struct egc_node *partner; /* a join's fork, a fork's join; NULL in other layers */

    egc_op *op; /* forward primitive, which oneDNN's backward descriptions refer to */
    egc_tensor *input, *output, *workspace;
    egc_tensor *state_in[EGC_NODE_STATES];  /* before the first step; NULL if not recurrent */
    egc_tensor *state_out[EGC_NODE_STATES]; /* after the last step */
    egc_tensor *output_grad;                /* set by the next layer */
    egc_tensor *input_grad;                 /* set by this layer if needed */
} egc_node;

struct egc_layer_kind {
    const char *name;
    /* Sets out and parameters. UNSUPPORTED when the input has the wrong shape. */
    egc_status (*infer_shapes)(egc_node *node, egc_error *err);
    /* Appends the primitives from input to output. Errors are kept by the graph. */
    void (*forward)(egc_node *node, egc_graph *graph);
    /* Appends those from output_grad to input_grad and the gradients of the parameters. */
    void (*backward)(egc_node *node, egc_graph *graph);
};

extern const egc_layer_kind egc_layer_conv;        /* square kernels */
extern const egc_layer_kind egc_layer_linear;      /* every input to every output, with bias */
extern const egc_layer_kind egc_layer_batch_norm;  /* mean 0 and variance 1 over a batch */
extern const egc_layer_kind egc_layer_max_pool;    /* square windows, side by side */
extern const egc_layer_kind egc_layer_global_pool; /* the mean of each channel */
extern const egc_layer_kind egc_layer_relu;        /* max(x, 0) */
extern const egc_layer_kind
    egc_layer_fork; /* start of a skip connection to the matching join; pairs nest */
extern const egc_layer_kind egc_layer_join;        /* adds the fork's input to its own */
extern const egc_layer_kind egc_layer_embedding;   /* the row of a table for each word */
extern const egc_layer_kind egc_layer_lstm;        /* long short-term memory, one layer */
extern const egc_layer_kind egc_layer_dropout;     /* zeroes at random in training */
extern const egc_layer_kind egc_layer_log_softmax; /* log-probabilities of classes */

/* Number of values in a shape. */
static inline size_t egc_shape_count(const egc_shape *shape)
{
    size_t count = 1;
    for (int i = 0; i < shape->rank; i++)
        count *= shape->dims[i];
    return count;
}

/* Gives node one more parameter, called "NAME.SUFFIX" after the layer, of this shape. FLOPs are of
 * one example. */
egc_parameter *egc_layer_add_parameter(egc_node *node, const char *suffix, const egc_shape *shape,
                                       double forward_flops, double backward_flops);

/* Makes the tensors of parameter i, value and gradient, with a row-major descriptor. */
void egc_layer_add_tensors(egc_node *node, egc_graph *graph, int i, const dnnl_memory_desc_t *desc);

/* UNSUPPORTED unless the input is {channels, height, width}. */
egc_status egc_layer_check_image(const egc_node *node, egc_error *err) EGC_MUST_CHECK;

/* UNSUPPORTED unless the input is {channels, height, width} and a window fits into it. */
egc_status egc_layer_check_window(const egc_node *node, size_t padding,
                                  egc_error *err) EGC_MUST_CHECK;

/* infer_shapes of layers without parameters whose output has the shape of the input. */
egc_status egc_layer_keep_shape(egc_node *node, egc_error *err);

/* The row-major descriptor of a batch of examples of this shape. */
dnnl_memory_desc_t egc_layer_desc(const egc_node *node, egc_graph *graph, const egc_shape *shape);

#endif
