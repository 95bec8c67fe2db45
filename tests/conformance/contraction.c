/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contraction constants are exact: for each type that promises ||x - C(x)||^2 <= (1 - delta)
 * ||x||^2, a vector on which the two sides meet, so that no smaller delta would pass. That no
 * vector exceeds the bound is tested in sparsifiers.c and coders.c. */
#include "support/team.h"

typedef enum shape {
    EQUAL,   /* all elements are 1 */
    OUTDONE, /* the first is 1, the others slightly smaller: only the first is sent */
    SPIKE,   /* the first is 1, the others 0 */
    BETWEEN, /* the first is 1, the others halfway between two codes of int8 */
} shape;

typedef struct worst_case {
    const char *name, *settings;
    size_t n;
    shape shape;
} worst_case;

/* topk, k of n equal elements. dryden: a side of m = 199 keeps floor(1.99) = 1. sidco and
 * maxentropy send at least the largest. efsign and onebit: one mean for a spike and zeros. */
static const worst_case cases[] = {
    {"topk", "ratio=0.01", 1000, EQUAL},
    {"topk", "ratio=0.3", 7, EQUAL},
    {"topk", "ratio=0.001", 5, EQUAL},
    {"topk", "ratio=0.75", 8, EQUAL},
    {"dryden", "value=fp32", 199, EQUAL},
    {"sidco", "", 100, OUTDONE},
    {"maxentropy", "", 100, OUTDONE},
    {"efsign", "", 64, SPIKE},
    {"onebit", "", 64, SPIKE},
    {"int8", "memory=residual", 2, BETWEEN},
};
enum { N_CASES = sizeof cases / sizeof *cases, MAX_N = 1000 };

static float element(shape of, size_t i)
{
    static const float others[] = {
        [EQUAL] = 1, [OUTDONE] = 0.998f, [SPIKE] = 0, [BETWEEN] = 0.107f};
    return i == 0 ? 1 : others[of];
}

/* 1 - ||x - C(x)||^2 / ||x||^2, measured at the first step, before there is a residual. */
static double measured_delta(const worst_case *c)
{
    test_team *team = team_of_one(c->name, c->settings, c->n);
    float g[MAX_N], average[MAX_N], *gradient = g;
    for (size_t i = 0; i < c->n; i++)
        g[i] = element(c->shape, i);
    team_step(team, 0, NAN, &gradient, average);
    const egc_encoding *encoding = egc_encoder_encoding(team->encoder[0], 0);
    double delta = 1 - encoding->error_norm2 / encoding->input_norm2;
    team_free(team);
    return delta;
}

static void contraction__constants_are_attained(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CASES; i++) {
        egc_method method = method_of(cases[i].name, cases[i].settings);
        double want = method.compressor->contraction(method.params, cases[i].n);
        double got = measured_delta(&cases[i]);
        if (!(got >= want * (1 - 1e-6) && got <= want * 1.005))
            fail_msg("%s, %s, n = %zu: delta is %g, and this vector has %g", cases[i].name,
                     cases[i].settings, cases[i].n, want, got);
    }
}

/* A new type that promises a contraction needs a row above. */
static void contraction__every_constant_has_a_worst_case(void **state)
{
    (void)state;
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++) {
        bool found = !((*type)->traits & EGC_TRAIT_CONTRACTION);
        for (size_t i = 0; i < N_CASES; i++)
            found |= strcmp((*type)->name, cases[i].name) == 0;
        if (!found)
            fail_msg("%s promises a contraction and has no worst case", (*type)->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contraction__constants_are_attained),
        cmocka_unit_test(contraction__every_constant_has_a_worst_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
