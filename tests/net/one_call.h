/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A worker that calls one exchange once, over zeros: for tests of how long it takes. */
#ifndef EGC_TESTS_NET_ONE_CALL_H
#define EGC_TESTS_NET_ONE_CALL_H

#include "simulate.h"

typedef struct one_call {
    const egc_exchange_type *type;
    size_t bytes; /* ALLREDUCE: of the vector; ALLGATHER: of each rank's message; BROADCAST: of the
                   * message, from rank 0; ALLTOALL: of all pieces of a rank, which are equal */
    int group;    /* of near ranks; 0: the usual ones */
} one_call;

/* The trial's arg is a one_call. */
egc_status one_call_main(worker *self, egc_error *err);

#endif
