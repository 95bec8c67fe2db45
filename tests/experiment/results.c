/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results folders: what is refused, what is repaired, and what shards add up to. */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file/lock.h"
#include "base/file/path.h"
#include "experiment/fake.h"
#include "experiment/results/merge.h"

static egc_status run_with(fake_study *fake, const egc_runner_options *options, egc_error *err)
{
    egc_runner_report report;
    return egc_runner_run(&fake->experiment, options, &report, err);
}

/* A whole run to compare with. */
static egc_path run_whole(fake_study *fake)
{
    egc_path folder = fake_folder();
    egc_error err;
    egc_runner_options options = fake_options(folder.text, 2);
    assert_ok(run_with(fake, &options, &err), err);
    return folder;
}

static size_t resume(fake_study *fake, const char *dir)
{
    egc_error err;
    egc_runner_report report;
    egc_runner_options options = fake_options(dir, 2);
    options.resume = true;
    assert_ok(egc_runner_run(&fake->experiment, &options, &report, &err), err);
    return report.reused;
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void results__are_not_overwritten(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_error err;
    egc_path folder = run_whole(&fake);
    egc_runner_options options = fake_options(folder.text, 2);
    char message[EGC_ERROR_LENGTH];
    snprintf(message, sizeof message,
             "%.200s: holds results already; continue them with --resume or choose another --out",
             folder.text);
    assert_fails(run_with(&fake, &options, &err), err, EGC_ERROR_UNSUPPORTED, message);
    fake_folder_remove(&folder);
}

static void results__a_folder_must_be_one(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_error err;
    egc_runner_options options = fake_options("/dev/null", 2);
    assert_fails(run_with(&fake, &options, &err), err, EGC_ERROR_IO, "/dev/null: is not a folder");
    options.dir = "/dev/null/below";
    assert_fails(run_with(&fake, &options, &err), err, EGC_ERROR_IO, "/dev/null: is not a folder");
    options.dir = "/proc/egc";
    assert_fails(run_with(&fake, &options, &err), err, EGC_ERROR_IO,
                 "/proc/egc: cannot make the folder: No such file or directory");
    options.dir = "";
    assert_fails(run_with(&fake, &options, &err), err, EGC_ERROR_RANGE,
                 "the folder for results must have a name");
    char long_name[PATH_MAX] = {0};
    memset(long_name, 'x', sizeof long_name - 1);
    options.dir = long_name;
    assert_fails(run_with(&fake, &options, &err), err, EGC_ERROR_RANGE,
                 "path of a results folder must have at most 3968 bytes, got 4095");
}

static void results__options_are_checked(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_error err;
    egc_path folder = fake_folder(), dir = egc_path_of("%.200s/results", folder.text);
    egc_runner_options options = fake_options(dir.text, 0);
    assert_fails(run_with(&fake, &options, &err), err, EGC_ERROR_RANGE,
                 "jobs must be at least 1, got 0");
    options = fake_options(dir.text, 1);
    options.shard_index = 3;
    options.shard_count = 2;
    assert_fails(run_with(&fake, &options, &err), err, EGC_ERROR_RANGE,
                 "shard must be I/N with 1 <= I <= N, got 3/2");
    assert_false(egc_path_exists(dir.text));
    fake_folder_remove(&folder);
}

static void results__one_run_at_a_time(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_error err;
    int lock;
    egc_path folder = fake_folder();
    egc_runner_options options = fake_options(folder.text, 2);
    assert_ok(egc_lock_take(folder.text, &lock, &err), err);
    char message[EGC_ERROR_LENGTH];
    snprintf(message, sizeof message,
             "%.200s: process %ld is writing results there; wait for it or choose another --out",
             folder.text, (long)getpid());
    assert_fails(run_with(&fake, &options, &err), err, EGC_ERROR_UNSUPPORTED, message);
    egc_lock_release(folder.text, lock);
    assert_ok(run_with(&fake, &options, &err), err);
    fake_folder_remove(&folder);
}

static void results__other_columns_are_refused(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_error err;
    egc_path folder = run_whole(&fake);
    fake.experiment.axes = (const char *[]){"method", "seed", "workload.width"};
    egc_runner_options options = fake_options(folder.text, 2);
    options.resume = true;
    char message[EGC_ERROR_LENGTH];
    snprintf(
        message, sizeof message,
        "%.200s/runs.csv: its columns differ from those of this experiment; choose another --out",
        folder.text);
    assert_fails(run_with(&fake, &options, &err), err, EGC_ERROR_FORMAT, message);
    fake_folder_remove(&folder);
}

/* ---- resuming -------------------------------------------------------------------------------- */

static void results__a_finished_run_has_nothing_to_resume(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_path whole = run_whole(&fake), again = run_whole(&fake);
    fake_now.dense_fails = true; /* would show if any point ran again */
    assert_int_equal(resume(&fake, again.text), FAKE_POINTS);
    assert_same_results(whole.text, again.text);
    fake_folder_remove(&whole);
    fake_folder_remove(&again);
}

static void results__failed_points_run_again(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_path whole = run_whole(&fake);
    fake_now = (fake_behaviour){.some_fail = true, .dense_fails = true};
    egc_path broken = run_whole(&fake);
    fake_now = (fake_behaviour){0};
    /* Of topk only the diverged one stays; none of the dense ones does. */
    assert_int_equal(resume(&fake, broken.text), FAKE_SEEDS + 1);
    char *runs = fake_read(broken.text, "runs.csv");
    assert_non_null(strstr(runs, "loss is nan"));
    assert_null(strstr(runs, "killed by signal"));
    free(runs);
    fake_folder_remove(&whole);
    fake_folder_remove(&broken);
}

/* Resuming an experiment that lacks n of the folder's runs, the first of them being fake's point
 * `first`, is refused and leaves the folder as it is. */
static void assert_refuses_unknown_runs(fake_study *fake, const char *dir, size_t n, size_t first)
{
    egc_error err;
    egc_runner_options options = fake_options(dir, 2);
    char message[EGC_ERROR_LENGTH], *manifest = fake_read(dir, "manifest.json");
    options.resume = true;
    snprintf(message, sizeof message,
             "%.200s: holds %zu finished run%s that the experiment does not have, the first is %s; "
             "choose a new folder with --out, without --resume",
             dir, n, n == 1 ? "" : "s", fake->points[first].run_id);
    assert_fails(run_with(fake, &options, &err), err, EGC_ERROR_UNSUPPORTED, message);
    char *same = fake_read(dir, "manifest.json");
    assert_string_equal(manifest, same);
    free(manifest);
    free(same);
}

static void results__runs_of_another_sweep_are_not_dropped(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_path whole = run_whole(&fake), folder = run_whole(&fake);
    fake.experiment.n_points = FAKE_POINTS - 1;
    assert_refuses_unknown_runs(&fake, folder.text, 1, FAKE_POINTS - 1);
    fake.experiment.n_points = 2 * FAKE_SEEDS;
    assert_refuses_unknown_runs(&fake, folder.text, FAKE_SEEDS, 2 * FAKE_SEEDS);
    assert_same_results(whole.text, folder.text);
    fake_folder_remove(&whole);
    fake_folder_remove(&folder);
}

static void results__failed_runs_of_another_sweep_are_not_dropped(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now.some_fail = true; /* of topk, whose points are the first */
    egc_path folder = run_whole(&fake);
    fake.experiment.points += FAKE_SEEDS;
    fake.experiment.n_points -= FAKE_SEEDS;
    assert_refuses_unknown_runs(&fake, folder.text, FAKE_SEEDS, 0);
    fake_folder_remove(&folder);
}

static void results__records_of_another_sweep_are_not_dropped(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_error err;
    egc_path folder = fake_folder();
    for (size_t i = FAKE_POINTS - 2; i < FAKE_POINTS; i++) {
        egc_path record = egc_path_of("%.200s/.spool/%s", folder.text, fake.points[i].run_id);
        assert_ok(egc_path_make_folder(record.text, &err), err);
    }
    fake.experiment.n_points = FAKE_POINTS - 2;
    assert_refuses_unknown_runs(&fake, folder.text, 2, FAKE_POINTS - 2);
    fake_folder_remove(&folder);
}

static void results__points_can_be_added(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_path whole = run_whole(&fake);
    fake.experiment.n_points = 2 * FAKE_SEEDS;
    egc_path folder = run_whole(&fake);
    fake.experiment.n_points = FAKE_POINTS;
    assert_int_equal(resume(&fake, folder.text), 2 * FAKE_SEEDS);
    assert_same_results(whole.text, folder.text);
    fake_folder_remove(&whole);
    fake_folder_remove(&folder);
}

/* Leaves less than the whole of a file. */
static void cut(const char *dir, egc_table table, double share)
{
    egc_path path = egc_path_of("%s/%s", dir, egc_columns_tables[table].file);
    struct stat info;
    assert_int_equal(stat(path.text, &info), 0);
    assert_int_equal(truncate(path.text, (off_t)(share * (double)info.st_size)), 0);
}

static void results__cut_files_are_repaired(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_path whole = run_whole(&fake);
    for (int table = 0; table < EGC_N_TABLES; table++)
        for (double share = 0; share < 1; share += 0.0999) {
            egc_path broken = run_whole(&fake);
            cut(broken.text, (egc_table)table, share);
            assert_true(resume(&fake, broken.text) < FAKE_POINTS);
            assert_same_results(whole.text, broken.text);
            fake_folder_remove(&broken);
        }
    fake_folder_remove(&whole);
}

static void results__a_lost_file_is_made_again(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_path whole = run_whole(&fake);
    static const char *const files[] = {"runs.csv", "steps.csv", "evals.csv", "layers.csv",
                                        "manifest.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        egc_path broken = run_whole(&fake);
        assert_int_equal(unlink(egc_path_of("%s/%s", broken.text, files[i]).text), 0);
        assert_int_equal(resume(&fake, broken.text), i < 4 ? 0 : FAKE_POINTS);
        assert_same_results(whole.text, broken.text);
        fake_folder_remove(&broken);
    }
    fake_folder_remove(&whole);
}

static void results__times_on_the_host_are_kept(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now.pause_ms = 20;
    egc_path folder = run_whole(&fake);
    json_t *before, *after;
    egc_error err;
    assert_ok(egc_manifest_read(folder.text, &before, &err), err);
    cut(folder.text, EGC_TABLE_RUNS, 0.99); /* the last point */
    assert_int_equal(resume(&fake, folder.text), FAKE_POINTS - 1);
    assert_ok(egc_manifest_read(folder.text, &after, &err), err);
    for (size_t i = 0; i < FAKE_POINTS - 1; i++) {
        double wall_s = egc_manifest_wall_s(before, fake.points[i].run_id);
        assert_true(wall_s >= 0);
        assert_true(wall_s == egc_manifest_wall_s(after, fake.points[i].run_id));
    }
    assert_true(json_equal(json_object_get(before, "start"), json_object_get(after, "start")));
    assert_int_equal(json_integer_value(json_object_get(after, "resumed")), 1);
    json_decref(before);
    json_decref(after);
    fake_folder_remove(&folder);
}

/* ---- shards ---------------------------------------------------------------------------------- */

static void run_shard(fake_study *fake, const char *dir, size_t index, bool resumed)
{
    egc_error err;
    egc_runner_options options = fake_options(dir, 2);
    options.shard_index = index;
    options.shard_count = 3;
    options.resume = resumed;
    assert_ok(run_with(fake, &options, &err), err);
}

static void results__shards_add_up_to_the_whole(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now.some_fail = true;
    egc_error err;
    egc_path whole = run_whole(&fake), shards[3], merged = fake_folder();
    for (size_t i = 0; i < 3; i++) {
        shards[i] = fake_folder();
        run_shard(&fake, shards[i].text, i + 1, false);
    }
    const char *dirs[] = {shards[2].text, shards[0].text, shards[1].text};
    char message[EGC_ERROR_LENGTH];
    snprintf(message, sizeof message,
             "5 of 15 points are in none of the folders, the first is %s; add the missing shards, "
             "or finish them with --resume",
             fake.points[1].run_id);
    assert_fails(egc_results_merge(dirs, 2, merged.text, &err), err, EGC_ERROR_UNSUPPORTED,
                 message);
    assert_ok(egc_results_merge(dirs, 3, merged.text, &err), err);
    assert_same_results(whole.text, merged.text);

    json_t *a, *b;
    assert_ok(egc_manifest_read(whole.text, &a, &err), err);
    assert_ok(egc_manifest_read(merged.text, &b, &err), err);
    static const char *const same[] = {"points", "parameters", "seeds", "failures", "shard"};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_true(json_equal(json_object_get(a, same[i]), json_object_get(b, same[i])));
    assert_true(egc_manifest_wall_s(b, fake.points[9].run_id) >= 0);
    json_decref(a);
    json_decref(b);
    for (size_t i = 0; i < 3; i++)
        fake_folder_remove(&shards[i]);
    fake_folder_remove(&whole);
    fake_folder_remove(&merged);
}

static void results__shards_can_share_a_folder(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_path whole = run_whole(&fake), folder = fake_folder();
    for (size_t i = 3; i >= 1; i--)
        run_shard(&fake, folder.text, i, i < 3);
    assert_same_results(whole.text, folder.text);
    fake_folder_remove(&whole);
    fake_folder_remove(&folder);
}

static void results__shards_of_different_experiments_do_not_merge(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    egc_error err;
    egc_path a = run_whole(&fake), merged = fake_folder();
    fake.experiment.name = "other";
    egc_path b = run_whole(&fake);
    const char *dirs[] = {a.text, b.text};
    char message[EGC_ERROR_LENGTH];
    snprintf(message, sizeof message,
             "%.200s: must be a shard of the same experiment as %.200s; their experiment differ",
             b.text, a.text);
    assert_fails(egc_results_merge(dirs, 2, merged.text, &err), err, EGC_ERROR_UNSUPPORTED,
                 message);
    fake_folder_remove(&a);
    fake_folder_remove(&b);
    fake_folder_remove(&merged);
}

/* ---- a full disk ----------------------------------------------------------------------------- */

/* Takes space until only so many bytes are left. */
static void fill(const char *dir, size_t bytes_left)
{
    char page[4096] = {1};
    int file = open(egc_path_of("%s/ballast", dir).text, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    off_t len = 0;
    while (write(file, page, sizeof page) == (ssize_t)sizeof page)
        len += (off_t)sizeof page;
    assert_int_equal(ftruncate(file, len - (off_t)bytes_left), 0);
    close(file);
}

/* In a namespace of this process, so that the disk goes with it even if the test fails. */
static bool mount_small_disk(const char *path)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
           mount("none", path, "tmpfs", 0, "size=1m") == 0;
}

static void results__a_full_disk_loses_nothing(void **unused)
{
    (void)unused;
    fake_study fake;
    fake_init(&fake);
    fake_now.pause_ms = 10;
    egc_path whole = run_whole(&fake), disk = fake_folder();
    if (!mount_small_disk(disk.text)) {
        print_message("skipped: a full disk can be tested by root alone\n");
        fake_folder_remove(&disk);
        fake_folder_remove(&whole);
        skip();
    }
    egc_path folder = egc_path_of("%s/results", disk.text);
    size_t n_full = 0;
    for (size_t left = 0; left <= 512 * 1024; left += 16 * 1024) {
        egc_error err = {0};
        egc_runner_options options = fake_options(folder.text, 2);
        options.resume = true;
        fill(disk.text, left);
        egc_status status = run_with(&fake, &options, &err);
        if (status) {
            assert_int_equal(status, EGC_ERROR_IO);
            assert_non_null(strstr(err.message, ": No space left on device"));
            assert_null(strchr(err.message, '\n'));
            n_full++;
        }
        assert_whole_rows(folder.text);
    }
    assert_true(n_full > 3);
    assert_same_results(whole.text, folder.text);
    assert_int_equal(umount(disk.text), 0);
    fake_folder_remove(&disk);
    fake_folder_remove(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results__are_not_overwritten),
        cmocka_unit_test(results__a_folder_must_be_one),
        cmocka_unit_test(results__options_are_checked),
        cmocka_unit_test(results__one_run_at_a_time),
        cmocka_unit_test(results__other_columns_are_refused),
        cmocka_unit_test(results__a_finished_run_has_nothing_to_resume),
        cmocka_unit_test(results__failed_points_run_again),
        cmocka_unit_test(results__runs_of_another_sweep_are_not_dropped),
        cmocka_unit_test(results__failed_runs_of_another_sweep_are_not_dropped),
        cmocka_unit_test(results__records_of_another_sweep_are_not_dropped),
        cmocka_unit_test(results__points_can_be_added),
        cmocka_unit_test(results__cut_files_are_repaired),
        cmocka_unit_test(results__a_lost_file_is_made_again),
        cmocka_unit_test(results__times_on_the_host_are_kept),
        cmocka_unit_test(results__shards_add_up_to_the_whole),
        cmocka_unit_test(results__shards_can_share_a_folder),
        cmocka_unit_test(results__shards_of_different_experiments_do_not_merge),
        cmocka_unit_test(results__a_full_disk_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
