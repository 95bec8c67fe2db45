/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Federated averaging: what is learnt, who takes part, what is sent, and how long a round takes. */
#include "train/quadratic.h"

#include "train/algorithm.h"

/* ---- configurations ------------------------------------------------------------------------- */

static void set_in(const egc_param *table, void *params, const char *key, const char *word)
{
    egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = word};
    egc_error err = {0};
    assert_ok(egc_param_set(egc_param_find(table, key), params, &value, &err), err);
}

static egc_train_config federated_of(const egc_workload_type *workload, const char *method,
                                     int workers, int rounds)
{
    static _Alignas(16) char params[1024];
    egc_train_config config = config_of(workload, method, workers, rounds);
    egc_error err = {0};
    assert_ok(egc_algorithm_find("federated", &config.algorithm, &err), err);
    egc_param_init(config.algorithm->params, params);
    config.algorithm_params = params;
    set_in(config.algorithm->params, params, "local_steps", "1");
    return config;
}

static void set_federated(egc_train_config *config, const char *key, const char *word)
{
    set_in(config->algorithm->params, (void *)config->algorithm_params, key, word);
}

/* A WAN with a server of 1 GB/s and clients of 10 MB/s down, 1 MB/s up, 10 ms; the last `slow` of
 * them have a tenth of that up. */
static void use_wan(egc_train_config *config, int fast, int slow)
{
    static _Alignas(16) char cluster[4096];
    static double groups[2][8]; /* room for what a group is */
    egc_error err = {0};
    assert_ok(egc_cluster_find("wan", &config->cluster, &err), err);
    const egc_param *table = config->cluster->params;
    egc_param_init(table, cluster);
    set_in(table, cluster, "server", "1GB/s");
    set_in(table, cluster, "bandwidth", "10MB/s");
    set_in(table, cluster, "up", "1MB/s");
    set_in(table, cluster, "latency", "10ms");
    const egc_param *clients = egc_param_find(table, "clients");
    const egc_param_item *item = egc_param_item_of(clients);
    assert_true(item->size <= sizeof groups[0]);
    egc_param_list *list = (egc_param_list *)(void *)(cluster + clients->offset);
    char *items = (char *)groups, number[16];
    for (int i = 0; i < (slow ? 2 : 1); i++) {
        egc_param_init(item->table, items + i * item->size);
        snprintf(number, sizeof number, "%d", i ? slow : fast);
        set_in(item->table, items + i * item->size, "hosts", number);
    }
    if (slow)
        set_in(item->table, items + item->size, "up", "100KB/s");
    *list = (egc_param_list){.items = items, .n = slow ? 2 : 1};
    config->cluster_params = cluster;
}

static const result *run_ok(const egc_train_config *config)
{
    const result *r = run(config);
    if (r->status)
        fail_msg("%s", r->err.message);
    return r;
}

/* ---- what is learnt ------------------------------------------------------------------------- */

/* One local step of all clients is a synchronous step. */
static void federated__a_local_step_of_all_is_sync(void **state)
{
    (void)state;
    const char *const methods[] = {"none", "topk", "threshold"};
    for (int i = 0; i < 3; i++) {
        egc_train_config config = federated_of(&closed, methods[i], 5, 20);
        if (i == 1)
            set(&config, "memory", "residual");
        if (i == 2) { /* everything is sent, so that c(1) makes up for the masking */
            set(&config, "tau", "0");
            set(&config, "memory", "momentum");
            set(&config, "lr_correction", "layer");
        }
        set_federated(&config, "momentum", "rounds");
        const result *federated = run_ok(&config);
        config.algorithm = NULL;
        config.algorithm_params = NULL;
        const result *sync = run_ok(&config);
        assert_close(federated->summary.metrics.test_loss, sync->summary.metrics.test_loss, 1e-5);
        assert_close(federated->summary.metrics.accuracy, sync->summary.metrics.accuracy, 1e-5);
        assert_close(federated->summary.metrics.sent_bytes, sync->summary.metrics.sent_bytes, 1e-9);
        assert_close(federated->step[0].loss, sync->step[0].loss, 1e-6);
    }
}

/* FedAvg by hand: K steps from the server's x, momentum from 0, then the mean of where they came.
 */
static double fedavg(int workers, int rounds, int local_steps, double server_lr)
{
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        double x = 0;
        for (int round = 0; round < rounds; round++) {
            double mean = 0;
            for (size_t w = 0; w < (size_t)workers; w++) {
                double local = x, velocity = 0;
                for (int k = 0; k < local_steps; k++) {
                    velocity = 0.5 * velocity + local - (double)target(w, i);
                    local -= 0.05 * velocity;
                }
                mean += local / workers;
            }
            x += server_lr * (mean - x);
        }
        sum += x;
    }
    return sum;
}

static void federated__averaging_by_hand(void **state)
{
    (void)state;
    egc_train_config config = federated_of(&closed, "none", 4, 6);
    set_federated(&config, "local_steps", "3");
    assert_close(run_ok(&config)->summary.metrics.test_loss, fedavg(4, 6, 3, 1), 1e-5);
    set_federated(&config, "server_lr", "0.7");
    assert_close(run_ok(&config)->summary.metrics.test_loss, fedavg(4, 6, 3, 0.7), 1e-5);
    set_federated(&config, "downlink", "compressed"); /* with nothing lost */
    assert_close(run_ok(&config)->summary.metrics.test_loss, fedavg(4, 6, 3, 0.7), 1e-5);
}

/* Worker w has w + 1 examples, and an epoch of 2 steps. */
static egc_workload_share share(const egc_workload *workload, size_t worker)
{
    (void)workload;
    return (egc_workload_share){.examples = (double)worker + 1, .steps = 2};
}

static void federated__clients_weigh_their_examples(void **state)
{
    (void)state;
    egc_workload_type workload = closed;
    workload.share = share;
    egc_train_config config = federated_of(&workload, "none", 3, 1);
    /* x = lr sum of w_c target_c, and target_c = c + 1 times that of worker 0 */
    double one = 0.05 * (double)target(0, N - 1);
    assert_close(run_ok(&config)->summary.metrics.accuracy, one * (1 + 4 + 9) / 6, 1e-5);
    set_federated(&config, "weighting", "equal");
    assert_close(run_ok(&config)->summary.metrics.accuracy, one * (1 + 2 + 3) / 3, 1e-5);
    set_federated(&config, "local_steps", "0"); /* an epoch of two steps: 1 + (1 + 0.5 - lr) */
    assert_close(run_ok(&config)->summary.metrics.accuracy, one * 2 * (1 + 1.5 - 0.05), 1e-5);
    set_federated(&config, "local_epochs", "2");
    set_federated(&config, "weighting", "examples");
    egc_train_config as_steps = config;
    const result *r = run_ok(&config);
    set_federated(&config, "local_epochs", "0");
    set_federated(&config, "local_steps", "4");
    assert_true(run_ok(&as_steps)->summary.metrics.test_loss == r->summary.metrics.test_loss);
}

/* ---- who takes part ------------------------------------------------------------------------- */

static uint32_t (*asked)[16]; /* by round of the worker's own, worker; shared with the child */

static egc_status counting_gradient(egc_workload *w, uint64_t step, size_t worker, const float *x,
                                    float *g, double *loss, egc_error *err)
{
    asked[0][worker]++;
    return gradient(w, step, worker, x, g, loss, err);
}

static void federated__clients_are_sampled(void **state)
{
    (void)state;
    asked = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(asked != MAP_FAILED);
    egc_workload_type workload = closed;
    workload.gradient = counting_gradient;
    const struct {
        const char *share;
        uint32_t count;
    } cases[] = {{"1", 8}, {"0.5", 4}, {"0.3", 2}, {"0.01", 1}};
    for (int i = 0; i < 4; i++) {
        memset(asked, 0, 4096);
        egc_train_config config = federated_of(&workload, "none", 8, 60);
        set_federated(&config, "participation", cases[i].share);
        const result *r = run_ok(&config);
        uint32_t total = 0;
        for (int w = 0; w < 8; w++) {
            total += asked[0][w];
            assert_true(asked[0][w] * 8 > 60 * cases[i].count / 3); /* 7.5 of 60 at the least */
        }
        assert_int_equal(total, 60 * cases[i].count);
        assert_close(r->step[7].network_bytes, cases[i].count * 2 * 4 * N, 1e-9);
        assert_close(r->step[7].sent_bytes, 4 * N, 1e-9); /* mean over those sampled */
        assert_close(r->step[7].recv_bytes, 4 * N, 1e-9);
        assert_close(r->step[7].compression_ratio, 1, 1e-9);
        const result *again = run_ok(&config);
        assert_true(again->hash == r->hash);
        config.options.seed = 2;
        assert_true(cases[i].count == 8 || run_ok(&config)->hash != r->hash);
    }
    munmap(asked, 4096);
}

/* Two of five clients are slow: 0.01 + 4 kB / 10 MB/s down, 0.01 + 4 kB / 0.1 MB/s up. */
static const double fast_s = 0.0204 + 0.004, slow_s = 0.0204 + 0.04;

static void federated__late_clients_are_lost(void **state)
{
    (void)state;
    forward_s = backward_s = 0;
    egc_train_config config = federated_of(&closed, "none", 5, 1);
    use_wan(&config, 3, 2);
    double one = 0.05 * (double)target(0, N - 1);
    const result *r = run_ok(&config);
    assert_close(r->summary.metrics.accuracy, one * (1 + 2 + 3 + 4 + 5) / 5, 1e-5);
    assert_close(r->summary.metrics.step_s, slow_s, 1e-3);

    set_federated(&config, "deadline", "30ms");
    r = run_ok(&config);
    assert_close(r->summary.metrics.accuracy, one * (1 + 2 + 3) / 3, 1e-5);
    assert_close(r->summary.metrics.step_s, 0.03, 1e-6);
    assert_close(r->summary.metrics.sim_time_s, 0.03, 1e-6);
    config.options.max_sim_time_s = 0.04; /* what comes after is not waited for */
    assert_close(run_ok(&config)->summary.metrics.sim_time_s, 0.03, 1e-6);
    config.options.max_sim_time_s = INFINITY;

    set_federated(&config, "deadline", "1ms"); /* nobody makes it, in any round */
    config.options.steps = 3;
    r = run_ok(&config);
    assert_true(r->summary.metrics.accuracy == 0);
    /* rounds of nobody: each begins when a client of the one before is through */
    assert_close(r->summary.metrics.sim_time_s, 2 * fast_s + 0.001, 1e-3);
    forward_s = 0.001, backward_s = 0.002;
}

/* Slow clients are sampled again only when their upload is through: 30 ms rounds, an upload of
 * 60.4 ms, so in every third round. */
static void federated__busy_clients_are_not_sampled(void **state)
{
    (void)state;
    forward_s = backward_s = 0;
    egc_train_config config = federated_of(&closed, "none", 5, 6);
    use_wan(&config, 3, 2);
    set_federated(&config, "deadline", "30ms");
    const result *r = run_ok(&config);
    const double count[] = {5, 3, 3, 5, 3, 3}, fast = 24.4e-3;
    double since = 0;
    for (int i = 0; i < 6; i++) {
        assert_close(r->step[i].step_s, count[i] == 5 ? 0.03 : fast, 1e-3);
        since += r->step[i].step_s;
    }
    assert_close(since, r->summary.metrics.sim_time_s, 1e-9);
    forward_s = 0.001, backward_s = 0.002;
}

static void federated__the_first_to_answer_count(void **state)
{
    (void)state;
    forward_s = backward_s = 0;
    egc_train_config config = federated_of(&closed, "none", 4, 1);
    use_wan(&config, 2, 2);
    set_federated(&config, "participation", "0.5");
    set_federated(&config, "over_selection", "2");
    const result *r = run_ok(&config);
    double one = 0.05 * (double)target(0, N - 1);
    assert_close(r->summary.metrics.accuracy, one * (1 + 2) / 2, 1e-5);
    assert_close(r->summary.metrics.step_s, fast_s, 1e-3);
    use_wan(&config, 4, 0);              /* two of four that answer at once, not all */
    egc_workload_type workload = closed; /* weights tell who they are: all would give 3 */
    workload.share = share;
    config.workload = &workload;
    double mean = run_ok(&config)->summary.metrics.accuracy / one;
    assert_true(fabs(mean - 3) > 0.1);
    forward_s = 0.001, backward_s = 0.002;
}

/* ---- what is sent, and how long it takes ---------------------------------------------------- */

/* Down and up one after the other. On a star all flows share the server's link; in a WAN each has
 * a narrower one of its own. */
static void federated__rounds_take_their_closed_form(void **state)
{
    (void)state;
    egc_train_config config = federated_of(&closed, "none", 6, 3);
    double compute = 2 * (forward_s + backward_s);
    const result *r = run_ok(&config);
    double star = 2 * (50e-6 + 6 * 4. * N / 1.25e8);
    assert_close(r->summary.metrics.step_s, star + compute, 1e-3);
    assert_close(r->summary.metrics.comm_s, star, 1e-3);
    assert_close(r->summary.metrics.compute_s, compute, 1e-6);
    use_wan(&config, 6, 0);
    set_federated(&config, "local_steps", "4");
    r = run_ok(&config);
    assert_close(r->summary.metrics.step_s, 2 * 0.01 + 4. * N / 1e7 + 4. * N / 1e6 + 4 * compute,
                 1e-3);
    assert_close(r->summary.metrics.compute_s, 4 * compute, 1e-6);
}

/* A client's step is jittered once a round: all its local steps take as long. */
static void federated__rounds_have_their_own_jitter(void **state)
{
    (void)state;
    double compute_s[4];
    for (int local_steps = 1; local_steps <= 2; local_steps++) {
        egc_train_config config = federated_of(&closed, "none", 4, 2);
        set_cluster(&config, "jitter", "0.5");
        set_federated(&config, "local_steps", local_steps == 1 ? "1" : "2");
        const result *r = run_ok(&config);
        for (int round = 0; round < 2; round++)
            compute_s[2 * (local_steps - 1) + round] = r->step[round].compute_s;
    }
    assert_close(compute_s[2], 2 * compute_s[0], 1e-6);
    assert_close(compute_s[3], 2 * compute_s[1], 1e-6);
    assert_true(compute_s[0] != compute_s[1]);
}

static void federated__costs_are_charged(void **state)
{
    (void)state;
    egc_train_config config = federated_of(&closed, "topk", 4, 3);
    config.options.cost = EGC_COST_MODEL;
    set_federated(&config, "downlink", "compressed");
    const egc_metrics *m = &run_ok(&config)->step[2];
    assert_true(m->compress_s > 0 && m->decompress_s > 0);
    assert_close(m->step_s, m->compute_s + m->compress_s + m->exposed_comm_s + m->decompress_s,
                 1e-6);
}

/* All clients of a round must begin at the same point, bit by bit. */
static egc_status comparing_gradient(egc_workload *w, uint64_t step, size_t worker, const float *x,
                                     float *g, double *loss, egc_error *err)
{
    static float before[N];
    static uint64_t round = UINT64_MAX;
    egc_status status = gradient(w, step, worker, x, g, loss, err);
    if (round == step && memcmp(before, x, sizeof before) != 0)
        return egc_fail(err, EGC_ERROR_FORMAT, "clients differ");
    round = step;
    memcpy(before, x, sizeof before);
    return status;
}

static void federated__compressed_downlink(void **state)
{
    (void)state;
    egc_workload_type workload = closed;
    workload.gradient = comparing_gradient;
    egc_train_config config = federated_of(&workload, "topk", 4, 60);
    set(&config, "ratio", "0.1");
    set(&config, "memory", "residual");
    set_federated(&config, "downlink", "compressed");
    const result *r = run_ok(&config);
    assert_close(r->step[0].recv_bytes, 4 * N, 1e-9); /* they join */
    assert_close(r->step[1].recv_bytes, r->step[1].sent_bytes, 0.05);
    assert_true(r->step[1].recv_bytes < 4 * N / 5);
    /* what is not sent down stays in the difference: the server still comes to the mean target */
    double mean = (double)target(0, N - 1) * 2.5;
    assert_close(r->summary.metrics.accuracy, mean * (1 - pow(0.95, 60)), 0.1);
}

/* A client that was away gets what it missed, or all when that is less: with one client sampled of
 * two, rounds bring 1, 2, 3 ... messages, and never more than the model. */
static void federated__clients_catch_up(void **state)
{
    (void)state;
    egc_train_config config = federated_of(&closed, "topk", 2, 60);
    set(&config, "ratio", "0.1");
    set(&config, "memory", "residual");
    set_federated(&config, "downlink", "compressed");
    set_federated(&config, "participation", "0.5");
    const result *r = run_ok(&config);
    int counts[8] = {0};
    for (int i = 2; i < 60; i++) {
        double messages = r->step[i].recv_bytes / r->step[i].sent_bytes;
        assert_true(r->step[i].recv_bytes <= 4 * N);
        if (r->step[i].recv_bytes < 4 * N && messages < 8)
            counts[(int)lround(messages)]++;
    }
    assert_true(counts[0] == 0 && counts[1] > 10 && counts[2] > 5 && counts[3] > 2);
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void federated__refusals(void **state)
{
    (void)state;
    egc_error err;
    egc_train_config config = federated_of(&closed, "egc", 16, 1);
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_RANGE,
                 "workers: cluster star has 16 hosts, got 16 workers and 1 servers");
    config = federated_of(&closed, "egc", 4, 1);
    set_federated(&config, "local_epochs", "1");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_RANGE,
                 "algorithm: local_epochs and local_steps exclude each other, got 1 and 1");
    set_federated(&config, "local_steps", "0");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "algorithm: workload quadratic does not say how long an epoch is; use "
                 "local_steps");
    config = federated_of(&closed, "topk", 4, 1);
    set_federated(&config, "over_selection", "1.5");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_RANGE,
                 "algorithm: over_selection needs participation < 1: all clients are sampled "
                 "already");
    config = federated_of(&closed, "topk", 4, 1);
    set(&config, "memory", "ef21");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "method: memory = \"ef21\" needs a message of every worker at every step, which "
                 "algorithm federated has not");
    config = federated_of(&closed, "egc", 4, 1);
    set(&config, "residual_lr", "rescale");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "method: residual_lr = \"rescale\" is for gradients; what clients of algorithm "
                 "federated send has its learning rate in it");
    config = federated_of(&closed, "egc", 4, 1);
    set(&config, "clip", "1");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "method: clip is of gradients, and algorithm federated compresses differences of "
                 "parameters; must be 0, got 1");
    config = federated_of(&closed, "strom", 4, 1);
    set_federated(&config, "downlink", "compressed");
    assert_int_equal(egc_train_run_check(&config, &err), EGC_OK);
    config = federated_of(&closed, "randomk", 4, 1);
    set(&config, "memory", "none");
    set(&config, "scale", "true");
    assert_int_equal(egc_train_run_check(&config, &err), EGC_OK);
    set_federated(&config, "downlink", "compressed");
    assert_int_equal(egc_train_run_check(&config, &err), EGC_ERROR_UNSUPPORTED);
    assert_non_null(strstr(err.message, "method: compresses differences, which are residuals: "));
    config = federated_of(&closed, "egc", 4, 1);
    config.options.overlap = false;
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "overlap: algorithm federated computes, compresses and exchanges one after the "
                 "other; leave it out");
    config = federated_of(&closed, "signsgd", 4, 1);
    assert_int_equal(egc_train_run_check(&config, &err), EGC_ERROR_UNSUPPORTED);
    config = federated_of(&open_loop, "egc", 4, 1);
    assert_int_equal(egc_train_run_check(&config, &err), EGC_ERROR_UNSUPPORTED);
}

/* A client's NaN names round and client, and the run has diverged. */
static void federated__a_client_diverges(void **state)
{
    (void)state;
    poison = true;
    egc_train_config config = federated_of(&closed, "egc", 3, 10);
    const result *r = run_ok(&config);
    assert_true(r->summary.diverged && r->steps == 3);
    assert_non_null(strstr(r->summary.reason, "round 3: client 1"));
    poison = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(federated__a_local_step_of_all_is_sync),
        cmocka_unit_test(federated__averaging_by_hand),
        cmocka_unit_test(federated__clients_weigh_their_examples),
        cmocka_unit_test(federated__clients_are_sampled),
        cmocka_unit_test(federated__late_clients_are_lost),
        cmocka_unit_test(federated__busy_clients_are_not_sampled),
        cmocka_unit_test(federated__the_first_to_answer_count),
        cmocka_unit_test(federated__rounds_take_their_closed_form),
        cmocka_unit_test(federated__rounds_have_their_own_jitter),
        cmocka_unit_test(federated__costs_are_charged),
        cmocka_unit_test(federated__compressed_downlink),
        cmocka_unit_test(federated__clients_catch_up),
        cmocka_unit_test(federated__refusals),
        cmocka_unit_test(federated__a_client_diverges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
