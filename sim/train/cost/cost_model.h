/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Model of the device time of compression: a roofline in memory bandwidth plus kernel launches.
 *
 * Compression kernels do little arithmetic, so their time is the bytes they move over the device's
 * memory bandwidth, plus the launches. Each compressor states its bytes and launches (egc_cost);
 * error feedback and codecs add theirs here. Nothing is measured on the host, so simulated times
 * are the same on every machine. */
#ifndef EGC_TRAIN_COST_COST_MODEL_H
#define EGC_TRAIN_COST_COST_MODEL_H

#include "compressors/core/method.h"
#include "net/cluster/device.h"

/* A message to be made, or the result of an exchange to be decoded. */
typedef struct egc_cost_model_work {
    size_t round;
    size_t n;          /* elements of the unit (encoding) or the bucket (decoding) */
    size_t sent;       /* encoding: elements chosen, in the round that sends them */
    double wire_bytes; /* length of the message, or of all messages */
    size_t n_messages; /* decoding */
    bool reduced;      /* decoding: the exchange has summed the messages */
} egc_cost_model_work;

/* True if the method sends gradients uncompressed: it has the costs of this model even if others
 * are charged by measurements. */
bool egc_cost_model_is_free(const egc_method *method);

/* Seconds to make one unit's part of a message: error feedback (round 0), the compressor's kernels
 * in its own rounds, and gathering and writing the chosen values. */
double egc_cost_model_encode(const egc_method *method, const egc_device *device,
                             const egc_cost_model_work *work);

/* Seconds to decode the result of a round. */
double egc_cost_model_decode(const egc_method *method, const egc_device *device,
                             const egc_cost_model_work *work);

/* Seconds to read messages of in_bytes that an exchange merges or cuts, and to write out_bytes. */
double egc_cost_model_merge(const egc_device *device, double in_bytes, double out_bytes);

#endif
