/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/fake.h"

#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/file/path.h"

fake_behaviour fake_now;

static const egc_workload_type workload = {.name = "fake", .closed_loop = true};
static const egc_cluster_type cluster = {.name = "star"};
static const egc_cluster_common common = {.bandwidth_Bps = 1.25e8, .latency_s = 5e-5};
static const char *const methods[FAKE_METHODS] = {"topk", "none", "threshold"};
static const char *const axes[] = {"method", "seed", "workload.batch"};

/* ---- the experiment -------------------------------------------------------------------------- */

static void make_point(fake_study *fake, size_t method, size_t seed)
{
    size_t i = method * FAKE_SEEDS + seed;
    egc_point *point = &fake->points[i];
    egc_error err;
    *point = (egc_point){.config = {.workload = &workload,
                                    .cluster = &cluster,
                                    .cluster_params = &common,
                                    .options = {.workers = 8,
                                                .steps = FAKE_STEPS,
                                                .seed = (int64_t)seed + 1,
                                                .layers = true}}};
    assert_ok(egc_method_init(&point->config.method, methods[method], &err), err);
    snprintf(point->run_id, sizeof point->run_id, "%016zx", 0xabc000 + i);
    snprintf(fake->seeds[seed], sizeof fake->seeds[seed], "%zu", seed + 1);
    fake->values[i][0] = methods[method];
    fake->values[i][1] = fake->seeds[seed];
    fake->values[i][2] = "32, \"of all\"";
    point->axis_values = fake->values[i];
}

void fake_init(fake_study *fake)
{
    *fake = (fake_study){.experiment = {.name = "fake",
                                        .source_path = "fake.lua",
                                        .source = "return egc.experiment { }",
                                        .axes = axes,
                                        .n_axes = 3,
                                        .points = fake->points,
                                        .n_points = FAKE_POINTS}};
    for (size_t method = 0; method < FAKE_METHODS; method++)
        for (size_t seed = 0; seed < FAKE_SEEDS; seed++)
            make_point(fake, method, seed);
    fake_now = (fake_behaviour){0};
}

double fake_step_s(const char *method)
{
    return strcmp(method, "none") == 0 ? 0.5 : strcmp(method, "topk") == 0 ? 0.125 : 0.25;
}

/* ---- what a child does ----------------------------------------------------------------------- */

static void pause_at_random(void)
{
    if (fake_now.pause_ms <= 0)
        return;
    long ms = (long)(getpid() * 2654435761u >> 8) % fake_now.pause_ms;
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static egc_status run_steps(const egc_train_config *config, const egc_train_sink *sink,
                            egc_train_summary *out, egc_error *err)
{
    size_t n_steps = fake_now.steps ? fake_now.steps : FAKE_STEPS;
    egc_status status = EGC_OK;
    for (uint64_t step = 0; step < n_steps && !status; step++) {
        double value = (double)config->options.seed / (3 + (double)step);
        egc_metrics metrics = {.sent_bytes = 1000 * value,
                               .recv_bytes = NAN,
                               .loss = value,
                               .step_s = fake_step_s(config->method.name)};
        egc_unit_metrics unit = {.name = "conv\n\"1\"",
                                 .elements = 8,
                                 .sent = 2,
                                 .density = 0.25,
                                 .wire_bytes = 24,
                                 .rel_error = value};
        status = sink->step(sink->arg, step, &metrics, err);
        if (!status)
            status = sink->unit(sink->arg, step, &unit, err);
        metrics.params = 1000;
        metrics.dense_bytes = 4000;
        metrics.drift = 0.25;
        metrics.sim_time_s = 2;
        metrics.speedup = NAN;
        out->metrics = metrics;
        out->steps_done = step + 1;
    }
    return status;
}

static egc_status evaluate(const egc_train_sink *sink, egc_train_summary *out, egc_error *err)
{
    const egc_evaluation_metrics metrics = {.sim_time_s = out->metrics.sim_time_s,
                                            .sent_bytes_total = 4000,
                                            .loss = 0.1,
                                            .accuracy = 0.9,
                                            .perplexity = NAN};
    out->metrics.test_loss = 0.1;
    out->metrics.accuracy = 0.9;
    out->metrics.perplexity = NAN;
    return sink->evaluation(sink->arg, out->steps_done, &metrics, err);
}

static void crash(void)
{
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    fprintf(stderr, "about to fall\nover \xff here\n");
    signal(SIGSEGV, SIG_DFL); /* cmocka has a handler of its own */
    raise(SIGSEGV);
}

static egc_status misbehave(int64_t seed, egc_train_summary *out, egc_error *err)
{
    if (seed == 1)
        crash();
    if (seed == 2) {
        printf("giving up\n\n");
        exit(7);
    }
    if (seed == 3)
        return egc_fail(err, EGC_ERROR_SIMULATION, "rank 2 waits for rank 1, \"for ever\"");
    if (seed == 4) {
        out->diverged = true;
        snprintf(out->reason, sizeof out->reason, "loss is nan");
    }
    if (seed == 5)
        return egc_fail(err, EGC_ERROR_TIMEOUT, "max_sim_time reached");
    return EGC_OK;
}

egc_status fake_main(const egc_train_config *config, const egc_train_sink *sink,
                     egc_train_summary *out, egc_error *err)
{
    int64_t seed = config->options.seed;
    bool is_topk = strcmp(config->method.name, "topk") == 0;
    bool is_dense = strcmp(config->method.name, "none") == 0;
    pause_at_random();
    while (is_topk && seed == fake_now.hanging_seed)
        pause();
    *out = (egc_train_summary){.model = "toy", .exchange = "ring"};
    egc_status status = run_steps(config, sink, out, err);
    if (!status)
        status = evaluate(sink, out, err);
    if (!status && fake_now.some_fail && is_topk)
        status = misbehave(seed, out, err);
    if (!status && fake_now.dense_fails && is_dense)
        status = egc_fail(err, EGC_ERROR_SIMULATION, "no dense run today");
    return status;
}

egc_runner_options fake_options(const char *dir, size_t jobs)
{
    static const egc_version versions[] = {{"egc-sim", "1.0"}, {"SimGrid", "3.32"}};
    static const egc_provenance provenance = {versions, 2, "scalar"};
    return (egc_runner_options){.dir = dir,
                                .jobs = jobs,
                                .share = true,
                                .point_main = fake_main,
                                .provenance = &provenance};
}

/* ---- files ----------------------------------------------------------------------------------- */

egc_path fake_folder(void)
{
    egc_path folder = egc_path_of("%s/egc-test-XXXXXX", P_tmpdir);
    assert_non_null(mkdtemp(folder.text));
    return folder;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info, (void)kind, (void)where;
    return remove(path);
}

void fake_folder_remove(const egc_path *folder)
{
    assert_int_equal(nftw(folder->text, remove_entry, 8, FTW_DEPTH | FTW_PHYS), 0);
}

char *fake_read(const char *dir, const char *name)
{
    FILE *file = fopen(egc_path_of("%s/%s", dir, name).text, "r");
    char *text = calloc(1, 1);
    size_t len = 0;
    while (file && !feof(file)) {
        text = realloc(text, len + 65536 + 1);
        len += fread(text + len, 1, 65536, file);
        text[len] = '\0';
    }
    if (file)
        fclose(file);
    return text;
}

void assert_whole_rows(const char *dir)
{
    for (int i = 0; i < EGC_N_TABLES; i++) {
        char *text = fake_read(dir, egc_columns_tables[i].file);
        size_t len = strlen(text);
        assert_true(len == 0 || text[len - 1] == '\n');
        free(text);
    }
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

void assert_same_results(const char *a, const char *b)
{
    for (int i = 0; i < EGC_N_TABLES; i++) {
        char *of_a = fake_read(a, egc_columns_tables[i].file),
             *of_b = fake_read(b, egc_columns_tables[i].file);
        assert_string_equal(of_a, of_b);
        if (i == EGC_TABLE_RUNS)
            assert_int_equal(count_lines(of_a), 1 + FAKE_POINTS);
        else
            assert_true(count_lines(of_a) > FAKE_POINTS / 2);
        free(of_a);
        free(of_b);
    }
    assert_false(egc_path_exists(egc_path_of("%s/.spool", b).text));
    assert_false(egc_path_exists(egc_path_of("%s/.lock", b).text));
}
