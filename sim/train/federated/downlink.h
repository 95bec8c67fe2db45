/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a federated server sends: the model, or compressed what has changed in it.
 *
 * Dense: every sampled client gets the parameters, 4 n bytes, and starts from them.
 *
 * Compressed: clients hold a view of the parameters. Each round the server compresses the
 * difference of its parameters to the view (difference.h: what is not sent stays in it), and the
 * view moves by what is decoded from that message. A sampled client starts from the view. One that
 * held it in the last round gets this round's message; one that was away gets all the messages it
 * missed, or the view itself, 4 n bytes, when that is less; so does one that is sampled for the
 * first time. All of them hold the same view then, bit by bit. */
#ifndef EGC_TRAIN_FEDERATED_DOWNLINK_H
#define EGC_TRAIN_FEDERATED_DOWNLINK_H

#include "compressors/core/decoder.h"
#include "train/core/trainer.h"

/* The message of one round, buckets one after the other. */
typedef struct egc_downlink_change {
    struct egc_downlink_change *newer;
    egc_buf message;
    double decode_s;
} egc_downlink_change;

typedef struct egc_downlink {
    egc_trainer *trainer;
    egc_method method;
    egc_coders coders;
    egc_decoder *decoder;
    float *view, *scratch;                /* NULL when dense */
    egc_downlink_change *oldest, *newest; /* those that are shorter together than the view */
    uint64_t n_changes;                   /* how many that are */
    size_t bytes;                         /* and how long */
    double encode_s;                      /* device time of the last round's change */
} egc_downlink;

/* parameters are those that the view begins with. Zeroed or failed, it can be given to _fini.
 * MEMORY. */
egc_status egc_downlink_init(egc_downlink *downlink, egc_trainer *trainer, bool compressed,
                             const float *parameters, egc_error *err) EGC_MUST_CHECK;
void egc_downlink_fini(egc_downlink *downlink);

/* A round begins (but the first, in which all is known): makes its message. NONFINITE, MEMORY. */
egc_status egc_downlink_advance(egc_downlink *downlink, const float *parameters,
                                egc_error *err) EGC_MUST_CHECK;

/* What clients start from. */
const float *egc_downlink_view(const egc_downlink *downlink, const float *parameters);

/* Writes what a client is to get in this round whose view is `behind` rounds old
 * (EGC_DOWNLINK_NOTHING: it holds none), and says how much of the client's device time that stands
 * for. MEMORY. */
#define EGC_DOWNLINK_NOTHING UINT64_MAX
egc_status egc_downlink_write(const egc_downlink *downlink, const float *parameters,
                              uint64_t behind, egc_buf *out, double *decode_s,
                              egc_error *err) EGC_MUST_CHECK;

#endif
