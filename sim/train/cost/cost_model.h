/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What compressing costs on the device: a roofline in memory bandwidth plus kernel launches.
 *
 * Compression kernels do little arithmetic, so their time is the bytes they move over the device's
 * memory bandwidth, plus the launches. Each compressor states its bytes and launches
 * (egc_compressor_cost); memory and codecs add theirs here. Nothing is measured on the host, so
 * simulated times are the same on every machine. */
#ifndef EGC_TRAIN_COST_COST_MODEL_H
#define EGC_TRAIN_COST_COST_MODEL_H

#include "compressors/core/method.h"
#include "net/cluster/device.h"

/* What a message or a delivery is about. */
typedef struct egc_cost_model_work {
    size_t round;
    size_t n;          /* elements of the unit or the bucket */
    size_t sent;       /* encoding: elements chosen, where this round sends them */
    double wire_bytes; /* of the message, or of all messages */
    size_t n_messages; /* decoding */
    bool reduced;      /* decoding: the exchange has summed them */
} egc_cost_model_work;

/* Whether the method sends gradients as they are: such methods cost what is said here, whatever
 * others cost. */
bool egc_cost_model_is_free(const egc_method *method);

/* Seconds to make one unit's part of a message: to take the gradient in (round 0), to run the
 * compressor's kernels in its own rounds, and to gather and write what is sent. */
double egc_cost_model_encode(const egc_method *method, const egc_device *device,
                             const egc_cost_model_work *work);

/* Seconds to take in what a round delivered. */
double egc_cost_model_decode(const egc_method *method, const egc_device *device,
                             const egc_cost_model_work *work);

/* Seconds to read messages of in_bytes that were merged or cut on their way, and to write one of
 * out_bytes. */
double egc_cost_model_merge(const egc_device *device, double in_bytes, double out_bytes);

#endif
