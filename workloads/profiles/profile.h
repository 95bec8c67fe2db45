/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles of real models: the name, shape and work of each of their tensors of parameters, in
 * forward order. A profile is one file, named by one line of list.def.
 *
 * FLOPs are the multiplications and additions of convolutions and matrix products for one example,
 * twice as many backward as forward (the gradients of the weights, and of the input); the first
 * convolution needs no gradient of its input. Biases, normalisations, activations and pools are not
 * counted. Products that have no parameters of their own (of queries with keys, of attention with
 * values, and of the output with an embedding listed before) are charged to the tensor listed last
 * before them: backwards, its gradient is the next to be ready once they are done. */
#ifndef EGC_WORKLOADS_PROFILES_PROFILE_H
#define EGC_WORKLOADS_PROFILES_PROFILE_H

#include "workloads/workload.h"

/* The tensors of a profile while it is spelt out: counted first, then filled in. */
typedef struct egc_profile_list {
    egc_layer *layers; /* NULL while they are only counted */
    size_t n;
} egc_profile_list;

typedef struct egc_profile {
    const char *name;
    const char *summary;
    const char *reference;
    const char *example; /* what the FLOPs are of: "an image of 3 x 224 x 224" */
    int64_t batch;       /* examples of one worker in one step, where it was trained */
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

/* ---- spelling one out ----------------------------------------------------------------------- */

typedef struct egc_profile_shape {
    size_t dims[EGC_LAYER_DIMS]; /* unused ones are 0 */
} egc_profile_shape;

/* A tensor called name (a format and what fills it in). The product it takes part in has `flops`.
 */
void egc_profile_tensor(egc_profile_list *list, egc_profile_shape shape, double flops,
                        const char *name, ...) EGC_PRINTF(4, 5);

/* A product without parameters. */
void egc_profile_charge(egc_profile_list *list, double flops);

/* What convolutions and pools turn into another. */
typedef struct egc_profile_image {
    size_t channels, side;
} egc_profile_image;

typedef struct egc_profile_window {
    size_t width; /* channels that come out */
    size_t kernel, stride, padding;
    bool bias;
} egc_profile_window;

/* NAME.weight {width, channels, kernel, kernel}, and NAME.bias. */
void egc_profile_conv(egc_profile_list *list, const char *name, egc_profile_image *image,
                      const egc_profile_window *window);

void egc_profile_pool(egc_profile_image *image, size_t kernel, size_t stride);

/* NAME.weight and NAME.bias {width}. */
void egc_profile_norm(egc_profile_list *list, const char *name, size_t width);

/* NAME.weight {out, in} and NAME.bias {out}, for so many positions of an example. */
void egc_profile_linear(egc_profile_list *list, const char *name, size_t in, size_t out,
                        size_t positions);

#endif
