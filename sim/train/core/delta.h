/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compression of differences to a copy that the receivers hold and that moves by the decoded
 * messages.
 *
 * The part of a difference that is not sent stays in it and is part of the next one, so that the
 * difference is its own residual (Koloskova, Stich, Jaggi 2019, arXiv 1902.00340). The method's
 * compressor and codecs are used and its error feedback is not: with a residual every element would
 * be sent twice, and momentum would send 1 / (1 - m) times the difference. */
#ifndef EGC_TRAIN_CORE_DELTA_H
#define EGC_TRAIN_CORE_DELTA_H

#include "train/config.h"

/* The method for differences. Its coders are to be made with momentum 0. */
egc_method egc_delta_method(const egc_method *method);

/* UNSUPPORTED for methods that no residual could ever be paid off with. */
egc_status egc_delta_check(const egc_method *method, egc_error *err) EGC_MUST_CHECK;

#endif
