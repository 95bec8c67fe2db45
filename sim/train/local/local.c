/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Local SGD (Stich 2018, arXiv 1805.09767; Lin et al. 2018, arXiv 1808.07217): every worker takes
 * local_steps steps of SGD on its own, then all exchange the compressed differences.
 *
 *     x_w <- x;   local_steps times  d = gradient(x_w) + decay x_w;  b_w <- m b_w + d;
 *                                    x_w <- x_w - lr b_w
 *     v_w  = the sum of the b_w = (x - x_w) / lr         compressed with its error feedback
 *     x   <- x - lr mean of the decoded v_w              the same on all workers
 *
 * The difference of parameters is sent in units of a gradient, so that compressors and their
 * parameters act as in `sync`, which this is with local_steps = 1. The exchange is sync's, with any
 * method of one or several rounds. A learning rate holds for all steps between two exchanges;
 * batches are numbered step * local_steps and on.
 *
 * Momentum, our reading of Lin et al.: "local" (their local momentum) acts in the local steps, in a
 * buffer b_w that its worker keeps from one exchange to the next and never sends; the error
 * feedback then has none unless the method sets its own. "exchange" (their global momentum): local
 * steps are plain, and momentum acts on the exchanged differences, in the error feedback or, for
 * methods without momentum, in the update of x, as in `sync`. */
#include "train/sync/sync.h"

typedef enum local_momentum { LOCAL_MOMENTUM_LOCAL, LOCAL_MOMENTUM_EXCHANGE } local_momentum;

typedef struct local_params {
    int64_t local_steps;
    int momentum; /* local_momentum */
} local_params;

static const char *const momentum_words[] = {"local", "exchange", NULL};

static const egc_param params[] = {
    EGC_PARAM(local_params, local_steps, INT, "local_steps",
              "steps of each worker between two exchanges", .def = 4, .min = 1, .max = 1e6),
    EGC_PARAM(local_params, momentum, CHOICE, "momentum",
              "momentum acts in each worker's local steps, or on the exchanged differences",
              .def = LOCAL_MOMENTUM_LOCAL, .choices = momentum_words),
    EGC_PARAM_END,
};

static egc_status check(const egc_train_config *config, egc_error *err)
{
    double clip = config->method.options.clip;
    if (!config->workload->closed_loop)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "workload: algorithm local needs a network that trains, got %s; use train "
                        "or process",
                        config->workload->name);
    if (clip > 0)
        return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                        "method: clip is of gradients, and algorithm local compresses sums of "
                        "them; must be 0, got %g",
                        clip);
    return egc_sync_check(config, err);
}

static egc_status run_local(const egc_train_config *config, const egc_train_sink *sink,
                            egc_train_summary *out, egc_error *err)
{
    const local_params *p = config->algorithm_params;
    const egc_engine_local local = {
        .steps = (uint64_t)p->local_steps,
        .own_momentum = p->momentum == LOCAL_MOMENTUM_LOCAL,
    };
    return egc_sync_train(config, &local, sink, out, err);
}

const egc_algorithm_type egc_algorithm_local = {
    .name = "local",
    .summary = "local steps between exchanges of the compressed differences: local SGD",
    .reference = "Stich 2018, arXiv 1805.09767; momentum: Lin et al. 2018, arXiv 1808.07217, with "
                 "our reading of it",
    .params = params,
    .params_size = sizeof(local_params),
    .timeless = true,
    .one_message_each = true,
    .merges = true,
    .drops = true,
    .check = check,
    .run = run_local,
};
