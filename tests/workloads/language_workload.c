/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workload train on a text: its promises about seeds, steps and evaluations, and that it
 * learns. The text is made here: every word but <eos> has one word that always follows it, out of
 * WORDS, and where a line starts is drawn. */
#include <stdlib.h>
#include <unistd.h>

#include "base/rng.h"
#include "train_support.h"

enum { WORDS = 12, LINES = 1200, LINE_WORDS = 7 };

static const egc_workload_request REQUEST = {.workers = 2, .steps = 10, .seed = 3};

static char path[] = "language-workload-XXXXXX";
static egc_error err;

static int write_file(void **state)
{
    (void)state;
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    if (!file)
        return -1;
    uint64_t seed = 1;
    for (int line = 0; line < LINES; line++) {
        unsigned word = (unsigned)(egc_rng_next(&seed) % WORDS);
        for (int i = 0; i < LINE_WORDS; i++, word = (5 * word + 3) % WORDS)
            fprintf(file, "%c ", 'a' + (int)word);
        fputc('\n', file);
    }
    return fclose(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

/* ---- running --------------------------------------------------------------------------------- */

typedef struct run {
    egc_workload *workload;
    float *parameters, *gradient;
} run;

static egc_status open_text(const char *more, const egc_workload_request *request,
                            egc_workload **out)
{
    char settings[512];
    snprintf(settings, sizeof settings, "model=lstm;dataset=text;path=%s;width=16;batch=4;%s", path,
             more);
    return train_open(settings, request, out, &err);
}

static run start_with(const char *more, const egc_workload_request *request)
{
    run r;
    assert_ok(open_text(more, request, &r.workload), err);
    r.parameters = egc_calloc(r.workload->n_params, sizeof(float));
    r.gradient = egc_calloc(r.workload->n_params, sizeof(float));
    assert_true(r.parameters && r.gradient);
    assert_ok(r.workload->type->initialize(r.workload, r.parameters, &err), err);
    return r;
}

static run start(const char *more)
{
    return start_with(more, &REQUEST);
}

static double step(run *r, uint64_t at, size_t worker)
{
    double loss;
    assert_ok(r->workload->type->gradient(r->workload, at, worker, r->parameters, r->gradient,
                                          &loss, &err),
              err);
    return loss;
}

static egc_evaluation evaluate(run *r)
{
    egc_evaluation evaluation;
    assert_ok(r->workload->type->evaluate(r->workload, r->parameters, &evaluation, &err), err);
    return evaluation;
}

static void finish(run *r)
{
    egc_workload_free(r->workload);
    egc_free(r->parameters);
    egc_free(r->gradient);
}

static size_t bytes_of(const run *r)
{
    return r->workload->n_params * sizeof(float);
}

/* ---- promises -------------------------------------------------------------------------------- */

/* 14 words with <unk> and <eos>. */
static void language_workload__layers(void **state)
{
    (void)state;
    run r = start("");
    const size_t vocabulary = WORDS + 2;
    assert_int_equal(r.workload->n_params,
                     vocabulary * 16 + 2 * 4 * 16 * 16 + 4 * 16 + vocabulary * 16 + vocabulary);
    assert_string_equal(r.workload->model, "lstm");
    assert_string_equal(r.workload->layers[0].name, "embedding.weight");
    assert_int_equal(r.workload->layers[0].shape[0], vocabulary);
    finish(&r);
    r = start("model=lstm2;vocabulary=5");
    assert_int_equal(r.workload->n_params, 5 * 16 + 2 * (2 * 4 * 16 * 16 + 4 * 16) + 5 * 16 + 5);
    finish(&r);
}

static void language_workload__same_seed_same_bits(void **state)
{
    (void)state;
    const char *settings = "dropout=0.5";
    egc_workload_request other = REQUEST;
    other.seed = 4;
    run a = start(settings), b = start(settings), c = start_with(settings, &other);
    assert_memory_equal(a.parameters, b.parameters, bytes_of(&a));
    assert_memory_not_equal(a.parameters, c.parameters, bytes_of(&a));
    for (uint64_t s = 0; s < 3; s++) {
        double loss_a = step(&a, s, 1);
        step(&b, s, 0); /* what other workers do does not matter */
        assert_true(loss_a == step(&b, s, 1));
        assert_memory_equal(a.gradient, b.gradient, bytes_of(&a));
    }
    memcpy(c.parameters, a.parameters, bytes_of(&a));
    assert_true(step(&c, 0, 1) != step(&a, 0, 1)); /* another mask */
    finish(&a);
    finish(&b);
    finish(&c);
}

/* The state of a step is that of the step before; alone, or without carry, it is zero. */
static void language_workload__carried_state(void **state)
{
    (void)state;
    run carried = start("sequence=5"), alone = start("sequence=5"),
        without = start("sequence=5;carry=false");
    step(&carried, 0, 0);
    step(&without, 0, 0);
    double second = step(&carried, 1, 0), second_alone = step(&alone, 1, 0);
    assert_true(second != second_alone);
    assert_true(step(&without, 1, 0) == second_alone);
    assert_true(step(&carried, 1, 0) == second_alone); /* again: step 1 does not follow step 1 */
    step(&carried, 0, 0);
    step(&carried, 0, 1);
    assert_true(step(&carried, 1, 0) == second); /* worker 1 has a state of its own */
    finish(&carried);
    finish(&alone);
    finish(&without);
}

/* Two streams of equal words: only what dropout draws tells workers, and epochs, apart. */
static void language_workload__masks(void **state)
{
    (void)state;
    char settings[300], same[] = "language-same-XXXXXX";
    FILE *file = fdopen(mkstemp(same), "w");
    for (int line = 0; line < 100; line++)
        fputs("a b c d e f g\n", file);
    fclose(file);
    for (int dropout = 0; dropout < 2; dropout++) {
        snprintf(settings, sizeof settings, "path=%s;batch=1;dropout=0.%d", same, dropout);
        run r = start(settings);
        double loss = step(&r, 0, 0);
        uint64_t epoch = (360 - 1) / 35;
        assert_true((step(&r, 0, 1) == loss) == !dropout);
        assert_true((step(&r, epoch, 0) == loss) == !dropout);
        finish(&r);
    }
    unlink(same);
}

/* 1080 lines of 8 words for two workers with 4 streams each: 1080 words, 30 steps of 35. Then the
 * same words come again, from a zero state. */
static void language_workload__epoch(void **state)
{
    (void)state;
    run r = start("");
    double first = step(&r, 0, 0);
    for (uint64_t s = 1; s < 30; s++)
        assert_true(step(&r, s, 0) != first);
    assert_true(step(&r, 30, 0) == first);
    finish(&r);
}

/* One part of the text for one worker is two halves for two. */
static void language_workload__workers_have_parts(void **state)
{
    (void)state;
    const egc_workload_request one = {.workers = 1, .steps = 1, .seed = 3};
    run two = start("batch=2"), whole = start_with("batch=4", &one);
    double halves = (step(&two, 0, 0) + step(&two, 0, 1)) / 2;
    assert_close(step(&whole, 0, 0), halves, 1e-6);
    finish(&two);
    finish(&whole);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

/* With all parameters zero every word is as likely as any other, and none is the most likely. */
static void language_workload__perplexity_of_zeros(void **state)
{
    (void)state;
    run r = start("");
    memset(r.parameters, 0, bytes_of(&r));
    egc_evaluation evaluation = evaluate(&r);
    assert_close(evaluation.perplexity, WORDS + 2, 1e-5);
    assert_close(evaluation.loss, log(WORDS + 2), 1e-5);
    assert_true(evaluation.accuracy == 0);
    finish(&r);
}

/* Only the decoder's biases differ from zero: a unigram model. The test part is the last 60 lines,
 * the validation part the 60 before; ten streams of 48 words predict 470 words of each. */
static void language_workload__parts(void **state)
{
    (void)state;
    run test = start(""), validation = start("evaluate_on=validation"),
        few = start("test_examples=20");
    run *runs[] = {&test, &validation, &few};
    for (int i = 0; i < 3; i++) {
        memset(runs[i]->parameters, 0, bytes_of(runs[i]));
        runs[i]->parameters[runs[i]->workload->n_params - 1] = 3;
    }
    egc_evaluation of_test = evaluate(&test), of_validation = evaluate(&validation);
    double right_of_470 = of_test.accuracy * 470;
    assert_true(fabs(right_of_470 - round(right_of_470)) < 1e-9 && right_of_470 > 0);
    assert_true(of_test.loss != of_validation.loss);
    double share = of_test.accuracy;
    assert_close(of_test.loss, log(exp(3) + WORDS + 1) - 3 * share, 1e-5);
    double right_of_10 = evaluate(&few).accuracy * 10;
    assert_true(fabs(right_of_10 - round(right_of_10)) < 1e-9);
    finish(&test);
    finish(&validation);
    finish(&few);
}

/* Asking again gives the same: no state is left over from before, from training or evaluating. */
static void language_workload__evaluation_remembers_nothing(void **state)
{
    (void)state;
    run r = start("sequence=7");
    double first = evaluate(&r).loss;
    step(&r, 0, 0);
    assert_true(evaluate(&r).loss == first);
    finish(&r);
}

/* Memory over the whole part, whatever the length of a step. */
static void language_workload__evaluation_carries_its_state(void **state)
{
    (void)state;
    run shorter = start("sequence=5"), longer = start("sequence=47");
    memcpy(shorter.parameters, longer.parameters, bytes_of(&longer));
    assert_close(evaluate(&shorter).loss, evaluate(&longer).loss, 1e-6);
    finish(&shorter);
    finish(&longer);
}

/* ---- learning -------------------------------------------------------------------------------- */

static double perplexity_after(const char *settings, uint64_t steps, double lr)
{
    run r = start(settings);
    for (uint64_t s = 0; s < steps; s++)
        for (size_t worker = 0; worker < 2; worker++) {
            step(&r, s, worker);
            for (size_t i = 0; i < r.workload->n_params; i++)
                r.parameters[i] -= (float)lr * r.gradient[i];
        }
    double perplexity = evaluate(&r).perplexity;
    finish(&r);
    return perplexity;
}

/* A line costs ln 12 for its first word and nothing for the rest, exp(ln 12 / 8) = 1.36, once it is
 * known where lines end; who knows only how often words come has 12.8. */
static void language_workload__learns(void **state)
{
    (void)state;
    assert_true(perplexity_after("", 400, 2) < 2.2);
    assert_true(perplexity_after("model=lstm2;dropout=0.1", 600, 2) < 2.2);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void language_workload__refusals(void **state)
{
    (void)state;
    egc_workload *workload;
    assert_fails(train_open("model=lstm", &REQUEST, &workload, &err), err, EGC_ERROR_UNSUPPORTED,
                 "model lstm needs a text, but data set fashion-mnist is images");
    assert_fails(open_text("model=cnn", &REQUEST, &workload), err, EGC_ERROR_UNSUPPORTED,
                 "model cnn needs images, but data set text is a text");
    assert_fails(open_text("split=dirichlet", &REQUEST, &workload), err, EGC_ERROR_UNSUPPORTED,
                 "split is for images, but data set text is a text");
    assert_fails(train_open("dropout=0.5", &REQUEST, &workload, &err), err, EGC_ERROR_UNSUPPORTED,
                 "dropout is for texts, but data set fashion-mnist is images");
    assert_fails(open_text("train_examples=9000", &REQUEST, &workload), err, EGC_ERROR_RANGE,
                 "train_examples must be at most 8640, which the data set has, got 9000");
    assert_fails(open_text("test_examples=481", &REQUEST, &workload), err, EGC_ERROR_RANGE,
                 "test_examples must be at most 480, which the data set has, got 481");
    assert_fails(open_text("test_examples=1", &REQUEST, &workload), err, EGC_ERROR_RANGE,
                 "test_examples must be at least 2, got 1");
    assert_fails(open_text("train_examples=200", &REQUEST, &workload), err, EGC_ERROR_RANGE,
                 "4 streams of one step of 35 words for each of 2 workers need a text of 288 "
                 "words, got 200");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(language_workload__layers),
        cmocka_unit_test(language_workload__same_seed_same_bits),
        cmocka_unit_test(language_workload__carried_state),
        cmocka_unit_test(language_workload__masks),
        cmocka_unit_test(language_workload__epoch),
        cmocka_unit_test(language_workload__workers_have_parts),
        cmocka_unit_test(language_workload__perplexity_of_zeros),
        cmocka_unit_test(language_workload__parts),
        cmocka_unit_test(language_workload__evaluation_remembers_nothing),
        cmocka_unit_test(language_workload__evaluation_carries_its_state),
        cmocka_unit_test(language_workload__learns),
        cmocka_unit_test(language_workload__refusals),
    };
    return cmocka_run_group_tests(tests, write_file, remove_file);
}
