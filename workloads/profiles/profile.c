/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of profiles, made from list.def, and the helpers that profiles are written with. A
 * profile runs twice: once to count its tensors, once to fill them in. */
#include "workloads/profiles/profile.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/registry.h"

#define EGC_PROFILE(name) extern const egc_profile egc_profile_##name;
#include "workloads/profiles/list.def"
#undef EGC_PROFILE

static const egc_profile *const profiles[] = {
#define EGC_PROFILE(name) &egc_profile_##name,
#include "workloads/profiles/list.def"
#undef EGC_PROFILE
    NULL,
};

const egc_profile *const *egc_profile_all(void)
{
    return profiles;
}

egc_status egc_profile_find(const char *name, const egc_profile **out, egc_error *err)
{
    return egc_registry_find("model", name, (const void *const *)profiles, out, err);
}

egc_status egc_profile_layers(const egc_profile *profile, int64_t batch, egc_layer **out, size_t *n,
                              egc_error *err)
{
    egc_profile_list list = {0};
    profile->list(&list);
    list.layers = egc_calloc(list.n, sizeof *list.layers);
    if (!list.layers)
        return egc_fail_memory(err, list.n * sizeof *list.layers);
    list.n = 0;
    egc_profile_scope_end(&list);
    profile->list(&list);
    for (size_t i = 0; i < list.n; i++) {
        list.layers[i].forward_flops *= (double)batch;
        list.layers[i].backward_flops *= (double)batch;
    }
    *out = list.layers;
    *n = list.n;
    return EGC_OK;
}

/* ---- functions for writing profiles ---------------------------------------------------------- */

void egc_profile_scope(egc_profile_list *list, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(list->scope, sizeof list->scope, format, arguments);
    va_end(arguments);
}

void egc_profile_tensor(egc_profile_list *list, egc_profile_shape shape, double flops,
                        const char *name, ...)
{
    bool is_first = list->n == 0;
    egc_layer *layer = list->layers ? &list->layers[list->n] : NULL;
    list->n++;
    if (!layer)
        return;
    va_list arguments;
    va_start(arguments, name);
    int length = snprintf(layer->name, sizeof layer->name, "%s", list->scope);
    vsnprintf(layer->name + length, sizeof layer->name - (size_t)length, name, arguments);
    va_end(arguments);
    layer->count = 1;
    for (size_t d = 0; d < EGC_LAYER_DIMS && shape.dims[d]; d++)
        layer->count *= layer->shape[d] = shape.dims[d];
    layer->forward_flops = flops;
    layer->backward_flops = is_first ? flops : 2 * flops;
    layer->forward_s = layer->backward_s = NAN;
}

void egc_profile_charge(egc_profile_list *list, double flops)
{
    if (!list->layers)
        return;
    list->layers[list->n - 1].forward_flops += flops;
    list->layers[list->n - 1].backward_flops += 2 * flops;
}

static size_t side_after(size_t side, size_t kernel, size_t stride, size_t padding)
{
    return (side + 2 * padding - kernel) / stride + 1;
}

void egc_profile_conv(egc_profile_list *list, const char *name, egc_profile_image *image,
                      const egc_profile_window *w)
{
    egc_profile_shape weight = {{w->width, image->channels, w->kernel, w->kernel}};
    double products = (double)(w->width * image->channels * w->kernel * w->kernel);
    image->side = side_after(image->side, w->kernel, w->stride, w->padding);
    image->channels = w->width;
    double positions = (double)(image->side * image->side);
    egc_profile_tensor(list, weight, 2 * products * positions, "%s.weight", name);
    if (w->bias)
        egc_profile_tensor(list, (egc_profile_shape){{w->width}}, 0, "%s.bias", name);
}

void egc_profile_pool(egc_profile_image *image, size_t kernel, size_t stride)
{
    image->side = side_after(image->side, kernel, stride, 0);
}

void egc_profile_norm(egc_profile_list *list, const char *name, size_t width)
{
    egc_profile_shape shape = {{width}};
    egc_profile_tensor(list, shape, 0, "%s.weight", name);
    egc_profile_tensor(list, shape, 0, "%s.bias", name);
}

void egc_profile_linear(egc_profile_list *list, const char *name, size_t in, size_t out,
                        size_t positions)
{
    double flops = 2 * (double)(in * out * positions);
    egc_profile_tensor(list, (egc_profile_shape){{out, in}}, flops, "%s.weight", name);
    egc_profile_tensor(list, (egc_profile_shape){{out}}, 0, "%s.bias", name);
}
