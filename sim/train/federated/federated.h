/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the federated algorithm: see federated.c. */
#ifndef EGC_TRAIN_FEDERATED_FEDERATED_H
#define EGC_TRAIN_FEDERATED_FEDERATED_H

#include "train/federated/downlink.h"
#include "train/federated/model.h"

typedef enum egc_downlink_kind { EGC_DOWNLINK_DENSE, EGC_DOWNLINK_COMPRESSED } egc_downlink_kind;

typedef struct egc_federated {
    double participation;
    double over_selection;
    double deadline_s;
    int downlink; /* egc_downlink_kind */
    egc_clients_options clients;
} egc_federated;

/* A client, and what the server knows of it. */
typedef struct egc_member {
    struct egc_federation *federation;
    size_t number;
    egc_stream compute, communication;
    egc_gate *client_begins, *server_begins; /* one signal a round that it is sampled in */
    bool busy;                               /* from being sampled until its upload is through */
    uint64_t round;                          /* that it was last sampled in */
    bool has_view;                           /* since then */
    bool arrived;                            /* its upload counts */
    egc_buf download;                        /* what it is sent */
    double unpack_s;                         /* device time of taking that in */
    egc_buf model;                           /* what it received */
    egc_buf *uploaded;                       /* what the server received: of each bucket */
    egc_request **sends, **receives;         /* of each bucket */
} egc_member;

typedef struct egc_federation {
    const egc_federated *params;
    egc_trainer trainer;
    egc_stream server;
    egc_clients clients;
    egc_downlink downlink;
    egc_member *members;
    size_t *sample, n_sampled; /* of the round under way, in the order of their numbers */
    size_t *idle;              /* to draw from */
    egc_upload *uploads;
    size_t n_wanted, n_arrived;
    double began_s; /* when those sampled were known */
    bool open;      /* uploads count still */
    egc_gate *news; /* an upload came through */
} egc_federation;

static inline int egc_federation_server(const egc_federation *f)
{
    return (int)f->trainer.n_workers;
}

static inline egc_transport *egc_federation_transport(egc_federation *f, int rank)
{
    return egc_world_transport(f->trainer.world, rank, 0);
}

/* Occupies a rank's device in a round, and adds to *total for how long that was. IO of the sink. */
egc_status egc_federation_work(const egc_stream *stream, const char *name, uint64_t round,
                               double seconds, double *total, egc_error *err) EGC_MUST_CHECK;

/* What actors do: a client on its host (arg: its member), what serves it at the server (likewise),
 * and the server (arg: the federation), which ends them all. */
egc_status egc_federation_client(void *arg, egc_error *err) EGC_MUST_CHECK;
egc_status egc_federation_serve(void *arg, egc_error *err) EGC_MUST_CHECK;
egc_status egc_federation_lead(void *arg, egc_error *err) EGC_MUST_CHECK;

#endif
