/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the federated algorithm: see federated.c. */
#ifndef EGC_TRAIN_FEDERATED_FEDERATED_H
#define EGC_TRAIN_FEDERATED_FEDERATED_H

#include "train/federated/downlink.h"
#include "train/federated/model.h"

typedef enum egc_downlink_kind { EGC_DOWNLINK_DENSE, EGC_DOWNLINK_COMPRESSED } egc_downlink_kind;

typedef struct egc_federated_params {
    double participation;
    double over_selection;
    double deadline_s;
    int downlink; /* egc_downlink_kind */
    egc_federated_model_options clients;
} egc_federated_params;

/* A client, with the server's record of it. */
typedef struct egc_federated_client {
    struct egc_federated *federation;
    size_t number;
    egc_stream compute, communication;
    egc_semaphore *client_begins, *server_begins; /* one signal a round that it is sampled in */
    bool busy;                       /* from being sampled until its upload is through */
    uint64_t step;                   /* the last in which it was sampled */
    bool has_view;                   /* the client holds the view of that round */
    bool arrived;                    /* its upload counts */
    egc_buf download;                /* the message to it */
    double unpack_s;                 /* device time of decoding the download */
    egc_buf model;                   /* the download as received */
    egc_buf *uploaded;               /* per bucket: the upload as received */
    egc_request **sends, **receives; /* per bucket */
} egc_federated_client;

typedef struct egc_federated {
    const egc_federated_params *params;
    egc_trainer trainer;
    egc_stream server;
    egc_federated_model clients;
    egc_downlink downlink;
    egc_federated_client *members;
    size_t *sample, n_sampled; /* the sampled clients of the round, ascending */
    size_t *idle;              /* to draw from */
    egc_federated_upload *uploads;
    size_t n_wanted, n_arrived;
    double began_s;      /* time at which the sample was drawn */
    bool open;           /* uploads still count */
    egc_semaphore *news; /* one signal per ended upload */
} egc_federated;

static inline int egc_federated_server_rank(const egc_federated *f)
{
    return (int)f->trainer.n_workers;
}

static inline egc_transport *egc_federated_transport(egc_federated *f, int rank)
{
    return egc_world_transport(f->trainer.world, rank, 0);
}

/* Occupies a rank's device in a round, and adds to *total for how long that was. IO of the sink. */
egc_status egc_federated_client_work(const egc_stream *stream, const char *name, uint64_t step,
                                     double seconds, double *total, egc_error *err) EGC_MUST_CHECK;

/* The mains of actors: a client on its host and its counterpart at the server (arg: the
 * egc_federated_client), and the server (arg: the egc_federated), which ends all of them. Errors of
 * the workload, the method, the transport and the sink. */
egc_status egc_federated_client_run(void *arg, egc_error *err) EGC_MUST_CHECK;
egc_status egc_federated_client_serve(void *arg, egc_error *err) EGC_MUST_CHECK;
egc_status egc_federated_server_run(void *arg, egc_error *err) EGC_MUST_CHECK;

#endif
