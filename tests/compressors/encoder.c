/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics and clipping of an encoder. The residual a statistic speaks of is the vector itself,
 * read from the encoder. */
#include "base/rng.h"
#include "support/team.h"

enum { N = 40 };

static void fill_gradient(float *g, uint64_t step)
{
    for (size_t i = 0; i < N; i++)
        g[i] = (float)((int)(egc_rng_derive_seed(3, step, i) % 41) - 20) + 0.5f;
}

/* Compares residual_norm2 with the residual of the only unit: 0 where there is none. */
static void assert_residual_norm(const egc_encoder *encoder, const char *what)
{
    const float *residual = egc_encoder_residual(encoder);
    double want = residual ? egc_kernels_get()->norm2(residual, N) : 0;
    double got = egc_encoder_encoding(encoder, 0)->residual_norm2;
    if (!(fabs(got - want) <= 1e-5 * want))
        fail_msg("%s: residual_norm2 = %g, the residual has %g", what, got, want);
    assert_true(!residual || want > 0);
}

/* sparse, dense, coded, shared values, coder of several rounds */
static void encoder__residual_norm_is_that_of_the_residual(void **state)
{
    (void)state;
    static const char *const methods[][2] = {{"topk", "ratio=0.2"},
                                             {"topk", "min_elements=1000;value=fp32"},
                                             {"efsign", "residual_lr=sent"},
                                             {"randomk", "ratio=0.2"},
                                             {"powersgd", "rank=1;min_rate=0"}};
    static const char *const kinds[] = {"none", "residual", "momentum"};
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            const egc_unit unit = {.name = "x", .count = N, .rows = 5};
            egc_method method = method_of(methods[m][0], methods[m][1]);
            set_word(&method, "memory", kinds[k]);
            test_team *team = team_new(&method, 1, &unit, 1);
            bool dense = method.options.min_elements > 0; /* fp32: nothing stays behind */
            for (uint64_t step = 0; step < 3; step++) {
                float g[N], average[N], *gradient = g;
                fill_gradient(g, step);
                team_step(team, step, NAN, &gradient, average);
                if (dense)
                    assert_true(egc_encoder_encoding(team->encoder[0], 0)->residual_norm2 == 0);
                else
                    assert_residual_norm(team->encoder[0], methods[m][0]);
            }
            team_free(team);
        }
}

/* A unit sent dense in 16 bits loses rounding errors: the residual keeps them, none does not. */
static void encoder__residual_norm_of_a_rounded_dense_unit(void **state)
{
    (void)state;
    static const char *const kinds[] = {"none", "residual"};
    for (size_t k = 0; k < 2; k++) {
        const egc_unit unit = {.name = "x", .count = N};
        egc_method method = method_of("randomk", "min_elements=1000;value=bf16");
        set_word(&method, "memory", kinds[k]);
        test_team *team = team_new(&method, 1, &unit, 1);
        float g[N], average[N], *gradient = g;
        for (size_t i = 0; i < N; i++)
            g[i] = 1 / (3 + (float)i);
        team_step(team, 0, NAN, &gradient, average);
        assert_true(egc_encoder_encoding(team->encoder[0], 0)->error_norm2 > 0);
        assert_residual_norm(team->encoder[0], "dense");
        team_free(team);
    }
}

/* Two workers choose the elements 0 and 1 of their vectors. The exchange keeps the larger sum, so
 * one worker's element is dropped: it stays in its residual, and without one counts for nothing. */
static void encoder__residual_norm_after_a_merge(void **state)
{
    (void)state;
    static const char *const kinds[] = {"none", "residual"};
    for (size_t k = 0; k < 2; k++) {
        const egc_unit unit = {.name = "x", .count = N};
        egc_method method = method_of("topk", "ratio=0.025");
        set_word(&method, "memory", kinds[k]);
        egc_coder_config config = {.method = &method,
                                   .n_workers = 2,
                                   .units = &unit,
                                   .n_units = 1,
                                   .merge = EGC_MERGE_LARGEST};
        egc_error err = {0};
        egc_decoder *decoder;
        egc_merger *merger;
        egc_encoder *encoder[2];
        egc_buf wire[2] = {{0}}, opened[2] = {{0}}, sum = {0}, kept = {0}, joined = {0};
        assert_ok(egc_workspace_new(N, &config.workspace, &err), err);
        assert_ok(egc_decoder_new(&config, &decoder, &err), err);
        assert_ok(egc_merger_new(&config, 0, 1, &merger, &err), err);
        for (size_t w = 0; w < 2; w++) {
            float g[N];
            egc_gradient_check check;
            for (size_t i = 0; i < N; i++)
                g[i] = i == w ? 10 + (float)w : 0.25f;
            assert_ok(egc_encoder_new(&config, w, decoder, &encoder[w], &err), err);
            const egc_step_input input = {.lr = NAN, .gradient = g};
            assert_ok(egc_encoder_step(encoder[w], &input, &check, &err), err);
            assert_ok(egc_encoder_message(encoder[w], 0, 0, 1, 0, &wire[w], &err), err);
            assert_ok(egc_merger_open(merger, &wire[w], &opened[w], &err), err);
        }
        assert_ok(egc_merger_sum(merger, &opened[0], &opened[1], &sum, &err), err);
        assert_ok(egc_merger_keep(merger, 0, &sum, &kept, &err), err);
        assert_ok(egc_merger_join(merger, 0, &kept, 1, &joined, &err), err);
        float average[N];
        egc_reader reader = egc_reader_of(joined.data, joined.len);
        const egc_decoder_input result = {
            .count = 1, .messages = &reader, .n_messages = 1, .reduced = true};
        assert_ok(egc_decoder_decode(decoder, &result, average, &err), err);
        assert_true(average[1] == 5.5f && average[0] == 0); /* the mean of 11 and nothing */
        for (size_t w = 0; w < 2; w++) {
            assert_ok(egc_encoder_finish(encoder[w], 0, 1, &err), err);
            assert_residual_norm(encoder[w], w ? "sent" : "dropped");
            egc_encoder_free(encoder[w]);
            egc_buf_fini(&wire[w]);
            egc_buf_fini(&opened[w]);
        }
        egc_buf_fini(&sum);
        egc_buf_fini(&kept);
        egc_buf_fini(&joined);
        egc_merger_free(merger);
        egc_decoder_free(decoder);
        egc_workspace_free(config.workspace);
    }
}

/* The limit 6 is shared by squares: 6 / sqrt(4) = 3 of each of four workers, 6 of one alone. */
static void encoder__clip_follows_regrouping(void **state)
{
    (void)state;
    const egc_unit unit = {.name = "x", .count = N};
    egc_method method = method_of("none", "clip=6");
    test_team *team = team_new(&method, 4, &unit, 1);
    float g[N];
    fill_gradient(g, 0);
    for (size_t n_workers = 4; n_workers > 0; n_workers--) {
        egc_encoder_regroup(team->encoder[0], 0, n_workers);
        team_begin(team, 0, 4 - n_workers, NAN, g);
        team_speak(team, 0, 0);
        const egc_encoding *encoding = egc_encoder_encoding(team->encoder[0], 0);
        assert_true(encoding->gradient_norm2 > 36);
        assert_close(encoding->input_norm2, 36 / (double)n_workers, 1e-6);
    }
    team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoder__residual_norm_is_that_of_the_residual),
        cmocka_unit_test(encoder__residual_norm_of_a_rounded_dense_unit),
        cmocka_unit_test(encoder__residual_norm_after_a_merge),
        cmocka_unit_test(encoder__clip_follows_regrouping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
