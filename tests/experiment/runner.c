/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points in children: whatever one does, the rows are right, complete and in order. */
#include <errno.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file/lock.h"
#include "base/file/path.h"
#include "experiment/fake.h"

static void run_into(fake_study *fake, const char *dir, size_t jobs, egc_runner_report *report)
{
    egc_error err;
    egc_runner_options options = fake_options(dir, jobs);
    assert_ok(egc_runner_run(&fake->experiment, &options, report, &err), err);
}

static egc_csv_table read_runs(const char *dir)
{
    egc_csv_table runs;
    egc_error err;
    assert_ok(egc_csv_read(egc_path_of("%s/runs.csv", dir).text, &runs, &err), err);
    return runs;
}

static const char *cell(const egc_csv_table *table, size_t row, const char *column)
{
    int at = egc_csv_column(table, column);
    assert_true(at >= 0);
    return table->rows[row][at];
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void runner__columns_are_those_of_the_contract(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_runner_report report;
    egc_path folder = fake_folder();
    run_into(&fake, folder.text, 2, &report);
    const char *first_lines[EGC_N_TABLES] = {
        [EGC_TABLE_RUNS] =
            "run_id,experiment,workload,model,method,method_params,algorithm,exchange,cluster,"
            "bandwidth_Bps,latency_s,workers,seed,steps,status,error,params,dense_bytes,sent_bytes,"
            "recv_bytes,compression_ratio,element_ratio,bound_ratio,density,rel_error,cosine,"
            "energy_kept,drift,residual_norm,staleness,loss,accuracy,perplexity,step_s,compute_s,"
            "compress_s,decompress_s,comm_s,exposed_comm_s,sim_time_s,network_bytes,speedup,"
            "sampled_workers,union_density,fill_in,consensus,delay,host_joules,link_joules,joules,"
            "workload.batch\n"
            "0000000000abc000,fake,fake,toy,topk,,sync,ring,star,125000000,5e-05,8,1,4,ok,,1000,"
            "4000,",
        [EGC_TABLE_STEPS] =
            "run_id,step,sent_bytes,recv_bytes,compression_ratio,element_ratio,bound_ratio,density,"
            "rel_error,cosine,energy_kept,drift,residual_norm,staleness,loss,step_s,compute_s,"
            "compress_s,decompress_s,comm_s,exposed_comm_s,network_bytes,nonfinite,union_density,"
            "fill_in,consensus,delay,host_joules,link_joules,joules\n"
            "0000000000abc000,0,333.3333333333333,,0,0,0,0,0,0,0,0,0,0,0.3333333333333333,0.125,0,"
            "0,0,0,0,0,0,0,0,0,0,0,0,0\n",
        [EGC_TABLE_EVALS] = "run_id,step,sim_time_s,sent_bytes_total,loss,accuracy,perplexity\n"
                            "0000000000abc000,4,2,4000,0.1,0.9,\n",
        [EGC_TABLE_LAYERS] =
            "run_id,step,unit,elements,sent,density,wire_bytes,rel_error,residual_norm,correction\n"
            "0000000000abc000,0,\"conv\n\"\"1\"\"\",8,2,0.25,24,0.3333333333333333,0,0\n",
    };
    for (int i = 0; i < EGC_N_TABLES; i++) {
        char *text = fake_read(folder.text, egc_columns_tables[i].file);
        size_t len = strlen(first_lines[i]);
        assert_true(strlen(text) > len);
        text[len] = '\0';
        assert_string_equal(text, first_lines[i]);
        free(text);
    }
    fake_folder_remove(&folder);
}

static void runner__rows_do_not_depend_on_jobs(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now = (fake_behaviour){.some_fail = true, .pause_ms = 30};
    egc_runner_report report;
    egc_path one = fake_folder();
    run_into(&fake, one.text, 1, &report);
    assert_int_equal(report.done, FAKE_POINTS);
    assert_int_equal(report.failed, 4);
    for (size_t jobs = 2; jobs <= 8; jobs += 3) {
        egc_path many = fake_folder();
        run_into(&fake, many.text, jobs, &report);
        assert_same_results(one.text, many.text);
        fake_folder_remove(&many);
    }
    fake_folder_remove(&one);
}

static void runner__a_failed_point_is_a_row(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now.some_fail = true;
    egc_runner_report report;
    egc_path folder = fake_folder();
    run_into(&fake, folder.text, 3, &report);
    egc_csv_table runs = read_runs(folder.text);
    const char *expected[][2] = {
        {"failed", "killed by signal 11 (Segmentation fault): over ? here"},
        {"failed", "exited with status 7 before it had a result: giving up"},
        {"failed", "rank 2 waits for rank 1, \"for ever\""},
        {"diverged", "loss is nan"},
        {"timeout", "max_sim_time reached"},
        {"ok", ""},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        assert_string_equal(cell(&runs, i, "status"), expected[i][0]);
        assert_string_equal(cell(&runs, i, "error"), expected[i][1]);
        assert_string_equal(cell(&runs, i, "workload.batch"), "32, \"of all\"");
    }
    assert_string_equal(cell(&runs, 0, "loss"), "");
    assert_string_equal(cell(&runs, 2, "loss"), "0.1");
    egc_csv_table_fini(&runs);
    fake_folder_remove(&folder);
}

static void runner__a_point_past_the_limit_is_stopped(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now.hanging_seed = 2;
    egc_runner_report report;
    egc_error err;
    egc_path folder = fake_folder();
    egc_runner_options options = fake_options(folder.text, 2);
    options.point_limit_s = 3; /* ample for the others, on a busy machine too */
    assert_ok(egc_runner_run(&fake.experiment, &options, &report, &err), err);
    egc_csv_table runs = read_runs(folder.text);
    assert_string_equal(cell(&runs, 1, "status"), "timeout");
    assert_string_equal(cell(&runs, 1, "error"), "stopped after 3 s on the host");
    assert_int_equal(report.failed, 1);
    egc_csv_table_fini(&runs);
    fake_folder_remove(&folder);
}

static void runner__many_rows_arrive(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now.steps = 6000; /* several pieces of 256 KiB */
    egc_runner_report report;
    egc_path folder = fake_folder();
    run_into(&fake, folder.text, 2, &report);
    egc_csv_table steps;
    egc_error err;
    assert_ok(egc_csv_read(egc_path_of("%s/steps.csv", folder.text).text, &steps, &err), err);
    assert_int_equal(steps.n_rows, FAKE_POINTS * fake_now.steps);
    for (size_t i = 0; i < steps.n_rows; i++)
        assert_int_equal(atoi(cell(&steps, i, "step")), i % fake_now.steps);
    egc_csv_table_fini(&steps);
    fake_folder_remove(&folder);
}

/* ---- speedup --------------------------------------------------------------------------------- */

static void runner__speedup_is_against_the_dense_run(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_runner_report report;
    egc_path folder = fake_folder();
    run_into(&fake, folder.text, 2, &report);
    egc_csv_table runs = read_runs(folder.text);
    const char *expected[FAKE_METHODS] = {"4", "1", "2"}; /* 0.5 s over 0.125, 0.5, 0.25 s */
    for (size_t i = 0; i < FAKE_POINTS; i++)
        assert_string_equal(cell(&runs, i, "speedup"), expected[i / FAKE_SEEDS]);
    egc_csv_table_fini(&runs);
    fake_folder_remove(&folder);
}

static void runner__speedup_is_empty_without_a_dense_run(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake.points[FAKE_SEEDS].axis_values = (const char *[]){"none", "1", "64"}; /* another setting */
    egc_runner_report report;
    egc_path folder = fake_folder();
    run_into(&fake, folder.text, 2, &report);
    egc_csv_table runs = read_runs(folder.text);
    assert_string_equal(cell(&runs, 0, "speedup"), "");
    assert_string_equal(cell(&runs, 1, "speedup"), "4");
    egc_csv_table_fini(&runs);
    fake_folder_remove(&folder);

    fake_now.dense_fails = true;
    folder = fake_folder();
    run_into(&fake, folder.text, 2, &report);
    runs = read_runs(folder.text);
    for (size_t i = 0; i < FAKE_POINTS; i++)
        assert_string_equal(cell(&runs, i, "speedup"), "");
    egc_csv_table_fini(&runs);
    fake_folder_remove(&folder);
}

/* ---- progress and the manifest --------------------------------------------------------------- */

static void keep_progress(void *arg, const egc_runner_progress *progress)
{
    egc_runner_progress *last = arg;
    assert_true(progress->done >= last->done);
    *last = *progress;
}

static void runner__progress_counts_points(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now.some_fail = true;
    egc_runner_report report;
    egc_runner_progress last = {0};
    egc_error err;
    egc_path folder = fake_folder();
    egc_runner_options options = fake_options(folder.text, 2);
    options.progress = keep_progress;
    options.progress_arg = &last;
    assert_ok(egc_runner_run(&fake.experiment, &options, &report, &err), err);
    assert_int_equal(last.done, FAKE_POINTS);
    assert_int_equal(last.total, FAKE_POINTS);
    assert_int_equal(last.failed, 4);
    assert_true(last.elapsed_s > 0);
    assert_true(last.eta_s == 0);
    fake_folder_remove(&folder);
}

static void runner__the_manifest_tells_what_ran(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now = (fake_behaviour){.some_fail = true, .pause_ms = 30};
    fake.experiment.source = "-- caf\xe9"; /* not UTF-8 */
    egc_runner_report report;
    egc_error err;
    json_t *manifest;
    egc_path folder = fake_folder();
    run_into(&fake, folder.text, 2, &report);
    assert_ok(egc_manifest_read(folder.text, &manifest, &err), err);
    json_t *points = json_object_get(manifest, "points");
    json_t *parameters = json_object_get(json_array_get(points, 0), "parameters");
    json_t *common = json_object_get(manifest, "parameters");
    assert_int_equal(json_array_size(points), FAKE_POINTS);
    assert_string_equal(json_string_value(json_object_get(parameters, "method")), "topk");
    assert_string_equal(json_string_value(json_object_get(common, "cluster")), "star");
    assert_string_equal(json_string_value(json_object_get(common, "steps")), "4");
    assert_null(json_object_get(parameters, "steps"));
    assert_string_equal(json_string_value(json_object_get(manifest, "source")), "-- caf?");
    assert_int_equal(json_array_size(json_object_get(manifest, "seeds")), FAKE_SEEDS);
    assert_int_equal(json_array_size(json_object_get(manifest, "failures")), 5);
    assert_true(json_is_string(json_object_get(manifest, "end")));
    assert_true(egc_manifest_wall_s(manifest, fake.points[7].run_id) < 10);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(manifest, "versions"), "SimGrid")),
        "3.32");
    json_decref(manifest);
    fake_folder_remove(&folder);
}

/* ---- signals --------------------------------------------------------------------------------- */

/* Runs in a process of its own, which leaves its report in the exit status. */
static pid_t run_apart(fake_study *fake, const char *dir, bool resume)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    egc_error err;
    egc_runner_report report;
    egc_runner_options options = fake_options(dir, 3);
    options.resume = resume;
    egc_status status = egc_runner_run(&fake->experiment, &options, &report, &err);
    _exit(status ? 100 : report.signal);
}

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Waits until every point but the one at `missing` is published or has a record. */
static void wait_for_others(const fake_study *fake, const char *dir, size_t missing)
{
    egc_path spool = egc_path_of("%.200s/.spool", dir);
    for (size_t i = 0, waits = 0; i < FAKE_POINTS;) {
        char *runs = fake_read(dir, "runs.csv");
        const char *run_id = fake->points[i].run_id;
        if (i == missing || strstr(runs, run_id) ||
            egc_path_exists(egc_point_record_path(spool.text, run_id).text))
            i++;
        else
            sleep_ms(20);
        free(runs);
        assert_true(waits++ < 3000);
    }
}

static void runner__an_interrupted_run_can_be_resumed(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_runner_report report;
    egc_path whole = fake_folder(), broken = fake_folder();
    run_into(&fake, whole.text, 2, &report);
    fake_now.hanging_seed = 4;
    pid_t pid = run_apart(&fake, broken.text, false);
    int status;
    wait_for_others(&fake, broken.text, 3);
    kill(pid, SIGINT);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), SIGINT);
    egc_csv_table runs = read_runs(broken.text);
    assert_int_equal(runs.n_rows, 3); /* those before the one that hangs */
    egc_csv_table_fini(&runs);

    fake_now.hanging_seed = 0;
    egc_error err;
    egc_runner_options options = fake_options(broken.text, 2);
    options.resume = true;
    assert_ok(egc_runner_run(&fake.experiment, &options, &report, &err), err);
    assert_int_equal(report.reused, FAKE_POINTS - 1);
    assert_same_results(whole.text, broken.text);
    fake_folder_remove(&whole);
    fake_folder_remove(&broken);
}

/* No process holds the lock any more: every child of a killed run is gone. */
static void assert_unlocked(const char *dir)
{
    int lock;
    egc_error err;
    assert_ok(egc_lock_take(dir, &lock, &err), err);
    egc_lock_release(dir, lock);
}

static void runner__a_killed_run_leaves_no_child(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now.hanging_seed = 1; /* would keep the lock for ever */
    egc_path folder = fake_folder();
    pid_t pid = run_apart(&fake, folder.text, false);
    sleep_ms(300);
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_unlocked(folder.text);
    fake_folder_remove(&folder);
}

static void runner__a_killed_run_loses_nothing(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now.pause_ms = 12;
    egc_runner_report report;
    egc_path whole = fake_folder();
    run_into(&fake, whole.text, 2, &report);
    srand(7);
    int total_kills = 0;
    for (int round = 0; round < 8; round++) {
        egc_path broken = fake_folder();
        int status, n_kills = 0;
        do {
            pid_t pid = run_apart(&fake, broken.text, n_kills > 0);
            sleep_ms(1 + rand() % (40 + 10 * n_kills)); /* a busy machine needs longer */
            kill(pid, SIGKILL);
            assert_int_equal(waitpid(pid, &status, 0), pid);
            assert_whole_rows(broken.text);
            assert_unlocked(broken.text);
            n_kills++;
        } while (!WIFEXITED(status));
        total_kills += n_kills;
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_same_results(whole.text, broken.text);
        fake_folder_remove(&broken);
    }
    assert_true(total_kills > 16);
    fake_folder_remove(&whole);
}

/* ---- one point ------------------------------------------------------------------------------- */

static void runner__one_point_gives_its_rows(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_runner_result result;
    egc_error err;
    assert_ok(egc_runner_simulate(&fake.experiment, &fake.points[2], fake_main, &result, &err),
              err);
    assert_string_equal(cell(&result.run, 0, "status"), "ok");
    assert_string_equal(cell(&result.run, 0, "seed"), "3");
    assert_string_equal(cell(&result.run, 0, "speedup"), "");
    assert_int_equal(result.steps.n_rows, FAKE_STEPS);
    assert_string_equal(cell(&result.steps, 1, "loss"), "0.75");
    egc_runner_result_fini(&result);

    fake_now.some_fail = true;
    assert_ok(egc_runner_simulate(&fake.experiment, &fake.points[0], fake_main, &result, &err),
              err);
    assert_string_equal(cell(&result.run, 0, "status"), "failed");
    assert_int_equal(result.steps.n_rows, 0);
    egc_runner_result_fini(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runner__columns_are_those_of_the_contract),
        cmocka_unit_test(runner__rows_do_not_depend_on_jobs),
        cmocka_unit_test(runner__a_failed_point_is_a_row),
        cmocka_unit_test(runner__a_point_past_the_limit_is_stopped),
        cmocka_unit_test(runner__many_rows_arrive),
        cmocka_unit_test(runner__speedup_is_against_the_dense_run),
        cmocka_unit_test(runner__speedup_is_empty_without_a_dense_run),
        cmocka_unit_test(runner__progress_counts_points),
        cmocka_unit_test(runner__the_manifest_tells_what_ran),
        cmocka_unit_test(runner__an_interrupted_run_can_be_resumed),
        cmocka_unit_test(runner__a_killed_run_leaves_no_child),
        cmocka_unit_test(runner__a_killed_run_loses_nothing),
        cmocka_unit_test(runner__one_point_gives_its_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
