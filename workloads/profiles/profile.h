/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles of real models: name, shape and FLOPs of each tensor of parameters, in forward order. A
 * profile is one file, named by one line of list.def.
 *
 * FLOPs are the multiplications and additions of convolutions and matrix products for one example,
 * twice as many backward as forward (the gradients of the weights and of the input); the first
 * convolution needs no gradient of its input. Biases, normalisations, activations and pools are not
 * counted. Products without parameters (queries with keys, attention with values, and the output
 * with an embedding listed before) are charged to the tensor listed last before them: backward, its
 * gradient is the next to be ready once they are done. */
#ifndef EGC_WORKLOADS_PROFILES_PROFILE_H
#define EGC_WORKLOADS_PROFILES_PROFILE_H

#include "workloads/workload.h"

/* Tensors of a profile under construction: counted in a first pass, filled in by a second. */
typedef struct egc_profile_list {
    egc_layer *layers; /* NULL in the first pass */
    size_t n;
    char scope[EGC_LAYER_NAME]; /* prefix of the names: "layer1.0.", or "" */
} egc_profile_list;

typedef struct egc_profile {
    const char *name;
    const char *summary;
    const char *reference;
    const char *example; /* unit of the FLOPs: "an image of 3 x 224 x 224" */
    int64_t batch;       /* examples per worker and step in the referenced training */
    const char *batch_reference;
    void (*list)(egc_profile_list *list);
} egc_profile;

/* Every registered profile, NULL-terminated, in the order of list.def. */
const egc_profile *const *egc_profile_all(void);

/* The profile called name. NAME, listing the valid ones. */
egc_status egc_profile_find(const char *name, const egc_profile **out,
                            egc_error *err) EGC_MUST_CHECK;

/* The layers of `batch` examples, to be freed with egc_free. MEMORY. */
egc_status egc_profile_layers(const egc_profile *profile, int64_t batch, egc_layer **out, size_t *n,
                              egc_error *err) EGC_MUST_CHECK;

/* ---- functions for writing profiles ---------------------------------------------------------- */

typedef struct egc_profile_shape {
    size_t dims[EGC_LAYER_DIMS]; /* unused ones are 0 */
} egc_profile_shape;

/* Begins and ends a scope: a printf-style prefix of the names of the following tensors. */
void egc_profile_scope(egc_profile_list *list, const char *format, ...) EGC_PRINTF(2, 3);

static inline void egc_profile_scope_end(egc_profile_list *list)
{
    list->scope[0] = '\0';
}

/* Adds a tensor with a printf-style name. `flops` is the cost of its product for one example,
 * forward. */
void egc_profile_tensor(egc_profile_list *list, egc_profile_shape shape, double flops,
                        const char *name, ...) EGC_PRINTF(4, 5);

/* Adds the cost of a product without parameters. */
void egc_profile_charge(egc_profile_list *list, double flops);

/* Shape of an image between convolutions and pools. */
typedef struct egc_profile_image {
    size_t channels, side;
} egc_profile_image;

typedef struct egc_profile_window {
    size_t width; /* output channels */
    size_t kernel, stride, padding;
    bool bias;
} egc_profile_window;

/* Adds NAME.weight {width, channels, kernel, kernel}, and NAME.bias if wanted; updates image. */
void egc_profile_conv(egc_profile_list *list, const char *name, egc_profile_image *image,
                      const egc_profile_window *window);

void egc_profile_pool(egc_profile_image *image, size_t kernel, size_t stride);

/* Adds NAME.weight and NAME.bias {width}. */
void egc_profile_norm(egc_profile_list *list, const char *name, size_t width);

/* Adds NAME.weight {out, in} and NAME.bias {out}, applied at `positions` places of an example. */
void egc_profile_linear(egc_profile_list *list, const char *name, size_t in, size_t out,
                        size_t positions);

#endif
