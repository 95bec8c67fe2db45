/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libegc: gradient compression as a library. It turns gradients into bytes and bytes into
 * updates; it knows no network and no framework.
 *
 *     egc_method method;
 *     egc_method_init(&method, "egc", &err);
 *     egc_workspace_new(longest_unit, &workspace, &err);
 *     egc_encoder_new(&method, 0.9, n_workers, units, n_units, seed, workspace, &encoder, &err);
 *     each step: egc_encoder_step, then for each message egc_encoder_begin and, for each of its
 *     units, egc_encoder_encode; at the receivers egc_decoder_add for every worker's message, then
 *     egc_decoder_correct.
 *
 * Objects belong to one thread at a time, a workspace and all that borrow it to the same one;
 * otherwise different objects may be used by different threads. */
#ifndef EGC_H
#define EGC_H

#include "codec/codec.h"
#include "compressors/compressor.h"
#include "compressors/method.h"
#include "compressors/sparse.h"
#include "kernels/kernels.h"

#endif
