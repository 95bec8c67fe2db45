/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The workload `process` with a small program (process_child.c) that does it right, and does each
 * thing wrong that it can. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "support/test.h"
#include "workloads/workload.h"

enum { N = 7 };

static const egc_workload_request request = {.workers = 2, .steps = 3, .seed = 11};

static egc_status set(const egc_workload_type *type, void *params, const char *name,
                      const char *text, egc_error *err)
{
    const egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = text};
    return egc_param_set(egc_param_find(type->params, name), params, &value, err);
}

static egc_status open_command(const char *command, const char *limit, egc_workload **out,
                               egc_error *err)
{
    const egc_workload_type *type;
    assert_ok(egc_workload_find("process", &type, err), *err);
    void *params = egc_calloc(1, type->params_size);
    assert_non_null(params);
    egc_param_init(type->params, params);
    egc_status status = set(type, params, "command", command, err);
    if (!status)
        status = set(type, params, "limit", limit, err);
    if (!status)
        status = egc_workload_new(type, params, &request, out, err);
    egc_free(params);
    return status;
}

static egc_status open_child(const char *fault, egc_workload **out, egc_error *err)
{
    char command[512];
    snprintf(command, sizeof command, "exec %s %s", PROCESS_CHILD, fault);
    return open_command(command, strcmp(fault, "hangs") == 0 ? "0.2s" : "20s", out, err);
}

/* Nothing that was started is left, ended or not. */
static void assert_no_children(void)
{
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* As far as a run goes: opened, initialised, a gradient, an evaluation. */
static egc_status run_once(const char *fault, float *gradient, egc_error *err)
{
    egc_workload *workload;
    egc_status status = open_child(fault, &workload, err);
    if (status)
        return status;
    float parameters[N];
    double loss;
    egc_evaluation quality;
    status = workload->type->initialize(workload, parameters, err);
    if (!status)
        status = workload->type->gradient(workload, 0, 1, parameters, gradient, &loss, err);
    if (!status)
        status = workload->type->evaluate(workload, parameters, &quality, err);
    egc_workload_free(workload);
    return status;
}

static void process__layers_come_from_the_program(void **unused)
{
    (void)unused;
    egc_workload *workload;
    egc_error err;
    assert_ok(open_child("", &workload, &err), err);
    assert_string_equal(workload->model, "quadratic");
    assert_int_equal(workload->n_layers, 2);
    assert_int_equal(workload->n_params, N);
    assert_true(workload->optimizer.lr == 0.5);
    assert_int_equal(workload->optimizer.lr_warmup, 5);
    const egc_layer *w = &workload->layers[0], *b = &workload->layers[1];
    assert_string_equal(w->name, "w");
    assert_true(w->shape[0] == 2 && w->shape[1] == 3 && w->shape[2] == 0 && w->count == 6);
    assert_true(w->forward_flops == 2 && w->backward_flops == 4);
    assert_true(isnan(w->forward_s) && w->backward_s == 0.5);
    assert_string_equal(b->name, "b");
    assert_int_equal(b->count, 1);
    egc_workload_free(workload);
    assert_no_children();
}

/* The loss of worker k is lowest at k + 1: with the mean of two, x goes to 1.5, half the way each
 * step of learning rate 0.5. */
static void process__gradients_follow_the_parameters(void **unused)
{
    (void)unused;
    egc_workload *workload;
    egc_error err;
    float x[N], first[N], second[N];
    double loss;
    assert_ok(open_child("", &workload, &err), err);
    assert_ok(workload->type->initialize(workload, x, &err), err);
    float expected = 1;
    for (uint64_t step = 0; step < 3; step++) {
        assert_ok(workload->type->gradient(workload, step, 0, x, first, &loss, &err), err);
        assert_true(loss == 0.5 * N * (expected - 1) * (expected - 1));
        assert_ok(workload->type->gradient(workload, step, 1, x, second, &loss, &err), err);
        for (int i = 0; i < N; i++) {
            assert_true(first[i] == expected - 1 && second[i] == expected - 2);
            x[i] -= 0.5f * (first[i] + second[i]) / 2;
        }
        expected = 1.5f + (expected - 1.5f) / 2;
    }
    egc_evaluation quality;
    assert_ok(workload->type->evaluate(workload, x, &quality, &err), err);
    assert_true(quality.loss == (double)expected && quality.accuracy == 0.25);
    assert_true(isnan(quality.perplexity));
    egc_workload_free(workload);
    assert_no_children();
}

static void process__each_fault_is_one_line(void **unused)
{
    (void)unused;
    static const struct {
        const char *fault;
        egc_status status;
        const char *message; /* after the command in quotes */
    } cases[] = {
        {"silent", EGC_ERROR_IO,
         " ended with exit status 3 when it had sent 0 of 16 bytes of its layers"},
        {"half", EGC_ERROR_IO,
         " ended with exit status 4 when it had sent 0 of 128 bytes of a layer"},
        {"prints", EGC_ERROR_FORMAT,
         " must answer with LAYR (its layers), got Trai (does it print to its standard output?)"},
        {"says", EGC_ERROR_IO, ": no data: /a/b"},
        {"version", EGC_ERROR_FORMAT, ": protocol version must be 1, got 2"},
        {"lr", EGC_ERROR_FORMAT, ": lr must be in (0, inf), got 0"},
        {"count", EGC_ERROR_FORMAT, ": 3 layers take 488 bytes, got 360"},
        {"name", EGC_ERROR_FORMAT, ": layer 0: its name must be printable, 1 to 63 bytes"},
        {"shape", EGC_ERROR_FORMAT,
         ": layer 0: its shape must be dimensions of at least 1, padded with zeros at the end"},
        {"huge", EGC_ERROR_FORMAT, ": layers hold too many parameters to count"},
        {"flops", EGC_ERROR_FORMAT, ": layer 0: its FLOPs must be in [0, inf)"},
        {"start", EGC_ERROR_FORMAT, ": initial parameter 0 must be finite, got inf"},
        {"small", EGC_ERROR_FORMAT, ": a loss and gradient must be 36 bytes, got 32"},
        {"cut", EGC_ERROR_IO,
         " ended with exit status 0 when it had sent 12 of 28 bytes of a gradient"},
        {"crashes", EGC_ERROR_IO,
         " was killed by signal 9 (Killed) when it had sent 0 of 16 bytes of a loss and gradient"},
        {"hangs", EGC_ERROR_IO,
         " sent only 0 of 16 bytes of a loss and gradient within 0.2 s (limit)"},
        {"accuracy", EGC_ERROR_FORMAT, ": accuracy must be in [0, 1], got 1.5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        egc_error err = {0};
        float gradient[N];
        char wanted[1024];
        snprintf(wanted, sizeof wanted, "\"exec %s %s\"%s", PROCESS_CHILD, cases[i].fault,
                 cases[i].message);
        assert_int_equal(run_once(cases[i].fault, gradient, &err), cases[i].status);
        assert_string_equal(err.message, wanted);
        assert_no_children();
    }
}

/* The core judges them: a network that diverges is a result. */
static void process__nan_is_passed_on(void **unused)
{
    (void)unused;
    egc_error err;
    float gradient[N];
    assert_ok(run_once("nan", gradient, &err), err);
    assert_true(isnan(gradient[3]) && gradient[2] == -1);
}

static void process__programs_that_stay_are_killed(void **unused)
{
    (void)unused;
    egc_error err;
    float gradient[N];
    assert_ok(run_once("stays", gradient, &err), err);
    assert_no_children();
}

static void process__commands_must_exist(void **unused)
{
    (void)unused;
    egc_workload *workload;
    egc_error err;
    assert_int_equal(open_command("", "1s", &workload, &err), EGC_ERROR_RANGE);
    assert_string_equal(err.message, "command: must be a program to run, got \"\"");
    assert_int_equal(open_command("exec 2>/dev/null; /no/such", "9s", &workload, &err),
                     EGC_ERROR_IO);
    assert_string_equal(err.message,
                        "\"exec 2>/dev/null; /no/such\" ended with exit status 127 when it "
                        "had sent 0 of 16 bytes of its layers");
    assert_no_children();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(process__layers_come_from_the_program),
        cmocka_unit_test(process__gradients_follow_the_parameters),
        cmocka_unit_test(process__each_fault_is_one_line),
        cmocka_unit_test(process__nan_is_passed_on),
        cmocka_unit_test(process__programs_that_stay_are_killed),
        cmocka_unit_test(process__commands_must_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
