/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Local SGD: one local step is sync, several are what they come to by hand, with either momentum
 * and over every kind of exchange; time goes by as many forward and backward passes. */
#include "train/algorithm.h"
#include "train/core/exchange_choice.h"
#include "train/quadratic.h"

enum { P = 4, STEPS = 6 };
extern const egc_algorithm_type egc_algorithm_local;
static _Alignas(16) unsigned char local_params[256];

static void set_local(const char *key, const char *text)
{
    char *end;
    egc_scalar value = {.kind = EGC_SCALAR_NUMBER, .number = strtod(text, &end)};
    egc_error err = {0};
    if (*end)
        value = (egc_scalar){.kind = EGC_SCALAR_TEXT, .text = text};
    assert_ok(
        egc_param_set(egc_param_find(egc_algorithm_local.params, key), local_params, &value, &err),
        err);
}

static egc_train_config local_of(const char *method, const char *steps, const char *momentum)
{
    egc_train_config config = config_of(&closed, method, P, STEPS);
    assert_true(egc_algorithm_local.params_size <= sizeof local_params);
    config.algorithm = &egc_algorithm_local;
    config.algorithm_params = local_params;
    egc_param_init(egc_algorithm_local.params, local_params);
    set_local("local_steps", steps);
    set_local("momentum", momentum);
    return config;
}

static const result *run_well(const egc_train_config *config)
{
    const result *r = run(config);
    if (r->status)
        fail_msg("%s", r->err.message);
    return r;
}

/* ---- one local step -------------------------------------------------------------------------- */

static void local__one_local_step_is_sync(void **state)
{
    (void)state;
    for (int priority = 0; priority < 2; priority++)
        for (int sparse = 0; sparse < 2; sparse++) {
            egc_train_config config = local_of(sparse ? "topk" : "none", "1", "exchange");
            config.options.cost = EGC_COST_MODEL;
            config.options.eval_every = 1;
            config.options.exchange_order = priority;
            const result *local = run_well(&config);
            config.algorithm = NULL;
            const result *sync = run_well(&config);
            assert_true(local->hash == sync->hash && local->steps == STEPS);
            for (int i = 0; i < STEPS; i++) /* NANs are the same bits, too */
                assert_memory_equal(&local->step[i], &sync->step[i], sizeof local->step[i]);
        }
}

/* Local momentum is linear: with one step and nothing lost the mean of the workers' momentum is the
 * momentum of the mean. */
static void local__momentum_of_one_step_is_that_of_the_mean(void **state)
{
    (void)state;
    egc_train_config config = local_of("none", "1", "local");
    const result *local = run_well(&config);
    config.algorithm = NULL;
    assert_close(local->summary.metrics.test_loss, run_well(&config)->summary.metrics.test_loss,
                 1e-5);
}

/* ---- several, by hand ------------------------------------------------------------------------ */

/* The sum of the parameters after STEPS exchanges of the exact mean. */
static double by_hand(int local_steps, bool own_momentum)
{
    static float x[N], local[N], g[N], b[P][N], velocity[N], sum[N], mean[N];
    double loss, total = 0;
    egc_error err;
    memset(x, 0, sizeof x);
    memset(b, 0, sizeof b);
    memset(velocity, 0, sizeof velocity);
    for (uint64_t step = 0; step < STEPS; step++) {
        memset(mean, 0, sizeof mean);
        for (size_t w = 0; w < P; w++) {
            memcpy(local, x, sizeof x);
            memset(sum, 0, sizeof sum);
            for (int h = 0; h < local_steps; h++) {
                assert_ok(gradient(NULL, step, w, local, g, &loss, &err), err);
                for (size_t i = 0; i < N; i++) {
                    b[w][i] = (own_momentum ? 0.5f : 0) * b[w][i] + g[i];
                    local[i] -= 0.05f * b[w][i];
                    sum[i] += b[w][i];
                }
            }
            for (size_t i = 0; i < N; i++)
                mean[i] += sum[i] / P;
        }
        for (size_t i = 0; i < N; i++) {
            velocity[i] = (own_momentum ? 0 : 0.5f) * velocity[i] + mean[i];
            x[i] -= 0.05f * velocity[i];
        }
    }
    for (size_t i = 0; i < N; i++)
        total += (double)x[i];
    return total;
}

static void local__steps_are_those_by_hand(void **state)
{
    (void)state;
    for (int steps = 1; steps <= 5; steps += 2)
        for (int own = 0; own < 2; own++) {
            char text[16];
            snprintf(text, sizeof text, "%d", steps);
            egc_train_config config = local_of("none", text, own ? "local" : "exchange");
            assert_close(run_well(&config)->summary.metrics.test_loss, by_hand(steps, own), 1e-4);
        }
}

/* A method that can send everything does so by any exchange, in any number of rounds. */
static void local__any_exchange_carries_the_differences(void **state)
{
    (void)state;
    static const struct {
        const char *method, *settings[3][2], *exchange;
    } cases[] = {
        {"topk", {{"ratio", "1"}}, NULL},
        {"topk", {{"ratio", "1"}}, "sparcml"},
        {"topk", {{"ratio", "1"}}, "gtopk"},
        {"cltk", {{"ratio", "1"}}, NULL},
        {"none", {{NULL}}, "rabenseifner"},
        {"powersgd", {{"rank", "30"}, {"min_rate", "0"}}, NULL},
        {"randomk", {{"ratio", "1"}}, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        egc_train_config config = local_of(cases[i].method, "3", "local");
        egc_error err = {0};
        for (int k = 0; k < 3 && cases[i].settings[k][0]; k++)
            set(&config, cases[i].settings[k][0], cases[i].settings[k][1]);
        if (cases[i].exchange)
            assert_ok(
                egc_exchange_choice_find(cases[i].exchange, &config.exchange, &config.sparse, &err),
                err);
        const result *r = run_well(&config);
        double wanted = by_hand(3, true), got = r->summary.metrics.test_loss;
        if (!(fabs(got - wanted) <= 1e-3 * fabs(wanted)))
            fail_msg("%s by %s: %.9g, by hand %.9g", cases[i].method, r->summary.exchange, got,
                     wanted);
    }
}

/* ---- time, and what is refused --------------------------------------------------------------- */

static void local__a_step_takes_as_many_passes_as_local_steps(void **state)
{
    (void)state;
    egc_train_config config = local_of("topk", "1", "local");
    double one = run_well(&config)->summary.metrics.compute_s;
    set_local("local_steps", "5");
    assert_close(one, 2 * (forward_s + backward_s), 1e-9);
    assert_close(run_well(&config)->summary.metrics.compute_s, 5 * one, 1e-9);
}

static void check_refused(const egc_train_config *config, const char *message)
{
    egc_error err = {0};
    assert_int_equal(egc_train_run_check(config, &err), EGC_ERROR_UNSUPPORTED);
    assert_string_equal(err.message, message);
}

static void local__traces_and_clipping_are_refused(void **state)
{
    (void)state;
    egc_train_config config = local_of("topk", "2", "local");
    set(&config, "clip", "1");
    check_refused(&config, "method: clip is of gradients, and algorithm local compresses sums of "
                           "them; must be 0, got 1");
    config = local_of("topk", "2", "local");
    config.workload = &open_loop;
    check_refused(&config, "workload: algorithm local needs a network that trains, got constant; "
                           "use train or process");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local__one_local_step_is_sync),
        cmocka_unit_test(local__momentum_of_one_step_is_that_of_the_mean),
        cmocka_unit_test(local__steps_are_those_by_hand),
        cmocka_unit_test(local__any_exchange_carries_the_differences),
        cmocka_unit_test(local__a_step_takes_as_many_passes_as_local_steps),
        cmocka_unit_test(local__traces_and_clipping_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
