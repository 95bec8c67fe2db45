/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/federated/model.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compressors/core/decoder.h"
#include "kernels/kernels.h"
#include "train/core/optimizer.h"

/* ---- life ----------------------------------------------------------------------------------- */

/* In "local" the memory's momentum is 0 unless the method sets its own. */
static double memory_momentum(const egc_trainer *trainer,
                              const egc_federated_model_options *options)
{
    double own = trainer->config->method.options.momentum;
    if (options->momentum == EGC_FEDERATED_MOMENTUM_ROUNDS)
        return trainer->momentum;
    return isnan(own) ? 0 : own;
}

static egc_status allocate(egc_federated_model *clients, egc_error *err)
{
    const egc_trainer *trainer = clients->trainer;
    size_t n = trainer->n;
    bool momentum = trainer->workload->optimizer.momentum > 0;
    bool local = momentum && clients->options->momentum == EGC_FEDERATED_MOMENTUM_LOCAL;
    bool at_server = momentum && !local && !egc_method_has_momentum(&trainer->config->method);
    clients->client = egc_calloc(trainer->n_workers, sizeof *clients->client);
    clients->local = egc_calloc(n, sizeof(float));
    clients->gradient = egc_calloc(n, sizeof(float));
    clients->average = egc_calloc(n, sizeof(float));
    if (local)
        clients->velocity = egc_calloc(n, sizeof(float));
    if (at_server)
        clients->server_velocity = egc_calloc(n, sizeof(float));
    if (!clients->client || !clients->local || !clients->gradient || !clients->average ||
        (local && !clients->velocity) || (at_server && !clients->server_velocity))
        return egc_fail_memory(err, n * sizeof(float));
    return EGC_OK;
}

egc_status egc_federated_model_init(egc_federated_model *clients, egc_trainer *trainer,
                                    const egc_federated_model_options *options, egc_error *err)
{
    *clients = (egc_federated_model){
        .trainer = trainer,
        .options = options,
        .coder = egc_trainer_coder_config(trainer, 1),
    };
    clients->coder.momentum = memory_momentum(trainer, options);
    egc_status status = allocate(clients, err);
    return status ? status : egc_trainer_parameters(trainer, &clients->parameters, err);
}

void egc_federated_model_fini(egc_federated_model *clients)
{
    for (size_t c = 0; clients->client && c < clients->trainer->n_workers; c++) {
        egc_coders_fini(&clients->client[c].sender);
        egc_decoder_free(clients->client[c].decoder);
    }
    egc_free(clients->client);
    egc_free(clients->parameters);
    egc_free(clients->server_velocity);
    egc_free(clients->velocity);
    egc_free(clients->local);
    egc_free(clients->gradient);
    egc_free(clients->average);
}

/* A client's coders, when they are first needed: those of clients that are never sampled are not.
 */
static egc_status prepare(egc_federated_model *clients, size_t number, egc_error *err)
{
    egc_federated_model_client *client = &clients->client[number];
    if (client->decoder)
        return EGC_OK;
    egc_status status =
        egc_coders_init_as(&client->sender, clients->trainer, &clients->coder, number, err);
    if (status) {
        egc_coders_fini(&client->sender);
        client->sender = (egc_coders){0};
        return status;
    }
    return egc_decoder_new(&clients->coder, &client->decoder, err);
}

/* ---- a client ------------------------------------------------------------------------------- */

static egc_workload_share share_of(const egc_federated_model *clients, size_t number)
{
    const egc_workload *workload = clients->trainer->workload;
    return workload->type->share ? workload->type->share(workload, number)
                                 : (egc_workload_share){.examples = 1, .steps = 1};
}

uint64_t egc_federated_model_local_steps(const egc_federated_model *clients, size_t number)
{
    const egc_federated_model_options *options = clients->options;
    if (options->local_steps)
        return (uint64_t)options->local_steps;
    uint64_t epochs = options->local_epochs ? (uint64_t)options->local_epochs : 1;
    return epochs * share_of(clients, number).steps;
}

/* From clients->local on; adds the mean loss to the account. */
static egc_status take_local_steps(egc_federated_model *clients, size_t number, egc_error *err)
{
    egc_trainer *trainer = clients->trainer;
    egc_federated_model_client *client = &clients->client[number];
    uint64_t steps = egc_federated_model_local_steps(clients, number);
    double lr = egc_trainer_lr(trainer, trainer->step), losses = 0, loss;
    if (clients->velocity)
        memset(clients->velocity, 0, trainer->n * sizeof(float));
    for (uint64_t i = 0; i < steps; i++) {
        egc_status status = egc_trainer_gradient(trainer, client->steps++, number, clients->local,
                                                 clients->gradient, &loss, err);
        if (status)
            return status;
        losses += loss;
        egc_optimizer_apply(&trainer->workload->optimizer, lr, clients->gradient, clients->velocity,
                            clients->local, trainer->n);
    }
    trainer->stats.totals.loss += losses / (double)steps;
    return EGC_OK;
}

egc_status egc_federated_model_train(egc_federated_model *clients, size_t number,
                                     const float *start, egc_error *err)
{
    egc_trainer *trainer = clients->trainer;
    float *difference = clients->gradient;
    memcpy(clients->local, start, trainer->n * sizeof(float));
    egc_status status = prepare(clients, number, err);
    if (!status)
        status = take_local_steps(clients, number, err);
    for (size_t i = 0; !status && i < trainer->n; i++)
        difference[i] = start[i] - clients->local[i];
    egc_coders *sender = &clients->client[number].sender;
    if (!status)
        status = egc_coders_encode(sender, trainer->step, NAN, difference, err);
    if (status)
        return egc_error_prefix(err, "round %llu: client %zu", (unsigned long long)trainer->step,
                                number);
    egc_coders_count(sender);
    return EGC_OK;
}

/* ---- the server ----------------------------------------------------------------------------- */

static double weight_of(const egc_federated_model *clients, size_t number)
{
    return clients->options->weighting == EGC_FEDERATED_WEIGHTING_EQUAL
               ? 1
               : share_of(clients, number).examples;
}

/* Adds what one client sent. */
static egc_status add_upload(egc_federated_model *clients, const egc_federated_upload *upload,
                             double weight, double *decode_s, egc_error *err)
{
    egc_trainer *trainer = clients->trainer;
    float *decoded = clients->gradient;
    for (size_t b = 0; b < trainer->partition.n_buckets; b++) {
        double seconds;
        egc_status status =
            egc_trainer_decode(trainer, clients->client[upload->client].decoder, trainer->step, b,
                               &upload->messages[b], 1, decoded, &seconds, err);
        if (status)
            return egc_error_prefix(err, "round %llu: client %zu",
                                    (unsigned long long)trainer->step, upload->client);
        *decode_s += seconds;
    }
    egc_kernels_get()->axpy((float)weight, decoded, clients->average, trainer->n);
    return EGC_OK;
}

/* x <- x - server_lr d, with the server's momentum on d where it has one. */
static void move_server(egc_federated_model *clients)
{
    const egc_trainer *trainer = clients->trainer;
    float *velocity = clients->server_velocity, *x = clients->parameters;
    float momentum = (float)trainer->workload->optimizer.momentum;
    float rate = (float)clients->options->server_lr;
    for (size_t i = 0; i < trainer->n; i++) {
        float direction = clients->average[i];
        if (velocity)
            direction = velocity[i] = momentum * velocity[i] + direction;
        x[i] -= rate * direction;
    }
}

egc_status egc_federated_model_apply(egc_federated_model *clients,
                                     const egc_federated_upload *uploads, size_t n_uploads,
                                     double *decode_s, egc_error *err)
{
    double total = 0;
    *decode_s = 0;
    if (n_uploads == 0)
        return EGC_OK;
    memset(clients->average, 0, clients->trainer->n * sizeof(float));
    for (size_t i = 0; i < n_uploads; i++)
        total += weight_of(clients, uploads[i].client);
    for (size_t i = 0; i < n_uploads; i++) {
        double weight = weight_of(clients, uploads[i].client) / total;
        egc_status status = add_upload(clients, &uploads[i], weight, decode_s, err);
        if (status)
            return status;
    }
    move_server(clients);
    return EGC_OK;
}
