/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Networks learn: dense SGD with momentum on four workers, averaged by hand. */
#include "train_support.h"

enum { WORKERS = 4 };

static egc_error err;

static void sgd_step(egc_workload *workload, uint64_t step, float *x, float *velocity, float *grad)
{
    const egc_optimizer *optimizer = &workload->optimizer;
    const size_t n = workload->n_params;
    for (size_t i = 0; i < n; i++)
        velocity[i] *= (float)optimizer->momentum;
    for (size_t worker = 0; worker < WORKERS; worker++) {
        double loss;
        assert_ok(workload->type->gradient(workload, step, worker, x, grad, &loss, &err), err);
        for (size_t i = 0; i < n; i++)
            velocity[i] += grad[i] / WORKERS;
    }
    for (size_t i = 0; i < n; i++)
        x[i] -= (float)optimizer->lr * velocity[i];
}

static double accuracy_after(const char *settings, uint64_t steps)
{
    egc_workload *workload;
    const egc_workload_request request = {.workers = WORKERS, .steps = steps, .seed = 1};
    assert_ok(train_open(settings, &request, &workload, &err), err);
    float *x = egc_calloc(workload->n_params, sizeof *x);
    float *velocity = egc_calloc(workload->n_params, sizeof *velocity);
    float *grad = egc_calloc(workload->n_params, sizeof *grad);
    assert_true(x && velocity && grad);
    assert_ok(workload->type->initialize(workload, x, &err), err);
    for (uint64_t step = 0; step < steps; step++)
        sgd_step(workload, step, x, velocity, grad);
    egc_evaluation evaluation;
    assert_ok(workload->type->evaluate(workload, x, &evaluation, &err), err);
    egc_free(x);
    egc_free(velocity);
    egc_free(grad);
    egc_workload_free(workload);
    return evaluation.accuracy;
}

static void train_learning__mlp_learns(void **state)
{
    (void)state;
    assert_true(accuracy_after("model=mlp", 150) > 0.78);
}

static void train_learning__cnn_learns(void **state)
{
    (void)state;
    assert_true(accuracy_after("model=cnn", 150) > 0.78);
}

/* Where a shape lies says nothing of what it is: 0.1 is chance. */
static void train_learning__shapes_need_convolutions(void **state)
{
    (void)state;
    const char *rest = "dataset=shapes32;train_examples=20000;test_examples=1000;lr=";
    char settings[128];
    snprintf(settings, sizeof settings, "model=softmax;%s0.005", rest);
    assert_true(accuracy_after(settings, 400) < 0.2);
    snprintf(settings, sizeof settings, "model=cnn;%s0.03", rest);
    assert_true(accuracy_after(settings, 400) > 0.35);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_learning__mlp_learns),
        cmocka_unit_test(train_learning__cnn_learns),
        cmocka_unit_test(train_learning__shapes_need_convolutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
