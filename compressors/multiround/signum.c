/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signum (Bernstein et al. 2018): signSGD on a momentum that each worker keeps,
 *     mom <- beta mom + (1 - beta) g,   mom = 0 at first;   send sgn(mom).
 * GRACE starts from mom = g instead, which weighs the first gradient 1 / (1 - beta) times more at
 * later steps; the first step's signs are the same.
 *
 * A public implementation made the buffer anew at each step and so was plain signSGD
 * (kozistr/pytorch_optimizer issue 516): here it is the worker's state.
 *
 * Known answer, by hand: beta = 0.9 and gradients 4, -1, -1, -1, -1, -1 give mom = .4, .26, .134,
 * .0206, -.08146, -.173314: the sign turns at the fifth step, four after that of the gradient. */
#include "compressors/multiround/vote.h"

typedef struct signum_params {
    egc_vote_params voting; /* first */
    double beta;
} signum_params;

static const egc_param params_table[] = {
    EGC_PARAM(signum_params, beta, REAL, "beta", "weight of the past in the momentum", .def = 0.9,
              .max = 1, .flags = EGC_PARAM_OPEN_MAX),
    EGC_VOTE_PARAM_ROWS(signum_params),
    EGC_PARAM_END,
};

static size_t state_size(const void *params, const egc_unit *unit)
{
    (void)params;
    return unit->count * sizeof(float);
}

/* In double precision: of two floats near the largest, the rounded mean must not be Inf. */
static void add_gradient(const void *params, const float *g, size_t n, float *momentum)
{
    double beta = ((const signum_params *)params)->beta;
    for (size_t i = 0; i < n; i++)
        momentum[i] = (float)(beta * (double)momentum[i] + (1 - beta) * (double)g[i]);
}

static egc_status encode(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)context;
    add_gradient(params, x, n, state);
    return egc_signs_append(state, n, wire, err);
}

/* The first round asks for each shard once, which makes one update of the whole. */
static egc_status message(const void *params, void *state, const void *replica,
                          const egc_context *context, size_t round, const float *x, size_t n,
                          egc_buf *wire, egc_error *err)
{
    if (round == EGC_VOTE_REPLY)
        return egc_vote_reply(params, replica, context, n, wire, err);
    size_t first = context->shard_first, count = context->shard_count;
    float *momentum = (float *)state + first;
    add_gradient(params, x + first, count, momentum);
    return egc_signs_append(momentum, count, wire, err);
}

static const egc_rounds vote_rounds = {
    .count = EGC_VOTE_ROUNDS,
    .kind = {EGC_COLLECTIVE_ALLTOALL, EGC_COLLECTIVE_ALLGATHER},
    .replica_size = egc_vote_replica_size,
    .message = message,
    .absorb = egc_vote_absorb,
    .reconstruct = egc_vote_reconstruct,
};

const egc_compressor_type egc_compressor_signum = {
    .name = "signum",
    .summary = "the sign of each worker's momentum, by majority vote",
    .formula = "mom = beta mom + (1 - beta) x; C(x)_i = sgn(mom_i), sgn(0) = +1; the mean is "
               "sgn(sum over workers of C(x)_i)",
    .size = "ceil(n / 8) bytes; with the vote one such field for each shard, each way",
    .reference = "Bernstein et al. 2018, arXiv 1802.04434; the vote: arXiv 1810.05291",
    .traits = EGC_TRAIT_MOMENTUM | EGC_TRAIT_UNSCALED,
    .params = params_table,
    .params_size = sizeof(signum_params),
    .settings = "memory=none",
    .check = egc_vote_check,
    .state_size = state_size,
    .cost = {.bytes_per_element = 12.125, .kernels = 2},
    .rounds = &vote_rounds,
    .needs_rounds = egc_vote_needs_rounds,
    .bound = egc_signs_bound,
    .encode = encode,
    .decode = egc_signs_decode,
};
