/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libegc: gradient compression as a library. It turns gradients into bytes and bytes into
 * updates; it knows no network and no framework.
 *
 *     egc_method_init(&method, "egc", &err);
 *     egc_workspace_new(longest_unit, &config.workspace, &err);
 *     egc_decoder_new(&config, &decoder, &err);
 *     egc_encoder_new(&config, worker, decoder, &encoder, &err);
 *     each step: egc_encoder_step; for each of egc_round_plan_count, egc_encoder_message, an
 * exchange of your own, egc_decoder_decode; then egc_encoder_finish. tests/install/consumer.c does
 * it.
 *
 * Objects belong to one thread at a time, a workspace and all that borrow it to the same one;
 * otherwise different objects may be used by different threads. */
#ifndef EGC_H
#define EGC_H

#include "codec/codec.h"
#include "compressors/core/decoder.h"
#include "compressors/core/encoder.h"
#include "compressors/core/merger.h"
#include "compressors/core/method.h"
#include "compressors/core/round_plan.h"
#include "compressors/core/sparse_message.h"
#include "compressors/core/workspace.h"
#include "compressors/plugin.h"
#include "kernels/kernels.h"

#endif
