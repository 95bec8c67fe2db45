/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Majority votes on signs.
 *
 * A vote takes two rounds. ALLTOALL: each worker sends its signs of each shard to the shard's
 * owner. ALLGATHER: each owner sends everyone the majorities of its shard, signs again. With an
 * even number of workers votes can be tied. A tie is +1, as sgn(0) is, or 0; then a second field of
 * bits follows the signs, set for ties, whose sign bit is not. */
#ifndef EGC_COMPRESSORS_MULTIROUND_VOTE_H
#define EGC_COMPRESSORS_MULTIROUND_VOTE_H

#include "compressors/multiround/signs.h"

typedef enum egc_vote_tie { EGC_VOTE_TIE_PLUS, EGC_VOTE_TIE_ZERO } egc_vote_tie;
extern const char *const egc_vote_tie_words[];

/* The parameters of every type that votes begin with these. */
typedef struct egc_vote_params {
    bool vote;
    int tie; /* egc_vote_tie */
} egc_vote_params;

/* Their rows in the parameter table of such a type. */
#define EGC_VOTE_PARAM_ROWS(type)                                                                  \
    EGC_PARAM(type, voting.vote, BOOL, "vote",                                                     \
              "the sign of the majority, in two rounds; false: the mean of the workers' signs",    \
              .def = 1),                                                                           \
        EGC_PARAM(type, voting.tie, CHOICE, "tie",                                                 \
                  "what a tied vote is; zero: the reply has a second bit where P is even",         \
                  .def = EGC_VOTE_TIE_PLUS, .choices = egc_vote_tie_words)

bool egc_vote_needs_rounds(const void *params);

/* `check`, the second round's message, and the other members of egc_rounds. params begin with an
 * egc_vote_params. */
enum { EGC_VOTE_BALLOT, EGC_VOTE_REPLY, EGC_VOTE_ROUNDS };
egc_status egc_vote_check(const void *params, egc_error *err);
size_t egc_vote_replica_size(const void *params, const egc_unit *unit);
egc_status egc_vote_reply(const void *params, const void *replica, const egc_context *context,
                          size_t n, egc_buf *wire, egc_error *err) EGC_MUST_CHECK;
egc_status egc_vote_absorb(const void *params, void *replica, const egc_context *context,
                           size_t round, egc_reader *messages, size_t n_messages, size_t n,
                           egc_error *err);
egc_status egc_vote_reconstruct(const void *params, const void *replica, const egc_context *context,
                                float *out, size_t n, egc_error *err);

#endif
