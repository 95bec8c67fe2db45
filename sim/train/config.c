/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option table of a run. Options that change nothing but times are reset before a training is
 * identified, so that such points share it. */
#include "train/config.h"

#include <math.h>
#include <string.h>

static const char *const bucket_words[] = {"layer", "model", "merge", "fusion", NULL};
static const char *const cost_words[] = {"model", "table", "measured", "none", NULL};
static const char *const stream_words[] = {"compute", "stream", NULL};
static const char *const order_words[] = {"fifo", "priority", NULL};
static const char *const failure_words[] = {"stop", "drop", NULL};
static const char *const model_words[] = {"cm02", "lv08", "smpi", NULL};

const egc_param egc_train_config_params[] = {
    EGC_PARAM(egc_train_options, workers, INT, "workers", "workers, one to a host", .def = 8,
              .min = 1, .max = 65536),
    EGC_PARAM(egc_train_options, sampled_workers, INT, "sampled_workers",
              "workers that compute gradients, for runs too large for all; the others send copies; "
              "0: all",
              .max = 65536),
    EGC_PARAM(egc_train_options, steps, INT, "steps", "training steps", .def = 100, .min = 1,
              .max = 1e9),
    EGC_PARAM(egc_train_options, eval_every, INT, "eval_every",
              "steps between evaluations; 0: only at the end", .max = 1e9),
    EGC_PARAM(egc_train_options, seed, INT, "seed", "seed of everything random", .def = 1,
              .max = 0x1p53),
    EGC_PARAM(egc_train_options, bucket_bytes, REAL, "bucket",
              "most bytes of gradients in one exchange; or a bucket for each layer, one for the "
              "model, layers merged to suit the network, or the layers ready in one cycle",
              .quantity = EGC_QUANTITY_BYTES, .def = 25 * 0x1p20, .min = 1, .max = INFINITY,
              .choices = bucket_words),
    EGC_PARAM(egc_train_options, first_bucket_bytes, REAL, "first_bucket",
              "the first bucket, smaller so that communication starts early",
              .quantity = EGC_QUANTITY_BYTES, .def = 0x1p20, .min = 1, .max = INFINITY),
    EGC_PARAM(egc_train_options, group, INT, "group",
              "workers local to each other, for exchanges of two levels; 0: the workers of a node "
              "or rack",
              .max = 65536),
    EGC_PARAM(egc_train_options, fusion_bytes, REAL, "fusion",
              "with bucket = fusion: most bytes of a cycle in one exchange",
              .quantity = EGC_QUANTITY_BYTES, .def = 128 * 0x1p20, .min = 1, .max = INFINITY),
    EGC_PARAM(egc_train_options, cycle_s, REAL, "cycle",
              "with bucket = fusion: period at whose end ready gradients are sent",
              .quantity = EGC_QUANTITY_TIME, .def = 1e-3, .min = 1e-9, .max = INFINITY,
              .flags = EGC_PARAM_OPEN_MAX),
    EGC_PARAM(egc_train_options, overlap, BOOL, "overlap",
              "exchange buckets while the backward pass goes on", .def = 1),
    EGC_PARAM(egc_train_options, cost, CHOICE, "cost",
              "source of the time charged for compression: the device model, a table, measurements "
              "on this machine, or none",
              .def = 0, .choices = cost_words),
    EGC_PARAM(egc_train_options, cost_table, TEXT, "cost_table",
              "of cost = table: CSV as of bench compressors --csv", .def_text = ""),
    EGC_PARAM(egc_train_options, cost_scale, REAL, "cost_scale",
              "device seconds for one second of the table, or of this machine", .def = 1,
              .max = 1e9, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_train_options, compress_on, CHOICE, "compress_on", "stream that compresses",
              .def = 0, .choices = stream_words),
    EGC_PARAM(egc_train_options, exchange_order, CHOICE, "exchange_order",
              "order of exchanges: as buckets become ready, or first the buckets that the next "
              "step needs first",
              .def = 0, .choices = order_words, .formerly = "schedule"),
    EGC_PARAM(egc_train_options, piece_bytes, REAL, "partition",
              "longer messages that are summed on the way are exchanged in pieces of this size",
              .quantity = EGC_QUANTITY_BYTES, .def = INFINITY, .min = 1, .max = INFINITY),
    EGC_PARAM(egc_train_options, network_model, CHOICE, "network_model", "SimGrid's network model",
              .def = 0, .choices = model_words),
    EGC_PARAM(egc_train_options, max_sim_time_s, REAL, "max_sim_time",
              "simulated time after which a run is ended", .quantity = EGC_QUANTITY_TIME,
              .def = INFINITY, .max = INFINITY, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_train_options, on_failure, CHOICE, "on_failure",
              "after a lost message: stop, or continue without the workers out of reach", .def = 0,
              .choices = failure_words),
    EGC_PARAM(egc_train_options, failure_timeout_s, REAL, "failure_timeout",
              "with on_failure = drop: time from a failure until the others continue",
              .quantity = EGC_QUANTITY_TIME, .def = 1, .max = 1e6, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(egc_train_options, energy, BOOL, "energy",
              "account for the energy that hosts and links consume", .def = 0),
    EGC_PARAM(egc_train_options, layers, BOOL, "layers",
              "write layers.csv, a row for each unit and step", .def = 0),
    EGC_PARAM_END,
};

void egc_train_config_forget_time(egc_train_options *options)
{
    egc_train_options defaults;
    egc_param_init(egc_train_config_params, &defaults);
    options->group = defaults.group; /* exchanges whose sums it changes have it in their name:
                                        egc_exchange_choice_sums */
    options->overlap = defaults.overlap;
    /* Measured during training: a log has no such times. */
    if (options->cost != EGC_COST_MEASURED)
        options->cost = defaults.cost;
    memcpy(options->cost_table, defaults.cost_table, sizeof options->cost_table);
    options->cost_scale = defaults.cost_scale;
    options->compress_on = defaults.compress_on;
    options->exchange_order = defaults.exchange_order;
    options->network_model = defaults.network_model;
    options->max_sim_time_s = defaults.max_sim_time_s;
    options->energy = defaults.energy;
    if (options->on_failure == EGC_ON_FAILURE_STOP) /* otherwise training depends on time */
        options->failure_timeout_s = defaults.failure_timeout_s;
}

size_t egc_train_config_sampled_workers(const egc_train_config *config)
{
    int64_t sampled = config->options.sampled_workers;
    return (size_t)(sampled ? sampled : config->options.workers);
}
