/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame of a message: the units it carries, one after the other, behind a 16-bit fingerprint
 * of the compressor and of the units' lengths, so that a message can not be taken for one of
 * another method or shape. Linear methods send raw floats without it. */
#ifndef EGC_MESSAGE_H
#define EGC_MESSAGE_H

#include "compressors/method.h"

/* Whether a unit is sent dense although the method is not. */
bool egc_unit_is_dense(const egc_method *method, const egc_unit *unit);

uint16_t egc_message_fingerprint(const egc_method *method, const egc_unit *units, size_t count);

#endif
