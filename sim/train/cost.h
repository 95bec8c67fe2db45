/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What compressing costs on the device: a roofline in memory bandwidth plus kernel launches.
 *
 * Compression kernels do little arithmetic, so their time is the bytes they move over the device's
 * memory bandwidth, plus the launches. Each compressor states its bytes and launches
 * (egc_cost); memory and codecs add theirs here. Nothing is measured on the host, so simulated
 * times are the same on every machine. */
#ifndef EGC_TRAIN_COST_H
#define EGC_TRAIN_COST_H

#include "compressors/method.h"
#include "net/device.h"

/* Seconds to compensate, select and encode one unit of n elements of which `sent` were sent in
 * wire_bytes. */
double egc_cost_encode(const egc_method *method, const egc_device *device, size_t n, size_t sent,
                       size_t wire_bytes);

/* Seconds to decode n_messages of wire_bytes in all and to add them to a sum of n elements. */
double egc_cost_decode(const egc_method *method, const egc_device *device, size_t n,
                       double wire_bytes, size_t n_messages);

#endif
