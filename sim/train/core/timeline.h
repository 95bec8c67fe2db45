/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of the timeline: the work of a run's streams and its times. Each goes to
 * egc_train_sink.event when it ends. */
#ifndef EGC_TRAIN_CORE_TIMELINE_H
#define EGC_TRAIN_CORE_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

typedef enum egc_stream_kind {
    EGC_STREAM_COMPUTE,
    EGC_STREAM_COMPRESSION,
    EGC_STREAM_RECEPTION,     /* handles arrivals while another stream sends */
    EGC_STREAM_COMMUNICATION, /* the last, since a rank may have several: see lane */
    EGC_N_STREAMS,
} egc_stream_kind;

/* Pointers are borrowed for the call. Events of one stream and lane of one rank never overlap. */
typedef struct egc_timeline_event {
    const char *name; /* "forward", "backward", "compress", "exchange", "decompress", "wait", or a
                         word of one algorithm */
    uint64_t step;
    int rank; /* workers first, then servers */
    egc_stream_kind stream;
    size_t lane; /* number of the communication stream: ps has one per server; otherwise 0 */
    double start_s, end_s; /* simulated */

    const char *layers;   /* "FIRST..LAST" of its bucket; NULL: it concerns no single bucket */
    size_t bucket, round; /* valid if layers is set */

    const size_t *peers; /* ranks it sent to or received from; NULL: none, or a collective */
    size_t n_peers;
    double bytes; /* sent to or received from the peers, counted once */

    const char *exchange;   /* its name; NULL if it is none, and the rest is not valid */
    size_t piece, n_pieces; /* the part of the messages it carried: egc_round_transfer_pieces */
    double message_bytes;   /* the rank's own message, or its part: counted in sent_bytes */
    double network_sent_bytes, network_recv_bytes; /* bytes its rank sent and received for it */
} egc_timeline_event;

#endif
