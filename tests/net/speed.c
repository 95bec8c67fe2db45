/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast workers compute: slow and uneven hosts, in closed form, and jitter, in its moments. */
#include "simulate.h"
#include "support/test.h"

enum { WORKERS = 8, STEPS = 4000 };

/* Where a trial leaves what each worker took for a second of work, in shared memory. */
typedef struct pace_notes {
    double took_s[WORKERS];
    double mean, variance; /* of rank 0, over all steps */
} pace_notes;

static egc_status compute_steps(worker *self, egc_error *err)
{
    (void)err;
    pace_notes *notes = *(pace_notes *const *)self->arg;
    double sum = 0, squares = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        double start = egc_world_now(self->world);
        egc_actor_begin_step(self->world, self->rank, step);
        egc_actor_compute(self->world, self->rank, 1);
        double took = egc_world_now(self->world) - start;
        sum += took;
        squares += took * took;
        if (step == 0)
            notes->took_s[self->rank] = took;
    }
    if (self->rank == 0) {
        notes->mean = sum / STEPS;
        notes->variance = squares / STEPS - notes->mean * notes->mean;
    }
    return EGC_OK;
}

static void measure_pace_with_servers(const egc_cluster_common *network, uint64_t seed, int servers,
                                      pace_notes *out)
{
    pace_notes *notes = shared_memory(sizeof *notes);
    net_trial trial = trial_of(WORKERS, 1e9, 1e-6, compute_steps, &notes);
    trial.network.host_speeds = network->host_speeds;
    trial.network.stragglers = network->stragglers;
    trial.network.straggler_slowdown = network->straggler_slowdown;
    trial.network.jitter = network->jitter;
    trial.config.seed = seed;
    trial.config.servers = servers;
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    *out = *notes;
}

static void measure_pace(const egc_cluster_common *network, uint64_t seed, pace_notes *out)
{
    measure_pace_with_servers(network, seed, 0, out);
}

static void speed__hosts_compute_at_their_speeds(void **state)
{
    (void)state;
    double speeds[] = {1, 0.5, 2};
    pace_notes got;
    measure_pace(&(egc_cluster_common){.host_speeds = {speeds, 3}}, 1, &got);
    for (int rank = 0; rank < WORKERS; rank++)
        assert_close(got.took_s[rank], 1 / speeds[rank % 3], 1e-9);
}

static void speed__the_seed_says_who_straggles(void **state)
{
    (void)state;
    const egc_cluster_common slow = {.stragglers = 0.25, .straggler_slowdown = 3};
    pace_notes first, again, other;
    int differ = 0;
    measure_pace(&slow, 1, &first);
    measure_pace(&slow, 1, &again);
    assert_memory_equal(&first, &again, sizeof first);
    for (uint64_t seed = 2; seed < 6; seed++) {
        int stragglers = 0;
        measure_pace(&slow, seed, &other);
        for (int rank = 0; rank < WORKERS; rank++) {
            bool is_slow = other.took_s[rank] > 2;
            assert_close(other.took_s[rank], is_slow ? 3 : 1, 1e-9);
            stragglers += is_slow;
            differ += is_slow != (first.took_s[rank] > 2);
        }
        assert_int_equal(stragglers, 2);
    }
    assert_true(differ > 0);
}

/* The share is of the workers: of eight ranks two serve, so that half of the others is three. */
static void speed__servers_are_not_drawn(void **state)
{
    (void)state;
    enum { SERVERS = 2 };
    for (uint64_t seed = 1; seed < 3; seed++) {
        pace_notes got;
        int stragglers = 0;
        measure_pace_with_servers(&(egc_cluster_common){.stragglers = 0.5, .straggler_slowdown = 3},
                                  seed, SERVERS, &got);
        for (int rank = 0; rank < WORKERS; rank++)
            stragglers += got.took_s[rank] > 2;
        assert_int_equal(stragglers, 3);
        measure_pace_with_servers(
            &(egc_cluster_common){.stragglers = 1, .straggler_slowdown = 3, .jitter = 0.3}, seed,
            SERVERS, &got);
        for (int rank = WORKERS - SERVERS; rank < WORKERS; rank++)
            assert_close(got.took_s[rank], 1, 1e-9);
        for (int rank = 0; rank < WORKERS - SERVERS; rank++)
            assert_true(fabs(got.took_s[rank] - 1) > 1e-3 && got.took_s[rank] != 3);
    }
}

/* 4000 draws: the mean lies within 5 of its standard errors, j / sqrt(4000), and the variance
 * within 5 of its, which for a gamma distribution of shape 1 / j^2 are j^2 sqrt((2 + 6 j^2) / n).
 */
static void speed__jitter_has_its_mean_and_variance(void **state)
{
    (void)state;
    for (double jitter = 0.1; jitter < 0.6; jitter += 0.2) {
        double variance = jitter * jitter;
        pace_notes got;
        measure_pace(&(egc_cluster_common){.jitter = jitter}, 7, &got);
        assert_true(fabs(got.mean - 1) < 5 * jitter / sqrt(STEPS));
        assert_true(fabs(got.variance - variance) <
                    5 * variance * sqrt((2 + 6 * variance) / STEPS));
        assert_true(got.took_s[0] != got.took_s[1]);
    }
}

/* Its square is 0, or has an inverse that is too large. */
static void speed__a_jitter_may_be_too_little_to_be_seen(void **state)
{
    (void)state;
    for (int exponent = -200; exponent < 0; exponent += 40) {
        pace_notes got;
        measure_pace(&(egc_cluster_common){.jitter = pow(10, exponent)}, 7, &got);
        assert_close(got.took_s[0], 1, 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speed__hosts_compute_at_their_speeds),
        cmocka_unit_test(speed__the_seed_says_who_straggles),
        cmocka_unit_test(speed__servers_are_not_drawn),
        cmocka_unit_test(speed__jitter_has_its_mean_and_variance),
        cmocka_unit_test(speed__a_jitter_may_be_too_little_to_be_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
