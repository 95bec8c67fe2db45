/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for every sparsifier and setting alike. */
#include <stdlib.h>

#include "support/select.h"

/* Every way of each type on the inputs and lengths that break things: indices ascending and below
 * n, no zeros, values finite and not 0; over steps, so that state and signs take their turns. */
static void sparsifiers__every_way_on_awkward_inputs(void **state)
{
    (void)state;
    static const char *const ways[][2] = {
        {"dgc", "ratio=0.05"},
        {"dgc", "ratio=0.05;resample=false;rounds=3"},
        {"gaussiank", "ratio=0.3"},
        {"gaussiank", "ratio=1"},
        {"redsync", "search=trimmed"},
        {"redsync", "quantize=true;reuse=2"},
        {"redsync", "quantize=true;search=trimmed;ratio=0.5"},
        {"sidco", "distribution=gp;stages=3"},
        {"sidco", "distribution=gamma"},
        {"sidco", "distribution=gamma;ratio=0.5"},
        {"sidco", "ratio=1"},
        {"adacomp", "bin=7"},
        {"dryden", "ratio=0.5"},
        {"maxentropy", "rule=share"},
        {"maxentropy", "rule=budget"},
        {"maxentropy", "bins=2;sample=0.1"},
    };
    float x[1024];
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++)
        for (size_t d = 0; d < N_TEST_DIMS; d++)
            for (int family = 0; family <= N_FAMILIES; family++) {
                size_t n = test_dims[d];
                egc_method method = method_of(ways[w][0], ways[w][1]);
                void *memory = new_state(&method, n);
                bool own_values = method.compressor->traits & EGC_TRAIT_OWN_VALUES;
                for (uint64_t step = 0; step < 12; step++) {
                    fill_input(x, n, family % N_FAMILIES, 43 + step);
                    for (size_t i = 0; family == N_FAMILIES && i < n; i++)
                        x[i] = (float)((double)x[i] * 1e40); /* up to the largest floats */
                    egc_selection s = run(&method, (call){.step = step, .state = memory}, x, n);
                    for (size_t i = 0; i < s.count; i++) {
                        assert_true(s.index[i] < n && (i == 0 || s.index[i] > s.index[i - 1]));
                        assert_true(x[s.index[i]] != 0);
                        assert_true(!own_values || (isfinite(s.value[i]) && s.value[i] != 0 &&
                                                    (s.value[i] < 0) == (x[s.index[i]] < 0)));
                    }
                    release(&s);
                }
                free(memory);
            }
}

/* Types that send one magnitude come with the codec that says it once: 1 + 1 bytes of header, the
 * raw indices, 4 bytes and a bit each; RedSync's one sign a step needs no bits. What is decoded is
 * what was chosen, bit for bit. */
static void sparsifiers__one_magnitude_is_said_once(void **state)
{
    (void)state;
    enum { N = 1000 };
    static const struct {
        const char *name, *settings;
        bool signs;
    } cases[] = {{"strom", "tau=0.002", true},
                 {"adacomp", "bin=100", true},
                 {"redsync", "quantize=true;value=mean;ratio=0.05", false}};
    float *x = gaussian(N, 18), decoded[N];
    for (int c = 0; c < 3; c++) {
        egc_method method = method_of(cases[c].name, cases[c].settings);
        egc_selection s = run(&method, (call){.scale = 1}, x, N);
        egc_buf wire = {0};
        egc_error err = {0};
        egc_arena scratch = {0};
        egc_codec_context coding = {.scratch = &scratch};
        assert_true(s.count > 3 && s.count < 128); /* k is one byte */
        assert_ok(egc_sparse_message_write(egc_codec_index_types()[0],
                                           egc_codec_value_types()[method.options.value], &coding,
                                           NULL, &s, N, &wire, decoded, &err),
                  err);
        size_t signs = cases[c].signs ? (s.count + 7) / 8 : 0;
        assert_int_equal(wire.len, 2 + (10 * s.count + 7) / 8 + 4 + signs);
        for (size_t i = 0; i < s.count; i++)
            assert_true(decoded[i] == s.value[i] && (decoded[i] < 0) == (x[s.index[i]] < 0));
        egc_arena_fini(&scratch);
        egc_buf_fini(&wire);
        release(&s);
    }
    free(x);
}

/* Are refused, with the reason. */
static void sparsifiers__parameters_that_would_do_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *name, *settings, *message; /* NULL: fine */
    } cases[] = {
        {"dgc", "sample=1;rounds=3",
         "rounds and resample adjust an estimate, and sample = 1 makes none"},
        {"dgc", "sample=1;resample=false",
         "rounds and resample adjust an estimate, and sample = 1 makes none"},
        {"dgc", "sample=0.5;resample=false;rounds=3", NULL},
        {"redsync", "search=trimmed;reuse=5", "reuse needs search = \"binary\", got \"trimmed\""},
        {"redsync", "reuse=5", NULL},
        {"sidco", "ratio=0.25;stages=2",
         "stages needs a ratio below 0.25, which one stage is enough for; got 0.25"},
        {"sidco", "ratio=0.2;stages=2", NULL},
        {"sidco", "ratio=0.5;stages=1", NULL},
        {"maxentropy", "rule=share;sample=0.1",
         "sample needs rule = \"maxentropy\", got \"share\""},
        {"maxentropy", "rule=share;stages=2", "stages needs rule = \"maxentropy\", got \"share\""},
        {"maxentropy", "rule=budget;bins=16", "bins needs rule = \"maxentropy\", got \"budget\""},
        {"maxentropy", "rule=budget;min_tail=9",
         "min_tail needs rule = \"maxentropy\", got \"budget\""},
        {"maxentropy", "share=0.2", "share needs rule = \"share\", got \"maxentropy\""},
        {"maxentropy", "rule=share;ratio=0.2", "ratio needs rule = \"budget\", got \"share\""},
        {"maxentropy", "stages=1;sample=0.1", NULL},
        {"maxentropy", "rule=share;share=0.2", NULL},
        {"maxentropy", "rule=budget;ratio=1", NULL},
    };
    egc_error err = {0};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        egc_method method = method_of(cases[c].name, cases[c].settings);
        if (cases[c].message)
            assert_fails(egc_method_check(&method, &err), err, EGC_ERROR_UNSUPPORTED,
                         cases[c].message);
        else
            assert_ok(egc_method_check(&method, &err), err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparsifiers__one_magnitude_is_said_once),
        cmocka_unit_test(sparsifiers__parameters_that_would_do_nothing),
        cmocka_unit_test(sparsifiers__every_way_on_awkward_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
