/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes in comes out: bit for bit, in other layouts, repeated, and after a cut-off recording.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/test.h"
#include "workloads/trace/info.h"
#include "workloads/trace_fixture.h"
#include "workloads/workload.h"

static const egc_workload_type *trace_type(void)
{
    const egc_workload_type *type;
    egc_error err = {0};
    assert_ok(egc_workload_find("trace", &type, &err), err);
    return type;
}

static egc_status open_workload(const char *path, bool cycle, size_t workers, uint64_t steps,
                                egc_workload **out, egc_error *err)
{
    const egc_workload_type *type = trace_type();
    egc_workload_request request = {.workers = workers, .steps = steps};
    egc_scalar file = {.kind = EGC_SCALAR_TEXT, .text = path};
    egc_scalar repeat = {.kind = EGC_SCALAR_BOOL, .boolean = cycle};
    void *params = calloc(1, type->params_size);
    egc_param_init(type->params, params);
    assert_int_equal(egc_param_set(egc_param_find(type->params, "file"), params, &file, err), 0);
    assert_int_equal(egc_param_set(egc_param_find(type->params, "cycle"), params, &repeat, err), 0);
    egc_status status = egc_workload_new(type, params, &request, out, err);
    free(params);
    return status;
}

static void assert_replays(egc_workload *workload, uint64_t step, size_t worker,
                           uint64_t recorded_step, size_t recorded_worker)
{
    egc_error err = {0};
    float got[TOY_PARAMS], want[TOY_PARAMS];
    double loss = -1;
    toy_gradient(recorded_step, recorded_worker, want);
    assert_ok(workload->type->gradient(workload, step, worker, NULL, got, &loss, &err), err);
    assert_memory_equal(got, want, sizeof want);
    assert_true(loss == (double)recorded_step + 0.1 * (double)recorded_worker);
}

static void assert_whole_toy(const char *path)
{
    egc_error err = {0};
    egc_workload *workload;
    assert_ok(open_workload(path, false, TOY_WORKERS, TOY_STEPS, &workload, &err), err);
    for (uint64_t step = 0; step < TOY_STEPS; step++)
        for (size_t worker = 0; worker < TOY_WORKERS; worker++)
            assert_replays(workload, step, worker, step, worker);
    egc_workload_free(workload);
}

static void trace_replay__gives_back_every_bit(void **state)
{
    (void)state;
    const char *path = scratch_path("bits.h5");
    toy_write(path);
    assert_whole_toy(path);
}

static void trace_replay__gives_back_the_layers(void **state)
{
    (void)state;
    egc_error err = {0};
    egc_workload *workload;
    toy_write(scratch_path("layers.h5"));
    assert_ok(open_workload(scratch_path("layers.h5"), false, 1, 1, &workload, &err), err);
    assert_string_equal(workload->model, "toy");
    assert_int_equal(workload->n_layers, TOY_LAYERS);
    assert_int_equal(workload->n_params, TOY_PARAMS);
    for (size_t i = 0; i < TOY_LAYERS; i++) {
        const egc_layer *got = &workload->layers[i], *want = &toy_layers[i];
        assert_string_equal(got->name, want->name);
        assert_memory_equal(got->shape, want->shape, sizeof want->shape);
        assert_int_equal(got->count, want->count);
        assert_true(got->forward_flops == want->forward_flops);
        assert_true(got->backward_flops == want->backward_flops);
        assert_true(got->backward_s == want->backward_s);
    }
    assert_true(workload->layers[0].forward_s == toy_layers[0].forward_s);
    assert_true(isnan(workload->layers[1].forward_s));
    egc_workload_free(workload);
}

/* The same gradients, stored in another way: layouts that need more than a plain read. */
static void store_again(hid_t file, hid_t type, const hsize_t *chunk, unsigned deflate)
{
    const hsize_t dims[] = {TOY_STEPS, TOY_WORKERS, TOY_PARAMS};
    static float all[TOY_STEPS][TOY_WORKERS][TOY_PARAMS];
    for (uint64_t step = 0; step < TOY_STEPS; step++)
        for (size_t worker = 0; worker < TOY_WORKERS; worker++)
            toy_gradient(step, worker, all[step][worker]);
    hid_t space = H5Screate_simple(3, dims, NULL), properties = H5Pcreate(H5P_DATASET_CREATE);
    if (chunk)
        H5Pset_chunk(properties, 3, chunk);
    if (deflate)
        H5Pset_deflate(properties, deflate);
    H5Ldelete(file, "gradients", H5P_DEFAULT);
    hid_t dataset =
        H5Dcreate2(file, "gradients", type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0);
    H5Dclose(dataset);
    H5Pclose(properties);
    H5Sclose(space);
}

static void trace_replay__reads_any_layout(void **state)
{
    (void)state;
    const hsize_t whole[] = {1, 1, TOY_PARAMS}, split[] = {1, 1, 4}, several[] = {2, 2, 5};
    const struct {
        hid_t type;
        const hsize_t *chunk;
        unsigned deflate;
    } layouts[] = {{H5T_IEEE_F32LE, NULL, 0},    {H5T_IEEE_F32LE, split, 0},
                   {H5T_IEEE_F32LE, several, 0}, {H5T_IEEE_F32LE, whole, 6},
                   {H5T_IEEE_F32BE, whole, 0},   {H5T_IEEE_F32LE, whole, 0}};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        hid_t file = toy_edit(scratch_path("layout.h5"));
        store_again(file, layouts[i].type, layouts[i].chunk, layouts[i].deflate);
        H5Fclose(file);
        assert_whole_toy(scratch_path("layout.h5"));
    }
}

/* With 5 steps the stride is 4: the least number from 5 * 0.618 = 3.09 on that shares no divisor
 * with 5. Worker 3 is the first copy of worker 0, worker 7 the second copy of worker 1. */
static void trace_replay__cycles_with_an_offset(void **state)
{
    (void)state;
    egc_error err = {0};
    egc_workload *workload;
    toy_write(scratch_path("cycle.h5"));
    assert_ok(open_workload(scratch_path("cycle.h5"), true, 100, 1000, &workload, &err), err);
    assert_replays(workload, 0, 0, 0, 0);
    assert_replays(workload, 4, 2, 4, 2);
    assert_replays(workload, 5, 2, 0, 2);
    assert_replays(workload, 0, 3, 4, 0);
    assert_replays(workload, 1, 3, 0, 0);
    assert_replays(workload, 0, 7, 3, 1);
    assert_replays(workload, 999, 15, 4, 0); /* five copies on, the offsets start again */
    egc_workload_free(workload);
}

/* One worker, whose loss is the step. */
static void write_steps(const char *path, uint64_t steps)
{
    egc_error err = {0};
    egc_trace_writer *writer;
    const float gradient[TOY_PARAMS] = {0};
    assert_ok(
        egc_trace_writer_new(path, "toy", toy_layers, TOY_LAYERS, 1, &toy_note, &writer, &err),
        err);
    for (uint64_t step = 0; step < steps; step++)
        assert_ok(egc_trace_writer_append(writer, step, 0, gradient, (double)step, &err), err);
    assert_ok(egc_trace_writer_close(writer, &err), err);
}

/* Six steps among them: 4, the first number from 6 * 0.618 = 3.7 on, would show only three. */
static void trace_replay__repeats_no_copy_before_it_must(void **state)
{
    (void)state;
    enum { MOST = 12 };
    for (uint64_t steps = 1; steps <= MOST; steps++) {
        egc_error err = {0};
        egc_workload *workload;
        bool seen[MOST] = {false};
        write_steps(scratch_path("copies.h5"), steps);
        assert_ok(open_workload(scratch_path("copies.h5"), true, steps, 1, &workload, &err), err);
        for (size_t copy = 0; copy < steps; copy++) {
            float gradient[TOY_PARAMS];
            double loss;
            assert_ok(workload->type->gradient(workload, 0, copy, NULL, gradient, &loss, &err),
                      err);
            assert_false(seen[(int)loss]);
            seen[(int)loss] = true;
        }
        egc_workload_free(workload);
    }
}

/* ---- recordings that end early -------------------------------------------------------------- */

/* Two complete steps and a third that lacks its last worker. */
static egc_trace_writer *record_in_part(const char *path)
{
    egc_error err = {0};
    egc_trace_writer *writer;
    float gradient[TOY_PARAMS];
    assert_ok(egc_trace_writer_new(path, "toy", toy_layers, TOY_LAYERS, TOY_WORKERS, &toy_note,
                                   &writer, &err),
              err);
    for (size_t i = 0; i < 3 * TOY_WORKERS - 1; i++) {
        uint64_t step = i / TOY_WORKERS;
        size_t worker = TOY_WORKERS - 1 - i % TOY_WORKERS;
        toy_gradient(step, worker, gradient);
        assert_ok(egc_trace_writer_append(writer, step, worker, gradient,
                                          (double)step + 0.1 * (double)worker, &err),
                  err);
    }
    return writer;
}

static void assert_two_steps(const char *path)
{
    egc_error err = {0};
    egc_trace_info info;
    egc_workload *workload;
    assert_ok(egc_trace_info_init(&info, path, &err), err);
    assert_int_equal(info.steps, 2);
    egc_trace_info_fini(&info);
    assert_ok(open_workload(path, false, TOY_WORKERS, 2, &workload, &err), err);
    for (size_t i = 0; i < 2 * TOY_WORKERS; i++)
        assert_replays(workload, i / TOY_WORKERS, i % TOY_WORKERS, i / TOY_WORKERS,
                       i % TOY_WORKERS);
    egc_workload_free(workload);
}

static void trace_replay__closed_early_keeps_complete_steps(void **state)
{
    (void)state;
    egc_error err = {0};
    egc_trace_writer *writer = record_in_part(scratch_path("early.h5"));
    assert_ok(egc_trace_writer_close(writer, &err), err);
    assert_two_steps(scratch_path("early.h5"));
}

static void trace_replay__killed_keeps_complete_steps(void **state)
{
    (void)state;
    int end;
    pid_t child = fork();
    if (child == 0) {
        record_in_part(scratch_path("killed.h5"));
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL);
    assert_two_steps(scratch_path("killed.h5"));
}

/* ---- figures -------------------------------------------------------------------------------- */

/* Worked by hand. Layer 1: |g| = 1, 1, 2, 4 of 5 finite values, one of them 0. Layer 2: nothing
 * finite. */
static void trace_replay__counts_what_is_there(void **state)
{
    (void)state;
    const egc_layer layers[] = {{.name = "a", .shape = {6}, .count = 6},
                                {.name = "b", .shape = {2}, .count = 2}};
    const float gradient[] = {1, -1, 0, 2, -4, INFINITY, NAN, NAN};
    egc_error err = {0};
    egc_trace_writer *writer;
    egc_trace_info info;
    assert_ok(egc_trace_writer_new(scratch_path("info.h5"), "hand", layers, 2, 1, &toy_note,
                                   &writer, &err),
              err);
    for (uint64_t step = 0; step < 20; step++)
        assert_ok(egc_trace_writer_append(writer, step, 0, gradient, NAN, &err), err);
    assert_ok(egc_trace_writer_close(writer, &err), err);
    assert_ok(egc_trace_info_init(&info, scratch_path("info.h5"), &err), err);
    assert_int_equal(info.n_sampled, 16);
    assert_string_equal(info.note.optimizer, toy_note.optimizer);
    assert_int_equal(info.note.every, toy_note.every);
    assert_close(info.stats[0].mean_abs, 8.0 / 5, 1e-12);
    assert_close(info.stats[0].rms, sqrt(22.0 / 5), 1e-12);
    assert_close(info.stats[0].max_abs, 4, 0);
    assert_close(info.stats[0].zero_share, 1.0 / 6, 1e-12);
    assert_int_equal(info.stats[0].n_inf, 16);
    assert_int_equal(info.stats[0].n_nan, 0);
    assert_int_equal(info.stats[1].n_nan, 32);
    assert_true(isnan(info.stats[1].rms) && isnan(info.stats[1].max_abs));
    egc_trace_info_fini(&info);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_replay__gives_back_every_bit),
        cmocka_unit_test(trace_replay__gives_back_the_layers),
        cmocka_unit_test(trace_replay__reads_any_layout),
        cmocka_unit_test(trace_replay__cycles_with_an_offset),
        cmocka_unit_test(trace_replay__repeats_no_copy_before_it_must),
        cmocka_unit_test(trace_replay__closed_early_keeps_complete_steps),
        cmocka_unit_test(trace_replay__killed_keeps_complete_steps),
        cmocka_unit_test(trace_replay__counts_what_is_there),
    };
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
