/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Local SGD of clients, each from the model it was sent, and the server's weighted mean of their
 * uploads (McMahan et al. 2017, arXiv 1602.05629). */
#include "train/federated/model.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "compressors/core/decoder.h"
#include "kernels/kernels.h"

/* ---- life ----------------------------------------------------------------------------------- */

/* With momentum = "local" that of the error feedback is 0 unless the method sets its own. */
static double coders_momentum(const egc_trainer *trainer,
                              const egc_federated_model_options *options)
{
    double own = trainer->config->method.options.momentum;
    if (options->momentum == EGC_FEDERATED_MOMENTUM_ROUNDS)
        return trainer->momentum;
    return isnan(own) ? 0 : own;
}

/* The server's rule is x <- x - server_lr d: weight decay is in the clients' steps. */
static egc_status make_replicas(egc_federated_model *model, egc_error *err)
{
    const egc_trainer *trainer = model->trainer;
    bool momentum = trainer->workload->optimizer.momentum > 0;
    bool local = momentum && model->options->momentum == EGC_FEDERATED_MOMENTUM_LOCAL;
    bool at_server = momentum && !local && !egc_method_has_momentum(&trainer->config->method);
    egc_status status =
        egc_replica_init(&model->server, trainer->config, trainer->workload, at_server, err);
    if (status)
        return status;
    model->server.optimizer.weight_decay = 0;
    return egc_replica_init(&model->local, trainer->config, trainer->workload, local, err);
}

egc_status egc_federated_model_init(egc_federated_model *model, egc_trainer *trainer,
                                    const egc_federated_model_options *options, egc_error *err)
{
    size_t n = trainer->n;
    *model = (egc_federated_model){
        .trainer = trainer,
        .options = options,
        .coder = egc_trainer_coder_config(trainer, 1),
        .client = egc_calloc(trainer->n_workers, sizeof *model->client),
        .gradient = egc_calloc(n, sizeof(float)),
        .average = egc_calloc(n, sizeof(float)),
    };
    model->coder.momentum = coders_momentum(trainer, options);
    return model->client && model->gradient && model->average
               ? make_replicas(model, err)
               : egc_fail_memory(err, n * sizeof(float));
}

void egc_federated_model_fini(egc_federated_model *model)
{
    for (size_t c = 0; model->client && c < model->trainer->n_workers; c++) {
        egc_coders_fini(&model->client[c].coders);
        egc_decoder_free(model->client[c].decoder);
    }
    egc_replica_fini(&model->server);
    egc_replica_fini(&model->local);
    egc_free(model->client);
    egc_free(model->gradient);
    egc_free(model->average);
}

/* Makes a client's coders when it is first sampled. */
static egc_status prepare(egc_federated_model *model, size_t number, egc_error *err)
{
    const egc_trainer *trainer = model->trainer;
    egc_federated_model_client *client = &model->client[number];
    if (client->decoder)
        return EGC_OK;
    egc_status status = egc_coders_init(&client->coders, trainer->config, &trainer->partition,
                                        &model->coder, number, NULL, err);
    return status ? status : egc_decoder_new(&model->coder, &client->decoder, err);
}

/* ---- a client ------------------------------------------------------------------------------- */

static egc_workload_share share_of(const egc_federated_model *model, size_t number)
{
    const egc_workload *workload = model->trainer->workload;
    return workload->type->share ? workload->type->share(workload, number)
                                 : (egc_workload_share){.examples = 1, .steps = 1};
}

uint64_t egc_federated_model_local_steps(const egc_federated_model *model, size_t number)
{
    const egc_federated_model_options *options = model->options;
    if (options->local_steps)
        return (uint64_t)options->local_steps;
    uint64_t epochs = options->local_epochs ? (uint64_t)options->local_epochs : 1;
    return epochs * share_of(model, number).steps;
}

/* From `start` on; leaves the parameters in model->local. */
static egc_status take_local_steps(egc_federated_model *model, size_t number, const float *start,
                                   egc_error *err)
{
    egc_trainer *trainer = model->trainer;
    egc_federated_model_client *client = &model->client[number];
    uint64_t steps = egc_federated_model_local_steps(model, number);
    double lr = egc_replica_lr(&model->local, trainer->step), loss;
    memcpy(model->local.parameters, start, trainer->n * sizeof(float));
    if (model->local.velocity)
        memset(model->local.velocity, 0, trainer->n * sizeof(float));
    egc_status status = egc_replica_local_steps(&model->local, client->steps, steps, number, lr,
                                                model->gradient, NULL, &loss, err);
    client->steps += steps;
    trainer->stats.totals.loss += loss;
    return status;
}

egc_status egc_federated_model_train(egc_federated_model *model, size_t number, const float *start,
                                     egc_error *err)
{
    egc_trainer *trainer = model->trainer;
    egc_coders *coders = &model->client[number].coders;
    float *difference = model->gradient;
    egc_status status = prepare(model, number, err);
    if (!status)
        status = take_local_steps(model, number, start, err);
    for (size_t i = 0; !status && i < trainer->n; i++)
        difference[i] = start[i] - model->local.parameters[i];
    if (!status)
        status = egc_coders_compress(coders, trainer->step, NAN, difference, err);
    if (status)
        return egc_error_prefix(err, "round %llu: client %zu", (unsigned long long)trainer->step,
                                number);
    egc_coders_count_all(coders, &trainer->stats);
    return EGC_OK;
}

/* ---- the server ----------------------------------------------------------------------------- */

static double weight_of(const egc_federated_model *model, size_t number)
{
    return model->options->weighting == EGC_FEDERATED_WEIGHTING_EQUAL
               ? 1
               : share_of(model, number).examples;
}

/* Adds the decoded upload of one client to the average. */
static egc_status add_upload(egc_federated_model *model, const egc_federated_upload *upload,
                             double weight, double *decode_s, egc_error *err)
{
    egc_trainer *trainer = model->trainer;
    const egc_federated_model_client *client = &model->client[upload->client];
    float *decoded = model->gradient;
    for (size_t b = 0; b < trainer->partition.n_buckets; b++) {
        egc_status status =
            egc_trainer_decode(trainer, &client->coders, client->decoder, trainer->step, b,
                               &upload->messages[b], decoded, decode_s, err);
        if (status)
            return egc_error_prefix(err, "round %llu: client %zu",
                                    (unsigned long long)trainer->step, upload->client);
    }
    egc_kernels_get()->axpy((float)weight, decoded, model->average, trainer->n);
    return EGC_OK;
}

egc_status egc_federated_model_apply(egc_federated_model *model,
                                     const egc_federated_upload *uploads, size_t n_uploads,
                                     double *decode_s, egc_error *err)
{
    double total = 0;
    *decode_s = 0;
    if (n_uploads == 0)
        return EGC_OK;
    memset(model->average, 0, model->trainer->n * sizeof(float));
    for (size_t i = 0; i < n_uploads; i++)
        total += weight_of(model, uploads[i].client);
    for (size_t i = 0; i < n_uploads; i++) {
        double weight = weight_of(model, uploads[i].client) / total;
        egc_status status = add_upload(model, &uploads[i], weight, decode_s, err);
        if (status)
            return status;
    }
    egc_replica_update(&model->server, model->options->server_lr, model->average, 0,
                       model->trainer->n);
    return EGC_OK;
}
