/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of one unit in one step of one worker, which metrics are made of. */
#ifndef EGC_COMPRESSORS_CORE_ENCODING_H
#define EGC_COMPRESSORS_CORE_ENCODING_H

#include <stddef.h>

/* Squared norms are sums over the unit's elements. `decoded` is the receivers' reading of this
 * worker's message; for coders of several rounds, the mean they reconstruct. */
typedef struct egc_encoding {
    size_t sent;           /* elements in the message; all of them for units sent dense */
    size_t wire_bytes;     /* in all rounds, before the entropy coder */
    double bound_bits;     /* lower bound of exact codes: egc_sparse_message_bound_bits */
    double gradient_norm2; /* squared norm of the gradient */
    double input_norm2;    /* squared norm of the vector to send, error feedback included */
    double sent_norm2;     /* squared norm of decoded */
    double error_norm2;    /* squared norm of input - decoded */
    double residual_norm2; /* squared norm of the error that the residual keeps; 0 without one */
    double sent_norm1;     /* sum of |decoded| */
    double staleness;      /* sum of |decoded| (tau - 1) / 2, tau the steps since the element was
                              last sent: the mean age of gradients that arrived one a step */
} egc_encoding;

#endif
