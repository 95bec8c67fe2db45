/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a decoder adds to a compressor: the shard of an ALLTOALL round, and the smoothed density
 * behind the learning-rate correction. */
#include "support/team.h"

/* Three workers vote on 9 elements in shards of three. Each shard has another majority, so that an
 * owner who counts votes about another shard, or stores them in its place, gets another mean. */
static void decoder__absorbs_ballots_of_its_own_shard(void **state)
{
    (void)state;
    enum { P = 3, N = 9 };
    static const float votes[P][N] = {{1, -1, 1, -1, -1, 1, -1, 1, 1},
                                      {1, -1, -1, -1, 1, 1, -1, -1, -1},
                                      {-1, 1, 1, -1, -1, -1, 1, -1, -1}};
    static const float majority[N] = {1, -1, 1, -1, -1, 1, -1, -1, -1};
    const egc_unit unit = {.name = "x", .count = N};
    egc_method method = method_of("signsgd", "");
    test_team *team = team_new(&method, P, &unit, 1);
    float g[P][N], average[N], *gradients[P] = {g[0], g[1], g[2]};
    memcpy(g, votes, sizeof g);
    team_step(team, 0, NAN, gradients, average);
    assert_memory_equal(average, majority, sizeof majority);
    team_free(team);
}

/* 5 and then 1 of 10 elements are sent, with masking, so that nothing is left to send later. The
 * density is 0.5 at first, then 0.75 * 0.5 + 0.25 * 0.1 = 0.4, and the mean is multiplied by
 * c(1 / density). */
static void decoder__smooths_the_density_of_the_correction(void **state)
{
    (void)state;
    enum { N = 10 };
    static const size_t sent[] = {5, 1};
    static const double density[] = {0.5, 0.4};
    const egc_unit unit = {.name = "x", .count = N};
    egc_method method = method_of(
        "threshold", "tau=0.5;memory=momentum;lr_correction=layer;lr_smoothing=0.75;value=fp32");
    test_team *team = team_new(&method, 1, &unit, 1);
    for (uint64_t step = 0; step < 2; step++) {
        float g[N], average[N], *gradient = g;
        for (size_t i = 0; i < N; i++)
            g[i] = i < sent[step];
        team_step(team, step, NAN, &gradient, average);
        double factor = egc_method_correction_factor(0.9, 1 / density[step]);
        assert_close(egc_decoder_correction(team->replica[0], 0), factor, 1e-12);
        for (size_t i = 0; i < N; i++)
            assert_close((double)average[i], i < sent[step] ? factor : 0, 1e-6);
    }
    team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decoder__absorbs_ballots_of_its_own_shard),
        cmocka_unit_test(decoder__smooths_the_density_of_the_correction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
