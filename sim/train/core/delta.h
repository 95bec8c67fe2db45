/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How vectors are compressed that are differences: to what the receivers hold, which moves by what
 * they decode.
 *
 * What is not sent stays in the difference, and is part of the next one: it is a residual that
 * needs no memory (Koloskova, Stich, Jaggi 2019, arXiv 1902.00340). So the method's compressor and
 * codecs are used, and its memory is not: with one, everything would be sent twice, and momentum
 * would send 1 / (1 - m) times what there is. */
#ifndef EGC_TRAIN_CORE_DELTA_H
#define EGC_TRAIN_CORE_DELTA_H

#include "train/config.h"

/* The method for differences. Its coders are to be made with momentum 0. */
egc_method egc_delta_method(const egc_method *method);

/* UNSUPPORTED for methods that no residual could ever be paid off with. */
egc_status egc_delta_check(const egc_method *method, egc_error *err) EGC_MUST_CHECK;

#endif
