/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workload train as a whole: its promises about seeds, batches and parameters. */
#include "train_support.h"
#include "workloads/train/batches.h"

static const egc_workload_request REQUEST = {.workers = 4, .steps = 10, .seed = 3};

static egc_error err;

/* ---- batches --------------------------------------------------------------------------------- */

/* 96 examples, 3 workers, batches of 8: four steps see every example once. */
static void count_epoch(egc_batches *batches, uint64_t epoch, int *seen)
{
    for (uint64_t step = 4 * epoch; step < 4 * epoch + 4; step++)
        for (size_t worker = 0; worker < 3; worker++) {
            const uint32_t *batch = egc_batches_get(batches, step, worker);
            for (int i = 0; i < 8; i++)
                seen[batch[i]]++;
        }
}

static void train_workload__epoch_sees_every_example_once(void **state)
{
    (void)state;
    egc_batches batches = {0};
    assert_ok(egc_batches_init(&batches, 96, 3, 8, 5, &err), err);
    int seen[96] = {0};
    for (uint64_t epoch = 0; epoch < 3; epoch++) {
        count_epoch(&batches, epoch, seen);
        for (int i = 0; i < 96; i++)
            assert_int_equal(seen[i], epoch + 1);
    }
    egc_batches_fini(&batches);
}

/* 100 examples: 4 are left out each epoch, and nobody ever gets the same example in one epoch. */
static void train_workload__remainder_is_left_out(void **state)
{
    (void)state;
    egc_batches batches = {0};
    assert_ok(egc_batches_init(&batches, 100, 3, 8, 5, &err), err);
    int seen[100] = {0}, total = 0;
    count_epoch(&batches, 0, seen);
    for (int i = 0; i < 100; i++) {
        assert_true(seen[i] <= 1);
        total += seen[i];
    }
    assert_int_equal(total, 96);
    egc_batches_fini(&batches);
}

static void train_workload__order_depends_on_seed_and_epoch(void **state)
{
    (void)state;
    egc_batches one = {0}, same = {0}, other = {0};
    assert_ok(egc_batches_init(&one, 96, 3, 8, 5, &err), err);
    assert_ok(egc_batches_init(&same, 96, 3, 8, 5, &err), err);
    assert_ok(egc_batches_init(&other, 96, 3, 8, 6, &err), err);
    uint32_t first[8];
    const size_t size = sizeof first;
    memcpy(first, egc_batches_get(&one, 0, 1), size);
    assert_memory_not_equal(egc_batches_get(&one, 4, 1), first, size);
    assert_memory_equal(egc_batches_get(&one, 0, 1), first, size); /* back from epoch 1 */
    assert_memory_equal(egc_batches_get(&same, 0, 1), first, size);
    assert_memory_not_equal(egc_batches_get(&other, 0, 1), first, size);
    egc_batches_fini(&one);
    egc_batches_fini(&same);
    egc_batches_fini(&other);
}

/* ---- the workload ---------------------------------------------------------------------------- */

typedef struct run {
    egc_workload *workload;
    float *parameters, *gradient;
} run;

static run start(const char *settings, uint64_t seed)
{
    run r;
    egc_workload_request request = REQUEST;
    request.seed = seed;
    assert_ok(train_open(settings, &request, &r.workload, &err), err);
    r.parameters = egc_calloc(r.workload->n_params, sizeof(float));
    r.gradient = egc_calloc(r.workload->n_params, sizeof(float));
    assert_true(r.parameters && r.gradient);
    assert_ok(r.workload->type->initialize(r.workload, r.parameters, &err), err);
    return r;
}

static double step(run *r, uint64_t at, size_t worker)
{
    double loss;
    assert_ok(r->workload->type->gradient(r->workload, at, worker, r->parameters, r->gradient,
                                          &loss, &err),
              err);
    return loss;
}

static void finish(run *r)
{
    egc_workload_free(r->workload);
    egc_free(r->parameters);
    egc_free(r->gradient);
}

static void check_deterministic(const char *settings)
{
    run a = start(settings, 3), b = start(settings, 3), c = start(settings, 4);
    const size_t size = a.workload->n_params * sizeof(float);
    assert_memory_equal(a.parameters, b.parameters, size);
    assert_memory_not_equal(a.parameters, c.parameters, size);
    step(&b, 7, 0); /* what was asked before does not matter */
    double loss_a = step(&a, 1, 2), loss_b = step(&b, 1, 2);
    assert_true(loss_a == loss_b);
    assert_memory_equal(a.gradient, b.gradient, size);
    step(&b, 1, 3);
    assert_memory_not_equal(a.gradient, b.gradient, size);
    finish(&a);
    finish(&b);
    finish(&c);
}

static void train_workload__deterministic(void **state)
{
    (void)state;
    check_deterministic("model=cnn;train_examples=2000;test_examples=100");
    check_deterministic("model=mlp;train_examples=2000;test_examples=100");
    check_deterministic("model=resnet20;dataset=shapes32;train_examples=200;test_examples=10;"
                        "batch=8;augment=true;split=dirichlet");
}

static void descend(run *r, uint64_t steps)
{
    for (uint64_t at = 0; at < steps; at++)
        for (size_t worker = 0; worker < REQUEST.workers; worker++) {
            step(r, at, worker);
            for (size_t i = 0; i < r->workload->n_params; i++)
                r->parameters[i] -= 0.05f * r->gradient[i];
        }
}

static egc_evaluation evaluate(run *r)
{
    egc_evaluation evaluation;
    assert_ok(r->workload->type->evaluate(r->workload, r->parameters, &evaluation, &err), err);
    return evaluation;
}

static void check_same_training(const char *settings)
{
    run a = start(settings, 3), b = start(settings, 3);
    descend(&a, 4);
    descend(&b, 4);
    assert_memory_equal(a.parameters, b.parameters, a.workload->n_params * sizeof(float));
    assert_true(evaluate(&a).loss == evaluate(&b).loss);
    finish(&a);
    finish(&b);
}

static void train_workload__same_parameters_after_training(void **state)
{
    (void)state;
    check_same_training("model=cnn;train_examples=512;test_examples=100");
    check_same_training("model=vgg;dataset=shapes32;train_examples=100;test_examples=50;batch=8;"
                        "augment=true;split=dirichlet;alpha=0.1");
    check_same_training("model=resnet20;dataset=shapes32;train_examples=100;test_examples=50;"
                        "batch=8");
}

/* Networks with batch normalisation are evaluated with running moments: they move with the
 * gradients asked for, all of a step at once, in whatever order. */
static void train_workload__running_moments(void **state)
{
    (void)state;
    const char *settings = "model=vgg;dataset=shapes32;train_examples=64;test_examples=50;batch=8";
    run a = start(settings, 3), b = start(settings, 3);
    const double at_first = evaluate(&a).loss;
    assert_true(at_first == evaluate(&b).loss);
    for (size_t worker = 0; worker < 4; worker++) {
        step(&a, 0, worker);
        step(&b, 0, 3 - worker);
    }
    assert_true(evaluate(&a).loss != at_first);
    assert_true(evaluate(&a).loss == evaluate(&b).loss);
    step(&a, 1, 0);
    assert_true(evaluate(&a).loss != evaluate(&b).loss);
    finish(&a);
    finish(&b);
}

/* Augmented images give another gradient. */
static void train_workload__augmentation(void **state)
{
    (void)state;
    const char *settings = "model=softmax;dataset=shapes32;train_examples=32;test_examples=1;"
                           "batch=8;augment=true";
    run plain =
        start("model=softmax;dataset=shapes32;train_examples=32;test_examples=1;batch=8", 3);
    run augmented = start(settings, 3);
    const size_t size = plain.workload->n_params * sizeof(float);
    step(&plain, 0, 0);
    step(&augmented, 0, 0);
    assert_memory_not_equal(plain.gradient, augmented.gradient, size);
    finish(&plain);
    finish(&augmented);
}

/* A worker with few classes has a loss far from the others' once a network prefers some class. */
static void train_workload__dirichlet_split(void **state)
{
    (void)state;
    run even = start("model=softmax;dataset=shapes32;train_examples=400;test_examples=1", 3);
    run skewed = start("model=softmax;dataset=shapes32;train_examples=400;test_examples=1;"
                       "split=dirichlet;alpha=0.01",
                       3);
    run *runs[] = {&even, &skewed};
    double spread[2];
    for (int i = 0; i < 2; i++) {
        const size_t n = runs[i]->workload->n_params;
        memset(runs[i]->parameters, 0, n * sizeof(float));
        runs[i]->parameters[n - 1] = 2; /* the bias of the last class */
        double least = INFINITY, most = 0;
        for (size_t worker = 0; worker < 4; worker++) {
            const double loss = step(runs[i], 0, worker);
            least = fmin(least, loss);
            most = fmax(most, loss);
        }
        spread[i] = most - least;
    }
    assert_true(spread[1] > 2 * spread[0]);
    finish(&even);
    finish(&skewed);
}

/* A gradient of a batch is the mean over its halves. */
static void train_workload__gradient_is_a_mean(void **state)
{
    (void)state;
    const egc_workload_request two = {.workers = 2, .steps = 1, .seed = 1};
    const egc_workload_request one = {.workers = 1, .steps = 1, .seed = 1};
    run halves, whole;
    assert_ok(train_open("model=mlp;batch=16;train_examples=64", &two, &halves.workload, &err),
              err);
    assert_ok(train_open("model=mlp;batch=32;train_examples=64", &one, &whole.workload, &err), err);
    const size_t n = whole.workload->n_params;
    halves.parameters = egc_calloc(n, sizeof(float));
    halves.gradient = egc_calloc(n, sizeof(float));
    whole.parameters = egc_calloc(n, sizeof(float));
    whole.gradient = egc_calloc(n, sizeof(float));
    float *sum = egc_calloc(n, sizeof(float));
    assert_ok(whole.workload->type->initialize(whole.workload, whole.parameters, &err), err);
    memcpy(halves.parameters, whole.parameters, n * sizeof(float));
    double loss = 0;
    for (size_t worker = 0; worker < 2; worker++) {
        loss += step(&halves, 0, worker) / 2;
        for (size_t i = 0; i < n; i++)
            sum[i] += halves.gradient[i] / 2;
    }
    assert_close(step(&whole, 0, 0), loss, 1e-6);
    for (size_t i = 0; i < n; i++)
        assert_true(fabsf(sum[i] - whole.gradient[i]) <= 1e-6f + 1e-4f * fabsf(sum[i]));
    egc_free(sum);
    finish(&halves);
    finish(&whole);
}

/* Biases are zero and weights have the mean and the variance they should have. */
static void train_workload__initial_parameters(void **state)
{
    (void)state;
    run r = start("model=mlp;train_examples=128", 1);
    const egc_layer *weight = &r.workload->layers[0], *bias = &r.workload->layers[1];
    assert_string_equal(weight->name, "fc1.weight");
    assert_int_equal(weight->count, 784 * 256);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < weight->count; i++) {
        sum += (double)r.parameters[i];
        squares += (double)r.parameters[i] * (double)r.parameters[i];
    }
    assert_true(fabs(sum / (double)weight->count) < 0.0005); /* four deviations of the mean */
    assert_close(squares / (double)weight->count, 2.0 / 784, 0.02);
    for (size_t i = 0; i < bias->count; i++)
        assert_true(r.parameters[weight->count + i] == 0);
    finish(&r);
}

/* 250 test examples: two batches and a half. Each example counts once. */
static void train_workload__evaluation_of_a_short_batch(void **state)
{
    (void)state;
    run few = start("model=mlp;train_examples=128;test_examples=200", 1);
    run more = start("model=mlp;train_examples=128;test_examples=250", 1);
    egc_evaluation of_200, of_250;
    assert_ok(few.workload->type->evaluate(few.workload, few.parameters, &of_200, &err), err);
    assert_ok(more.workload->type->evaluate(more.workload, more.parameters, &of_250, &err), err);
    double right_200 = of_200.accuracy * 200, right_250 = of_250.accuracy * 250;
    assert_true(fabs(right_250 - round(right_250)) < 1e-9);
    assert_in_range((int)round(right_250 - right_200), 0, 50);
    double loss_of_last_50 = (of_250.loss * 250 - of_200.loss * 200) / 50;
    assert_true(loss_of_last_50 > 1 && loss_of_last_50 < 6);
    assert_true(isnan(of_250.perplexity));
    finish(&few);
    finish(&more);
}

static void train_workload__optimizer(void **state)
{
    (void)state;
    run r = start("model=cnn;train_examples=128;lr=0.1;momentum=0.5;weight_decay=0.001;"
                  "schedule=cosine;lr_warmup=7",
                  1);
    assert_string_equal(r.workload->model, "cnn");
    assert_true(r.workload->optimizer.lr == 0.1 && r.workload->optimizer.momentum == 0.5);
    assert_true(r.workload->optimizer.weight_decay == 0.001);
    assert_int_equal(r.workload->optimizer.schedule, EGC_LR_SCHEDULE_COSINE);
    assert_int_equal(r.workload->optimizer.lr_warmup, 7);
    finish(&r);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void train_workload__refusals(void **state)
{
    (void)state;
    egc_workload *workload;
    assert_fails(train_open("train_examples=100", &REQUEST, &workload, &err), err, EGC_ERROR_RANGE,
                 "a batch of 32 for each of 4 workers needs 128 training examples, got 100");
    assert_fails(train_open("test_examples=10001", &REQUEST, &workload, &err), err, EGC_ERROR_RANGE,
                 "test_examples must be at most 10000, which the data set has, got 10001");
    assert_fails(train_open("model=resnet", &REQUEST, &workload, &err), err, EGC_ERROR_RANGE,
                 "must be \"cnn\", \"lstm\", \"lstm2\", \"mlp\", \"resnet20\", \"softmax\" or "
                 "\"vgg\", got \"resnet\"");
    assert_fails(train_open("alpha=0", &REQUEST, &workload, &err), err, EGC_ERROR_RANGE,
                 "must be > 0, got \"0\"");
    assert_fails(train_open("dataset=shapes32;train_examples=50001", &REQUEST, &workload, &err),
                 err, EGC_ERROR_RANGE,
                 "train_examples must be at most 50000, which the data set has, got 50001");
    assert_fails(train_open("path=/nowhere", &REQUEST, &workload, &err), err, EGC_ERROR_IO,
                 "train-images-idx3-ubyte.gz is not in /nowhere: install the Debian package "
                 "dataset-fashion-mnist, or set path to a folder with the four .gz files of the "
                 "data set");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_workload__epoch_sees_every_example_once),
        cmocka_unit_test(train_workload__remainder_is_left_out),
        cmocka_unit_test(train_workload__order_depends_on_seed_and_epoch),
        cmocka_unit_test(train_workload__deterministic),
        cmocka_unit_test(train_workload__same_parameters_after_training),
        cmocka_unit_test(train_workload__running_moments),
        cmocka_unit_test(train_workload__augmentation),
        cmocka_unit_test(train_workload__dirichlet_split),
        cmocka_unit_test(train_workload__gradient_is_a_mean),
        cmocka_unit_test(train_workload__initial_parameters),
        cmocka_unit_test(train_workload__evaluation_of_a_short_batch),
        cmocka_unit_test(train_workload__optimizer),
        cmocka_unit_test(train_workload__refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
