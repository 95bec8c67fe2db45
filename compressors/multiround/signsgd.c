/* SPDX-License-Identifier: GPL-3.0-or-later */
/* signSGD with majority vote (Bernstein et al. 2018): each worker sends the sign of each element,
 * and everyone applies the sign of the majority, +1 or -1; nothing but the learning rate scales it.
 * One bit each way. Without the vote, the update is the mean of the workers' signs.
 *
 * sgn(0) = +1: one bit cannot represent 0. A tied vote is +1 too, the published choice, which
 * drifts upwards where gradients are noise and workers are few and even: of two workers half the
 * votes are tied. tie = "zero" leaves tied elements where they are for a second bit of the reply.
 *
 * Public code reads its packed signs in words of 32 bits and runs past vectors whose length is no
 * multiple (BytePS); here the last byte is padded, and nothing else.
 *
 * Known answer, by hand: votes of (1, -2, 0) and (-1, -1, -3) from two workers: signs 010 and 111,
 * one minus of two, two of two, one of two: (+1, -1, +1), or with tie = "zero" (0, -1, 0). */
#include "compressors/multiround/vote.h"

typedef struct signsgd_params {
    egc_vote_params voting; /* first */
} signsgd_params;

static const egc_param params_table[] = {
    EGC_VOTE_PARAM_ROWS(signsgd_params),
    EGC_PARAM_END,
};

static egc_status encode(const void *params, void *state, const egc_context *context,
                         const float *x, size_t n, egc_buf *wire, egc_error *err)
{
    (void)params, (void)state, (void)context;
    return egc_signs_append(x, n, wire, err);
}

static egc_status message(const void *params, void *state, const void *replica,
                          const egc_context *context, size_t round, const float *x, size_t n,
                          egc_buf *wire, egc_error *err)
{
    (void)state;
    if (round == EGC_VOTE_REPLY)
        return egc_vote_reply(params, replica, context, n, wire, err);
    return egc_signs_append(x + context->shard_first, context->shard_count, wire, err);
}

static const egc_rounds vote_rounds = {
    .count = EGC_VOTE_ROUNDS,
    .kind = {EGC_COLLECTIVE_ALLTOALL, EGC_COLLECTIVE_ALLGATHER},
    .replica_size = egc_vote_replica_size,
    .message = message,
    .absorb = egc_vote_absorb,
    .reconstruct = egc_vote_reconstruct,
};

const egc_compressor_type egc_compressor_signsgd = {
    .name = "signsgd",
    .summary = "the sign of each element, by majority vote of the workers",
    .formula = "C(x)_i = sgn(x_i), sgn(0) = +1; the mean is sgn(sum over workers of C(x)_i)",
    .size = "ceil(n / 8) bytes; with the vote one such field for each shard, each way",
    .reference = "Bernstein et al. 2018, arXiv 1802.04434; the vote: arXiv 1810.05291",
    .traits = EGC_TRAIT_UNSCALED,
    .params = params_table,
    .params_size = sizeof(signsgd_params),
    .settings = "memory=none",
    .check = egc_vote_check,
    .cost = {.bytes_per_element = 4.125, .kernels = 1},
    .rounds = &vote_rounds,
    .needs_rounds = egc_vote_needs_rounds,
    .bound = egc_signs_bound,
    .encode = encode,
    .decode = egc_signs_decode,
};
