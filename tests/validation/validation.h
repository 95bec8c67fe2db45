/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The validation report: simulated figures beside what others say they should be. Each part below
 * appends its cases; validate.c writes, judges and compares them, and tests/net asserts some of
 * them again. */
#ifndef EGC_VALIDATION_H
#define EGC_VALIDATION_H

#include <stdbool.h>
#include <stddef.h>

/* One figure. Texts are cut to their room. */
typedef struct validation_case {
    const char *ladder;   /* the part it belongs to */
    char source[64];      /* who says what is expected */
    const char *quantity; /* with its unit */
    char subject[48];     /* what is timed: an exchange, a way to train */
    char network[80];
    int workers;
    double bytes; /* of the exchange's closed form; of the model; of a message */
    double expected, simulated;
    double limit;       /* of |simulated / expected - 1|; NAN: published and not judged */
    bool same_side;     /* both must be above 1, or both below */
    const char *note;   /* in place of a verdict: "input", "fitted", "shown"; NULL: it is judged */
    bool known_outside; /* published as it is; the report says what is known of why */
    double rate_share;  /* bytes that some link must carry / (time * its rate): never above 1 */
} validation_case;

typedef struct validation {
    validation_case *cases;
    size_t n;
} validation;

void validation_add(validation *v, const validation_case *one);
void validation_fini(validation *v);

/* Signed, in %. */
double validation_error(const validation_case *one);
bool validation_within(const validation_case *one);

/* ---- the parts. A run that fails fails the program or the test ------------------------------- */

/* Every exchange, on a star: what its closed form says. */
void validate_closed_forms(validation *v);

/* The parameter server's step, on a star: what its closed form says. */
void validate_server(validation *v);

/* Of each topology, with traffic both ways: the bandwidth from half to half that theory says. */
void validate_topologies(validation *v);

/* Every exchange that SimGrid's MPI has too, on the platforms that clusters write. */
void validate_smpi(validation *v);

/* The step that validate_published simulates, against the trainer's. */
void validate_trainer(validation *v);

/* Training as others measured it. */
void validate_published(validation *v);
void validate_ddp(validation *v);

/* What published.c has fitted: the latency of a message with which one row comes out as measured;
 * that of its model with rings alone; and of its model with rings that computing slows down, where
 * two rows do. */
typedef struct published_fit {
    double latency_s, ring_latency_s, slowed_latency_s, slowdown;
} published_fit;
published_fit fit_published(void);

#endif
