/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fidelity, metrics of steps and runs, the optimiser and the cost model, by hand. */
#include "support/test.h"

#include "train/cost/cost_model.h"
#include "train/metrics/fidelity.h"
#include "train/metrics/step_stats.h"
#include "workloads/optimizer.h"

static void metrics__fidelity_by_hand(void **state)
{
    (void)state;
    egc_fidelity f;
    egc_error err = {0};
    double cosine, drift;
    assert_ok(egc_fidelity_init(&f, 2, false, 0, false, &err), err);
    egc_fidelity_begin(&f);
    egc_fidelity_add(&f, (float[]){2, 0}, true);
    egc_fidelity_add(&f, (float[]){4, NAN}, false); /* mean: 3, 0 */
    egc_fidelity_end(&f, 2, (float[]){3, 4}, &cosine, &drift);
    assert_close(cosine, 3. / 5, 1e-12);
    assert_close(drift, 4. / 3, 1e-12);
    egc_fidelity_begin(&f);
    egc_fidelity_add(&f, (float[]){0, 8}, true);
    egc_fidelity_add(&f, (float[]){0, 0}, true); /* mean: 0, 4; what was 4 ahead is even now */
    egc_fidelity_end(&f, 2, (float[]){0, 0}, &cosine, &drift);
    assert_true(isnan(cosine) && drift == 0);
    egc_fidelity_fini(&f);
}

/* With momentum 1/2 and gradients 1, 1 the truth is 1, then 3/2; Nesterov's is 3/2, then 7/4. */
static void metrics__truth_has_the_momentum_of_the_method(void **state)
{
    (void)state;
    for (int nesterov = 0; nesterov < 2; nesterov++) {
        egc_fidelity f;
        egc_error err = {0};
        double cosine, drift;
        assert_ok(egc_fidelity_init(&f, 1, true, 0.5, nesterov, &err), err);
        const float want[2][2] = {{1, 1.5f}, {1.5f, 1.75f}};
        for (int step = 0; step < 2; step++) {
            egc_fidelity_begin(&f);
            egc_fidelity_add(&f, (float[]){1}, true);
            egc_fidelity_end(&f, 1, &want[nesterov][step], &cosine, &drift);
            assert_true(cosine == 1 && drift == 0);
        }
        egc_fidelity_fini(&f);
    }
}

static void metrics__divide_what_they_say(void **state)
{
    (void)state;
    egc_encoding units[2] = {0};
    egc_step_stats stats = {.n_workers = 2, .units = units};
    const egc_encoding a = {.sent = 2,
                            .bound_bits = 80,
                            .gradient_norm2 = 4,
                            .input_norm2 = 16,
                            .sent_norm2 = 12,
                            .error_norm2 = 4,
                            .residual_norm2 = 4,
                            .sent_norm1 = 6,
                            .staleness = 3,
                            .wire_bytes = 10};
    egc_step_stats_add(&stats, 0, &a); /* worker 0, units of 50 floats */
    egc_step_stats_add(&stats, 1, &a);
    egc_step_stats_add(&stats, 0, &a); /* worker 1 */
    egc_step_stats_add(&stats, 1, &a);
    stats.totals.message_bytes = 44;
    stats.totals.loss = 3;
    const egc_step_times times = {.step_s = 5};
    egc_metrics m;
    egc_step_stats_metrics(&times, &stats, 2, 100, 2, &m);
    assert_true(m.sent_bytes == 22 && m.compression_ratio == 400. / 22);
    assert_true(m.element_ratio == 25 && m.density == 0.04);
    assert_true(m.bound_ratio == 32 * 200. / 320);
    assert_true(m.rel_error == 0.5 && m.energy_kept == 0.75 && m.residual_norm == 1);
    assert_true(m.staleness == 0.5 && m.loss == 1.5 && m.step_s == 2.5);

    egc_step_stats_clear(&stats, 2);
    egc_step_stats_metrics(&times, &stats, 2, 100, 2,
                           &m); /* nothing was sent: ratios do not apply */
    assert_true(m.density == 0 && isnan(m.element_ratio) && isnan(m.compression_ratio) &&
                isnan(m.rel_error) && isnan(m.staleness));
}

/* Ratios of the run are ratios of sums: 4 and 12 bytes of 64 make 64 / 8, not the mean of 16 and
 * 16/3; a step without a value is left out of that value's mean only. */
static void metrics__run_means(void **state)
{
    (void)state;
    egc_metrics_sums totals = {0};
    egc_metrics m = {.sent_bytes = 4,
                     .compression_ratio = 16,
                     .density = 0.25,
                     .bound_ratio = 8,
                     .rel_error = 0.5,
                     .network_bytes = 10};
    egc_metrics_sums_add(&totals, &m, 16);
    m = (egc_metrics){.sent_bytes = 12,
                      .compression_ratio = 16. / 3,
                      .density = 0.75,
                      .bound_ratio = 8. / 3,
                      .rel_error = NAN,
                      .network_bytes = 30};
    egc_metrics_sums_add(&totals, &m, 16);
    egc_metrics_sums_mean(&totals, 16, &m);
    assert_close(m.compression_ratio, 8, 1e-12);
    assert_close(m.element_ratio, 2, 1e-12);
    assert_close(m.bound_ratio, 4, 1e-12);
    assert_true(m.rel_error == 0.5 && m.network_bytes == 40);
}

/* PyTorch's SGD on x = 1, g = 1, lr 0.1, momentum 0.5, weight decay 0.2: d = 1.2, x = 0.88; then
 * d = 1.176, b = 1.776, x = 0.7024. */
static void metrics__sgd_by_hand(void **state)
{
    (void)state;
    const egc_optimizer optimizer = {.lr = 0.1, .momentum = 0.5, .weight_decay = 0.2};
    float x = 1, velocity = 0, g = 1;
    egc_optimizer_apply(&optimizer, 0.1, &g, &velocity, &x, 1);
    assert_close(x, 0.88, 1e-6);
    assert_close(g, 1.2, 1e-6); /* the direction */
    g = 1;
    egc_optimizer_apply(&optimizer, 0.1, &g, &velocity, &x, 1);
    assert_close(x, 0.7024, 1e-6);
    assert_close(g, 1.776, 1e-6);
    x = g = 1;
    egc_optimizer_apply(&optimizer, 0.1, &g, NULL, &x, 1);
    g = 1;
    egc_optimizer_apply(&optimizer, 0.1, &g, NULL, &x, 1);
    assert_close(x, 0.88 - 0.1 * (1 + 0.2 * 0.88), 1e-6);
}

static void metrics__schedules(void **state)
{
    (void)state;
    egc_optimizer optimizer = {.lr = 0.1, .schedule = EGC_LR_SCHEDULE_CONSTANT};
    assert_true(egc_optimizer_lr(&optimizer, 99, 100) == 0.1);
    optimizer.schedule = EGC_LR_SCHEDULE_COSINE;
    assert_true(egc_optimizer_lr(&optimizer, 0, 100) == 0.1);
    assert_close(egc_optimizer_lr(&optimizer, 50, 100), 0.05, 1e-12);
    assert_close(egc_optimizer_lr(&optimizer, 25, 100), 0.1 * (1 + sqrt(0.5)) / 2, 1e-12);
    optimizer.lr_warmup = 20;
    assert_close(egc_optimizer_lr(&optimizer, 0, 100), 0.005, 1e-12);
    assert_close(egc_optimizer_lr(&optimizer, 18, 100), 0.095, 1e-12);
    assert_true(egc_optimizer_lr(&optimizer, 19, 100) == 0.1);
    assert_true(egc_optimizer_lr(&optimizer, 20, 100) == 0.1);
    assert_close(egc_optimizer_lr(&optimizer, 60, 100), 0.05, 1e-12);
}

/* On a device of 1 GB/s and 1 us a launch: top-k with residual of 1023 floats moves 12 bytes for
 * the memory, 8 for selecting and 2 log2(1024) for sorting each, then 16 for each of 10 chosen and
 * a wire of 100 bytes, in 3 + 1 + 2 launches. */
static void metrics__cost_by_hand(void **state)
{
    (void)state;
    const egc_device device = {.memory_Bps = 1e9, .launch_s = 1e-6};
    egc_method method;
    egc_error err = {0};
    assert_ok(egc_method_init(&method, "topk", &err), err);
    const egc_cost_model_work chosen = {.n = 1023, .sent = 10, .wire_bytes = 100};
    assert_close(egc_cost_model_encode(&method, &device, &chosen),
                 (1023 * (12 + 8 + 20) + 160 + 100) * 1e-9 + 6e-6, 1e-12);
    const egc_cost_model_work gathered = {.n = 1000, .wire_bytes = 500, .n_messages = 8};
    assert_close(egc_cost_model_decode(&method, &device, &gathered), (4000 + 1500) * 1e-9 + 9e-6,
                 1e-12);
    assert_ok(egc_method_init(&method, "none", &err), err);
    const egc_cost_model_work whole = {.n = 1000, .sent = 1000, .wire_bytes = 4000};
    assert_true(egc_cost_model_encode(&method, &device, &whole) == 0);
    const egc_cost_model_work two = {.n = 1000, .wire_bytes = 8000, .n_messages = 2};
    assert_close(egc_cost_model_decode(&method, &device, &two), 24000e-9 + 2e-6, 1e-12);
    const egc_cost_model_work summed = {
        .n = 1000, .wire_bytes = 4000, .n_messages = 1, .reduced = true};
    assert_true(egc_cost_model_decode(&method, &device, &summed) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics__fidelity_by_hand),
        cmocka_unit_test(metrics__truth_has_the_momentum_of_the_method),
        cmocka_unit_test(metrics__divide_what_they_say),
        cmocka_unit_test(metrics__run_means),
        cmocka_unit_test(metrics__sgd_by_hand),
        cmocka_unit_test(metrics__schedules),
        cmocka_unit_test(metrics__cost_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
