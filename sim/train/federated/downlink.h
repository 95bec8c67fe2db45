/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The messages of a federated server: the model, or compressed changes of it.
 *
 * Dense: every sampled client gets the parameters, 4 n bytes, and starts from them.
 *
 * Compressed: clients hold a view of the parameters. Each round the server compresses the
 * difference of its parameters and the view (delta.h: the part that is not sent stays in the
 * difference), and adds the decoded message to the view. A sampled client starts from the view. A
 * client that took part in the last round gets this round's message. One that did not gets all the
 * messages it missed or, if that is shorter, the view itself, 4 n bytes, as does one that is
 * sampled for the first time. All then hold the same view, bit for bit. */
#ifndef EGC_TRAIN_FEDERATED_DOWNLINK_H
#define EGC_TRAIN_FEDERATED_DOWNLINK_H

#include "compressors/core/decoder.h"
#include "train/core/trainer.h"

/* The message of one round: those of all buckets, concatenated. */
typedef struct egc_downlink_change {
    struct egc_downlink_change *newer;
    egc_buf message;
    double decode_s; /* device time to decode it */
} egc_downlink_change;

typedef struct egc_downlink {
    egc_trainer *trainer;
    egc_method method;
    egc_coders coders;
    egc_decoder *decoder;
    float *view, *scratch;                /* n floats each; NULL if dense */
    egc_downlink_change *oldest, *newest; /* kept while they are shorter than the view */
    uint64_t n_changes;                   /* kept */
    size_t bytes;                         /* length of their messages */
    double encode_s;                      /* device time of the server for the round's message */
} egc_downlink;

/* The view begins as a copy of the parameters (n floats). Borrows the trainer. On failure, and if
 * zeroed, it can be given to _fini. MEMORY. */
egc_status egc_downlink_init(egc_downlink *downlink, egc_trainer *trainer, bool compressed,
                             const float *parameters, egc_error *err) EGC_MUST_CHECK;
void egc_downlink_fini(egc_downlink *downlink);

/* Makes the message of the round that begins; none in the first, when all hold the view. NONFINITE,
 * MEMORY. */
egc_status egc_downlink_advance(egc_downlink *downlink, const float *parameters,
                                egc_error *err) EGC_MUST_CHECK;

/* The parameters that clients start from: the view, or the parameters if dense. Borrowed. */
const float *egc_downlink_view(const egc_downlink *downlink, const float *parameters);

/* Writes the message to a client whose view is `behind` rounds old (EGC_DOWNLINK_NOTHING: it has
 * none), and the device time it needs to decode it. MEMORY. */
#define EGC_DOWNLINK_NOTHING UINT64_MAX
egc_status egc_downlink_write(const egc_downlink *downlink, const float *parameters,
                              uint64_t behind, egc_buf *out, double *decode_s,
                              egc_error *err) EGC_MUST_CHECK;

#endif
