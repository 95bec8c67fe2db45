/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of an egc_setup, from which api/worker.c makes workers. */
#ifndef EGC_COMPRESSORS_API_SETUP_H
#define EGC_COMPRESSORS_API_SETUP_H

#include "base/arena.h"
#include "compressors/core/method.h"
#include "compressors/egc.h"

struct egc_setup {
    egc_method method;
    size_t n_workers;
    uint64_t seed;
    egc_model_layer *layers; /* in `arena`, like their names; NULL before egc_setup_layers */
    size_t n_layers;
    egc_arena arena;
    egc_buf text; /* the values that the last egc_setup_parameter returned */
};

#endif
