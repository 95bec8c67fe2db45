/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Learning logs: a run that replays one takes the times, and reports the rows, of one that trains;
 * what is incomplete, damaged or of other learning is refused. */
#include "train/sync/engine/training_log.h"
#include "train/quadratic.h"

enum { P = 4, STEPS = 5, ROOM = 1 << 20 };
static const char key[] = "0123456789abcdef";

/* ---- a log in memory that children share ----------------------------------------------------- */

typedef struct memory {
    size_t len;
    size_t room; /* what goes beyond is refused */
    unsigned char data[ROOM];
} memory;

static memory *new_memory(void)
{
    memory *m = mmap(NULL, sizeof *m, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(m != MAP_FAILED);
    m->room = ROOM;
    return m;
}

static bool append(void *arg, const void *data, size_t len)
{
    memory *m = arg;
    if (len > m->room - m->len)
        return false;
    memcpy(m->data + m->len, data, len);
    m->len += len;
    return true;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static egc_train_config config_for(const char *method)
{
    egc_train_config config = config_of(&closed, method, P, STEPS);
    config.options.cost = EGC_COST_MODEL;
    config.options.bucket_bytes = EGC_BUCKET_LAYER;
    config.options.layers = true;
    config.options.eval_every = 2;
    return config;
}

/* Another network and another device. */
static void move_elsewhere(egc_train_config *config)
{
    static char slow[4096];
    egc_scalar bandwidth = {.kind = EGC_SCALAR_TEXT, .text = "20Mbps"};
    egc_error err = {0};
    memcpy(slow, config->cluster_params, config->cluster->params_size);
    assert_ok(
        egc_param_set(egc_param_find(config->cluster->params, "bandwidth"), slow, &bandwidth, &err),
        err);
    config->cluster_params = slow;
    config->device =
        (egc_device){.flops = 3e11, .efficiency = 1, .memory_Bps = 2e8, .launch_s = 3e-6};
    config->options.compress_on = EGC_COMPRESS_ON_STREAM;
}

static const result *write_log(egc_train_config config, memory *log)
{
    egc_training_log_writer writer = {.key = key, .append = append, .arg = log};
    config.log = &writer;
    return run(&config);
}

/* Without anything to train with. */
static const result *replay_log(egc_train_config config, const memory *log)
{
    static const egc_workload_type name_alone = {.name = "quadratic", .closed_loop = true};
    egc_training_log_reader reader;
    egc_error err = {0};
    assert_ok(egc_training_log_reader_open(&reader, key, log->data, log->len, &err), err);
    config.workload = &name_alone;
    config.replay = &reader;
    return run(&config);
}

static void assert_same(const char *what, const result *got, const result *want)
{
    if (got->status || want->status)
        fail_msg("%s: %s%s", what, got->err.message, want->err.message);
    assert_int_equal(got->steps, STEPS);
    bool same =
        got->hash == want->hash && got->units == want->units &&
        memcmp(got->step, want->step, sizeof got->step) == 0 &&
        memcmp(&got->summary.metrics, &want->summary.metrics, sizeof got->summary.metrics) == 0 &&
        got->summary.metrics.test_loss == want->summary.metrics.test_loss &&
        got->summary.metrics.drift == want->summary.metrics.drift &&
        got->summary.metrics.sim_time_s == want->summary.metrics.sim_time_s &&
        strcmp(got->summary.model, want->summary.model) == 0 &&
        strcmp(got->summary.exchange, want->summary.exchange) == 0;
    if (!same)
        fail_msg("%s: other rows", what);
}

/* ---------------------------------------------------------------------------------------------- */

/* One round and several, gathered, reduced, broadcast, scattered; elements summed on the way. */
static void training_log__replayed_is_as_trained(void **state)
{
    (void)state;
    static const char *const methods[] = {"none", "fp16",     "int8",   "egc",  "topk",
                                          "qsgd", "powersgd", "signum", "cltk", "sketch"};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        memory *log = new_memory();
        egc_train_config config = config_for(methods[i]);
        const result *here = run(&config);
        assert_same(methods[i], write_log(config, log), here);
        assert_same(methods[i], replay_log(config, log), here);
        move_elsewhere(&config);
        const result *elsewhere = run(&config);
        assert_true(elsewhere->summary.metrics.sim_time_s > here->summary.metrics.sim_time_s);
        assert_same(methods[i], replay_log(config, log), elsewhere);
        assert_int_equal(munmap(log, sizeof *log), 0);
    }
}

static void assert_refused(const memory *log, size_t len, const char *wanted_key,
                           const char *message)
{
    egc_training_log_reader reader;
    egc_error err;
    assert_fails(egc_training_log_reader_open(&reader, wanted_key, log->data, len, &err), err,
                 EGC_ERROR_FORMAT, message);
}

static void training_log__what_is_not_whole_is_refused(void **state)
{
    (void)state;
    memory *log = new_memory();
    egc_training_log_reader reader;
    egc_error err = {0};
    assert_int_equal(write_log(config_for("egc"), log)->status, EGC_OK);
    for (size_t len = 0; len < log->len; len++)
        assert_int_equal(egc_training_log_reader_open(&reader, key, log->data, len, &err),
                         EGC_ERROR_FORMAT);
    assert_refused(log, 20, key, "learning log: has no head");
    assert_refused(log, log->len - 1, key, "learning log: incomplete or damaged");
    for (size_t i = 8; i < log->len; i++) {
        log->data[i] ^= 4;
        assert_refused(log, log->len, key, "learning log: incomplete or damaged");
        log->data[i] ^= 4;
    }
    log->data[0] ^= 4;
    assert_refused(log, log->len, key, "learning log: has no head");
    log->data[0] ^= 4;
    assert_ok(egc_training_log_reader_open(&reader, key, log->data, log->len, &err), err);
}

static void training_log__other_learning_is_refused(void **state)
{
    (void)state;
    memory *log = new_memory();
    assert_int_equal(write_log(config_for("egc"), log)->status, EGC_OK);
    assert_refused(log, log->len, "0123456789abcdee",
                   "learning log: key must be 0123456789abcdee, got 0123456789abcdef");
    /* and should two keys ever be equal that must not be, the run fails rather than invents */
    egc_train_config config = config_for("egc");
    config.options.steps = STEPS + 1;
    const result *r = replay_log(config, log);
    assert_int_equal(r->status, EGC_ERROR_FORMAT);
    assert_int_equal(r->steps, STEPS);
}

static void training_log__a_log_without_room_is_given_up(void **state)
{
    (void)state;
    memory *log = new_memory();
    egc_train_config config = config_for("topk");
    const result *want = run(&config);
    assert_same("all", write_log(config, log), want);
    size_t whole = log->len;
    for (log->room = 0; log->room < whole; log->room += whole / 7) {
        log->len = 0;
        assert_same("part", write_log(config, log), want);
        egc_training_log_reader reader;
        egc_error err = {0};
        assert_int_equal(egc_training_log_reader_open(&reader, key, log->data, log->len, &err),
                         EGC_ERROR_FORMAT);
    }
}

/* A run that ends early has learnt too little for others. */
static void training_log__a_run_that_diverges_leaves_no_log(void **state)
{
    (void)state;
    memory *log = new_memory();
    egc_training_log_reader reader;
    egc_error err = {0};
    poison = true;
    const result *r = write_log(config_for("topk"), log);
    poison = false;
    assert_true(r->summary.diverged && r->steps == 3);
    assert_true(log->len > 0);
    assert_int_equal(egc_training_log_reader_open(&reader, key, log->data, log->len, &err),
                     EGC_ERROR_FORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_log__replayed_is_as_trained),
        cmocka_unit_test(training_log__what_is_not_whole_is_refused),
        cmocka_unit_test(training_log__other_learning_is_refused),
        cmocka_unit_test(training_log__a_log_without_room_is_given_up),
        cmocka_unit_test(training_log__a_run_that_diverges_leaves_no_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
