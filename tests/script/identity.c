/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run_id depends on the parameters of its point alone, and running out of memory at any moment
 * is an error like others. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "experiment/spec/identity.h"
#include "experiment/spec/resolve.h"
#include "harness.h"
#include "script/devices.h"

#define POINT(fields) "return egc.experiment{" BASE fields "}"

/* The run_id of the last point. */
static void identify(const char *text, const char *overrides, char run_id[EGC_RUN_ID_LENGTH])
{
    egc_script script;
    egc_error err = {0};
    assert_ok(load_text(text, overrides, &script, &err), err);
    const egc_experiment *experiment = &script.experiments[0];
    memcpy(run_id, experiment->points[experiment->n_points - 1].run_id, EGC_RUN_ID_LENGTH);
    egc_script_fini(&script);
}

static const char reference[] = POINT("method='topk', steps=9, seed=2");

static void identity__equal_parameters_have_equal_ids(void **state)
{
    (void)state;
    static const char *const same[] = {
        POINT("seed=2, steps=9, method=egc.topk{}"),
        POINT("method='topk', steps=9, seed=egc.each{1, 2}"),
        POINT("method=egc.each{'none', 'topk'}, steps=9, seed=2, name='other'"),
        POINT("method='topk', steps=9.0, seed=2, exchange='auto', algorithm='sync'"),
        POINT("method='topk', egc.zip{steps={8, 9}, seed={1, 2}}"),
        POINT("method='topk', steps=9, seed=2, where=function(p) return p.steps == 9 end"),
        ("return egc.experiment{workload=egc.workload.train{}, workers=4, method='topk', steps=9, "
         "seed=2, cluster=egc.cluster.star{hosts=8, bandwidth='1Gbps', device='v100', cores=1}}"),
    };
    char want[EGC_RUN_ID_LENGTH], got[EGC_RUN_ID_LENGTH];
    identify(reference, NULL, want);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        identify(same[i], NULL, got);
        if (strcmp(got, want) != 0)
            fail_msg("%s: %s, want %s", same[i], got, want);
    }
    identify(POINT("method='topk', seed=2"), "steps=9", got);
    assert_string_equal(got, want);
}

static void identity__other_parameters_have_other_ids(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "seed=3",
        "steps=10",
        "workers=5",
        "method=none",
        "method.ratio=0.5",
        "method.clip=1",
        "exchange=allgather-ring",
        "workload.lr=0.3",
        "cluster.hosts=9",
        "cluster.device=a100",
        "cluster.device={flops=1e12, memory=1e9}",
        "cluster.device={flops=1e12, memory=2e9}",
    };
    enum { N = sizeof settings / sizeof *settings };
    char ids[N + 1][EGC_RUN_ID_LENGTH];
    identify(reference, NULL, ids[N]);
    assert_int_equal(strspn(ids[N], "0123456789abcdef"), 16);
    for (size_t i = 0; i < N; i++)
        identify(reference, settings[i], ids[i]);
    for (size_t i = 0; i <= N; i++)
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(ids[i], ids[j]);
}

/* ---- files of points ------------------------------------------------------------------------- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

#define PLATFORM(latency)                                                                          \
    "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"      \
    "<platform version='4.1'><zone id='z' routing='Full'>"                                         \
    "<host id='a' speed='1Gf' speed_file='a.speed'/><host id='b' speed='1Gf'/>"                    \
    "<link id='l' bandwidth='1GBps' latency='" latency "'/>"                                       \
    "<route src='a' dst='b'><link_ctn id='l'/></route></zone></platform>\n"

/* The file of events is found beside the platform file, in a folder other than the script's. */
static void identity__another_platform_is_another_point(void **state)
{
    (void)state;
    static const char on_file[] =
        "return egc.experiment{workload=egc.workload.train{}, workers=2, method='none', "
        "cluster=egc.cluster.platform{file='platforms/two.xml', speed=1e12}}";
    char first[EGC_RUN_ID_LENGTH], again[EGC_RUN_ID_LENGTH], slower[EGC_RUN_ID_LENGTH],
        other_profile[EGC_RUN_ID_LENGTH];
    assert_int_equal(mkdir("platforms", 0777), 0);
    write_file("platforms/a.speed", "0 1\n5 0.5\n");
    write_file("platforms/two.xml", PLATFORM("1us"));
    identify(on_file, NULL, first);
    identify(on_file, NULL, again);
    assert_string_equal(first, again);
    write_file("platforms/two.xml", PLATFORM("2us"));
    identify(on_file, NULL, slower);
    assert_string_not_equal(first, slower);
    write_file("platforms/a.speed", "0 1\n5 0.1\n");
    identify(on_file, NULL, other_profile);
    assert_string_not_equal(slower, other_profile);
    unlink("platforms/a.speed");
    unlink("platforms/two.xml");
    rmdir("platforms");
}

/* The id covers all of a short file, and of a long one some pieces, among them the last. */
static void identity__another_trace_is_another_point(void **state)
{
    (void)state;
    static const char on_file[] =
        "return egc.experiment{workload=egc.workload.trace{file='t.h5'}, workers=2, "
        "method='none', cluster=egc.cluster.star{hosts=2}}";
    char first[EGC_RUN_ID_LENGTH], again[EGC_RUN_ID_LENGTH], other[EGC_RUN_ID_LENGTH];
    for (long size = 1000; size <= 50000000; size *= 50000) {
        write_file("t.h5", "a");
        assert_int_equal(truncate("t.h5", size), 0);
        identify(on_file, NULL, first);
        identify(on_file, NULL, again);
        assert_string_equal(first, again);
        int file = open("t.h5", O_WRONLY);
        assert_int_equal(pwrite(file, "b", 1, size - 1), 1);
        assert_int_equal(close(file), 0);
        identify(on_file, NULL, other);
        assert_string_not_equal(first, other);
    }
    unlink("t.h5");
}

/* ---- training of points ---------------------------------------------------------------------- */

static void identify_learning_of(const char *text, const char *override,
                                 char key[EGC_TRAINING_LOG_KEY_LENGTH])
{
    egc_script script;
    egc_error err = {0};
    assert_ok(load_text(text, override, &script, &err), err);
    assert_ok(egc_identity_training_key(&script.experiments[0].points[0].config, key, &err), err);
    egc_script_fini(&script);
}

static void identify_learning(const char *override, char key[EGC_TRAINING_LOG_KEY_LENGTH])
{
    identify_learning_of(reference, override, key);
}

static const char *const of_time[] = {
    "overlap=false",
    "cost=none",
    "cost_scale=2",
    "cost_table=x.csv",
    "compress_on=stream",
    "network_model=lv08",
    "max_sim_time=5",
    "cluster.bandwidth=10Gbps",
    "cluster.latency=1ms",
    "cluster.efficiency=0.5",
    "cluster.cores=2",
    "cluster.speed=1e12",
    "cluster.hosts=9",
    "cluster.device=a100",
    "exchange=allgather-rd", /* every all-gather delivers the same */
    "exchange=allgather-ring",
    "group=2",
    "exchange_order=priority",
    "energy=true",
    "failure_timeout=2s",
    "cluster.stragglers=0.5",
    "cluster.jitter=0.1",
    "cluster.background=0.5",
};

static const char *const of_learning[] = {
    "seed=3",           "steps=10",         "workers=5",         "sampled_workers=2",
    "eval_every=2",     "bucket=1MiB",      "first_bucket=2MiB", "fusion=1MiB",
    "cycle=5ms",        "bucket=fusion",    "partition=1MB",     "layers=true",
    "method=none",      "method.ratio=0.5", "method.clip=1",     "method.granularity=model",
    "exchange=sparcml", "workload.lr=0.3",  "on_failure=drop",
};

static void identity__points_that_differ_in_time_learn_the_same(void **state)
{
    (void)state;
    char want[EGC_TRAINING_LOG_KEY_LENGTH], got[EGC_TRAINING_LOG_KEY_LENGTH];
    identify_learning(NULL, want);
    assert_int_equal(strspn(want, "0123456789abcdef"), 16);
    for (size_t i = 0; i < sizeof of_time / sizeof *of_time; i++) {
        identify_learning(of_time[i], got);
        if (strcmp(got, want) != 0)
            fail_msg("%s: %s, want %s", of_time[i], got, want);
    }
    for (size_t i = 0; i < sizeof of_learning / sizeof *of_learning; i++) {
        identify_learning(of_learning[i], got);
        if (strcmp(got, want) == 0)
            fail_msg("%s: must learn something else", of_learning[i]);
    }
}

/* A replay has no compression to time, so points with measured cost train themselves. */
static void identity__measured_points_learn_apart(void **state)
{
    (void)state;
    char want[EGC_TRAINING_LOG_KEY_LENGTH], got[EGC_TRAINING_LOG_KEY_LENGTH];
    identify_learning(NULL, want);
    identify_learning("cost=measured", got);
    assert_string_not_equal(got, want);
}

/* Merged buckets depend on the network, so trainings on different networks differ. */
static void identity__points_whose_layers_merge_learn_apart(void **state)
{
    (void)state;
    char want[EGC_TRAINING_LOG_KEY_LENGTH], got[EGC_TRAINING_LOG_KEY_LENGTH];
    static const char merges[] = POINT("method='topk', bucket='merge'");
    identify_learning_of(merges, NULL, want);
    identify_learning_of(merges, "cluster.bandwidth=10Gbps", got);
    assert_string_not_equal(got, want);
}

/* Fused buckets depend on the speed of the device. */
static void identity__points_whose_layers_fuse_learn_apart(void **state)
{
    (void)state;
    char want[EGC_TRAINING_LOG_KEY_LENGTH], got[EGC_TRAINING_LOG_KEY_LENGTH];
    static const char fuses[] = POINT("method='topk', bucket='fusion'");
    identify_learning_of(fuses, NULL, want);
    identify_learning_of(fuses, "cluster.device=a100", got);
    assert_string_not_equal(got, want);
}

static bool is_among(const char *name, const char *const *settings, size_t n)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (strncmp(settings[i], name, len) == 0 && settings[i][len] == '=')
            return true;
    return false;
}

/* Fails for a new option until it is in one of the lists above: does it change the training? */
static void identity__every_option_is_of_time_or_of_learning(void **state)
{
    (void)state;
    for (const egc_param *option = egc_train_config_params; option->name; option++) {
        bool times = is_among(option->name, of_time, sizeof of_time / sizeof *of_time);
        bool learns = is_among(option->name, of_learning, sizeof of_learning / sizeof *of_learning);
        if (times == learns)
            fail_msg("%s: must be in one of the two lists", option->name);
    }
}

/* ---------------------------------------------------------------------------------------------- */

static void identity__every_allocation_may_fail(void **state)
{
    (void)state;
    static const char text[] =
        POINT("method=egc.each{'none', egc.topk{ratio=0.1}}, egc.zip{steps={1, 2}, seed={3, 4}}, "
              "where=function(p) return p.seed == 3 end");
    size_t n_failed = 0, n_since = 0;
    /* Lua survives some by collecting garbage; far more successes in a row than it has chances to
     * mean that k has passed the last allocation. */
    for (long k = 0; n_since < 1000; k++) {
        egc_script script;
        egc_error err = {0};
        egc_mem_fail_after(k);
        egc_status status = load_text(text, "steps=7", &script, &err);
        egc_mem_fail_after(-1);
        if (status != EGC_OK && status != EGC_ERROR_MEMORY)
            fail_msg("allocation %ld: status %d: %s", k, (int)status, err.message);
        assert_int_equal(script.n_experiments, status ? 0 : 1);
        egc_script_fini(&script);
        n_since = status ? 0 : n_since + 1;
        n_failed += status != EGC_OK;
    }
    assert_true(n_failed > 30);
}

static void identity__devices_name_their_sources(void **state)
{
    (void)state;
    egc_devices list;
    egc_error err = {0};
    assert_ok(egc_devices_load(&list, &err), err);
    const egc_device_profile *v100;
    assert_ok(egc_resolve_device(list.profiles, "v100", &v100, &err), err);
    assert_close(v100->device.flops, 15.7e12, 0);
    assert_close(v100->device.memory_Bps, 900e9, 0);
    assert_close(v100->device.launch_s, 5e-6, 1e-15);
    for (const egc_device_profile *profile = list.profiles; profile->name; profile++) {
        egc_buf text = {0};
        egc_devices_describe(profile, &text);
        assert_ok(egc_buf_check(&text, &err), err);
        for (size_t i = 0; egc_device_params[i].name; i++) {
            assert_true(strlen(profile->sources[i]) > 10);
            assert_non_null(strstr((const char *)text.data, profile->sources[i]));
        }
        egc_buf_fini(&text);
    }
    egc_devices_fini(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity__equal_parameters_have_equal_ids),
        cmocka_unit_test(identity__other_parameters_have_other_ids),
        cmocka_unit_test(identity__another_platform_is_another_point),
        cmocka_unit_test(identity__another_trace_is_another_point),
        cmocka_unit_test(identity__points_that_differ_in_time_learn_the_same),
        cmocka_unit_test(identity__measured_points_learn_apart),
        cmocka_unit_test(identity__points_whose_layers_merge_learn_apart),
        cmocka_unit_test(identity__points_whose_layers_fuse_learn_apart),
        cmocka_unit_test(identity__every_option_is_of_time_or_of_learning),
        cmocka_unit_test(identity__every_allocation_may_fail),
        cmocka_unit_test(identity__devices_name_their_sources),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
