/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a kind of layer is.
 *
 * A network is written as a list of egc_layer_spec (see nets/). A kind of layer is one const
 * descriptor in one file. It plans first: from the shape of its input follow the shape of its
 * output and of its parameters, without any arithmetic. Then it appends its oneDNN primitives to a
 * graph, forward in the order of the list, backward in the opposite order. */
#ifndef EGC_WORKLOADS_TRAIN_LAYERS_LAYER_H
#define EGC_WORKLOADS_TRAIN_LAYERS_LAYER_H

#include "workloads/train/graph.h"
#include "workloads/workload.h"

/* The shape of one example; {channels, height, width} for images, {features} after a linear
 * layer. */
typedef struct egc_shape {
    int rank;
    size_t dims[EGC_LAYER_DIMS];
} egc_shape;

typedef struct egc_layer_kind egc_layer_kind;

/* The width of the last layer of a network: one output for each class of the data set. */
#define EGC_WIDTH_CLASSES 0

/* The width that the user chose for embeddings and recurrent layers. */
#define EGC_WIDTH_CHOSEN SIZE_MAX

typedef struct egc_layer_spec {
    const egc_layer_kind *kind;
    const char *name; /* of its parameters: "conv1" gives "conv1.weight" and "conv1.bias" */
    size_t width;     /* channels or features out */
    size_t kernel;    /* height and width of the window */
    size_t stride;    /* 0 is 1; windows of a pool never overlap */
    size_t padding;   /* zeros on each side */
    bool no_bias;     /* of a convolution whose outputs are normalised next */
    bool relu;        /* of a normalisation: max(., 0) in the same pass */
} egc_layer_spec;

/* One tensor of parameters: a range of the flat vector. */
typedef struct egc_parameter {
    egc_layer layer;   /* as the workload shows it */
    size_t first;      /* place in the flat vector */
    double start;      /* mean of the normal distribution it starts from */
    double deviation;  /* of that distribution; 0: every number is start */
    egc_tensor *value; /* attached to the parameters of a run */
    egc_tensor *grad;  /* attached to the gradient of a run */
} egc_parameter;

enum { EGC_NODE_PARAMETERS = 3 }; /* weight and bias; two weights and bias of an LSTM */

enum { EGC_NODE_STATES = 2 }; /* of an LSTM: output and cell */

/* What networks of words have besides. A batch of them is `sequence` steps of batch / sequence
 * streams, and step t of stream s is example t * streams + s. */
typedef struct egc_sequences {
    size_t sequence; /* 0 in networks of images */
    size_t words;    /* in the vocabulary */
    double dropout;  /* probability */
} egc_sequences;

/* What a normalisation knows of its input, by channel: in training the last batch's mean and
 * variance, else those it is given. */
typedef struct egc_moments {
    egc_tensor *mean, *variance; /* NULL in other layers */
    size_t channels;
    size_t count; /* numbers of each channel in a batch */
} egc_moments;

/* A layer at its place in a network. */
typedef struct egc_node {
    egc_layer_spec spec; /* with every default filled in */
    size_t batch;
    bool needs_input_grad; /* false in front of the first parameters */
    bool feeds_relu;       /* a relu comes directly behind, or after a normalisation */
    egc_shape in, out;
    egc_sequences sequences;
    uint64_t place; /* in the network: tells apart what layers draw */
    egc_parameter parameters[EGC_NODE_PARAMETERS];
    int n_parameters;
    egc_moments moments;
    struct egc_node *partner; /* of a join, its fork, and the other way round; NULL elsewhere */

    egc_op *op; /* of the forward pass: the hint of the backward pass */
    egc_tensor *input, *output, *workspace;
    egc_tensor *state_in[EGC_NODE_STATES];  /* of the first step, and behind the last; NULL in */
    egc_tensor *state_out[EGC_NODE_STATES]; /* layers without memory */
    egc_tensor *output_grad;                /* set by the layer behind */
    egc_tensor *input_grad;                 /* set by this one if needed */
} egc_node;

struct egc_layer_kind {
    const char *name;
    /* Sets out and parameters. UNSUPPORTED when the input has the wrong shape. */
    egc_status (*plan)(egc_node *node, egc_error *err);
    /* From input to output. */
    egc_status (*forward)(egc_node *node, egc_graph *graph, egc_error *err);
    /* From output_grad to input_grad and the gradients of the parameters. */
    egc_status (*backward)(egc_node *node, egc_graph *graph, egc_error *err);
};

extern const egc_layer_kind egc_layer_conv;        /* square kernels */
extern const egc_layer_kind egc_layer_linear;      /* every input to every output, with bias */
extern const egc_layer_kind egc_layer_batch_norm;  /* mean 0 and variance 1 over a batch */
extern const egc_layer_kind egc_layer_max_pool;    /* square windows, side by side */
extern const egc_layer_kind egc_layer_global_pool; /* the mean of each channel */
extern const egc_layer_kind egc_layer_relu;        /* max(x, 0) */
extern const egc_layer_kind egc_layer_fork;        /* its input also skips to the matching join, */
extern const egc_layer_kind egc_layer_join;        /* which adds it to its own; they nest */
extern const egc_layer_kind egc_layer_embedding;   /* the row of a table for each word */
extern const egc_layer_kind egc_layer_lstm;        /* long short-term memory, one layer */
extern const egc_layer_kind egc_layer_dropout;     /* zeroes at random in training */
extern const egc_layer_kind egc_layer_log_softmax; /* log-probabilities of classes */

size_t egc_shape_count(const egc_shape *shape);

/* Gives node one more parameter, called "NAME.SUFFIX" after the layer, of this shape. FLOPs are of
 * one example. */
egc_parameter *egc_layer_add_parameter(egc_node *node, const char *suffix, const egc_shape *shape,
                                      double forward_flops, double backward_flops);

/* UNSUPPORTED unless the input is {channels, height, width} and a window fits into it. */
egc_status egc_layer_check_window(const egc_node *node, size_t padding,
                                 egc_error *err) EGC_MUST_CHECK;

/* The row-major descriptor of a batch of examples. */
egc_status egc_layer_desc(const egc_node *node, const egc_shape *shape, dnnl_memory_desc_t *out,
                         egc_error *err) EGC_MUST_CHECK;

#endif
