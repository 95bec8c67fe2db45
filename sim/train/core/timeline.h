/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the streams of a run did and when, for those who want to look at it: one event after the
 * other goes to egc_train_sink.event. */
#ifndef EGC_TRAIN_CORE_TIMELINE_H
#define EGC_TRAIN_CORE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

typedef enum egc_stream_kind {
    EGC_STREAM_COMPUTE,
    EGC_STREAM_COMPRESSION,
    EGC_STREAM_RECEPTION,     /* takes in what comes back, where another sends meanwhile */
    EGC_STREAM_COMMUNICATION, /* the last, since a rank may have several: see lane */
    EGC_N_STREAMS,
} egc_stream_kind;

/* What it points to is borrowed for the call. Events of one stream of one rank never overlap. */
typedef struct egc_timeline_event {
    const char *name; /* what it did: "forward", "backward", "compress", "exchange", "decompress",
                         "wait", or a word of another algorithm's */
    uint64_t step;
    int rank; /* workers first, then servers */
    egc_stream_kind stream;
    size_t lane; /* which of its communication streams: ps has one for each server; otherwise 0 */
    double start_s, end_s; /* simulated */

    const char *layers;   /* of the bucket it is about, "FIRST..LAST"; NULL when about none */
    size_t bucket, round; /* where there are layers */

    const size_t *peers; /* ranks it sent to or received from; NULL: none, or a collective's */
    size_t n_peers;
    double bytes; /* of that, once: what sent_bytes counts where workers sent it */

    const char *exchange;   /* of an exchange; NULL otherwise, and the rest does not apply */
    size_t piece, n_pieces; /* which part of the messages it carried: egc_round_transfer_pieces */
    double message_bytes;   /* of the rank's own message, or its part: what sent_bytes counts */
    double network_sent_bytes, network_recv_bytes; /* what its rank sent and received for it */
} egc_timeline_event;

#endif
