/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gossip: its graphs, what is learnt, how fast workers agree, and how long a step takes. */
#include "train/quadratic.h"

#include <complex.h>

#include "train/algorithm.h"
#include "train/gossip/graph.h"

static void set_in(const egc_param *table, void *params, const char *key, const char *word)
{
    egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = word};
    egc_error err = {0};
    assert_ok(egc_param_set(egc_param_find(table, key), params, &value, &err), err);
}

static egc_train_config gossip_of(const egc_workload_type *workload, const char *method,
                                  const char *graph, int workers, int steps)
{
    static _Alignas(16) char params[256];
    egc_train_config config = config_of(workload, method, workers, steps);
    egc_error err = {0};
    assert_ok(egc_algorithm_find("gossip", &config.algorithm, &err), err);
    egc_param_init(config.algorithm->params, params);
    config.algorithm_params = params;
    set_in(config.algorithm->params, params, "graph", graph);
    return config;
}

static void set_gossip(egc_train_config *config, const char *key, const char *word)
{
    set_in(config->algorithm->params, (void *)config->algorithm_params, key, word);
}

static const result *run_ok(const egc_train_config *config)
{
    const result *r = run(config);
    if (r->status)
        fail_msg("%s", r->err.message);
    return r;
}

/* ---- graphs --------------------------------------------------------------------------------- */

static bool sends_to(egc_gossip_graph_kind graph, size_t n, size_t from, size_t to)
{
    egc_gossip_graph_neighbours neighbours = egc_gossip_graph_of(graph, n, from);
    for (size_t i = 0; i < neighbours.degree; i++)
        if (neighbours.to[i] == to)
            return true;
    return false;
}

/* Whom one sends to hears it, nobody is its own neighbour, and all have the same number of them
 * each way: with equal weights rows and columns sum to 1. */
static void gossip__mixing_is_doubly_stochastic(void **state)
{
    (void)state;
    for (egc_gossip_graph_kind graph = EGC_GOSSIP_GRAPH_RING; graph <= EGC_GOSSIP_GRAPH_EXPONENTIAL;
         graph++)
        for (size_t n = 1; n <= 33; n++)
            for (size_t w = 0; w < n; w++) {
                egc_gossip_graph_neighbours neighbours = egc_gossip_graph_of(graph, n, w);
                assert_int_equal(neighbours.degree, egc_gossip_graph_of(graph, n, 0).degree);
                assert_false(sends_to(graph, n, w, w));
                size_t heard = 0, hear = 0;
                for (size_t i = 0; i < neighbours.degree; i++)
                    hear += sends_to(graph, n, neighbours.from[i], w);
                for (size_t from = 0; from < n; from++)
                    heard += sends_to(graph, n, from, w);
                assert_int_equal(hear, neighbours.degree);
                assert_int_equal(heard, neighbours.degree);
            }
}

static void gossip__graphs_by_hand(void **state)
{
    (void)state;
    egc_gossip_graph_neighbours n = egc_gossip_graph_of(EGC_GOSSIP_GRAPH_RING, 5, 0);
    assert_true(n.degree == 2 && n.to[0] == 4 && n.to[1] == 1);
    n = egc_gossip_graph_of(EGC_GOSSIP_GRAPH_RING, 2, 0);
    assert_true(n.degree == 1 && n.to[0] == 1);
    n = egc_gossip_graph_of(EGC_GOSSIP_GRAPH_TORUS, 12, 5); /* 3 x 4: row 1, column 1 */
    assert_true(n.degree == 4 && n.to[0] == 4 && n.to[1] == 6 && n.to[2] == 1 && n.to[3] == 9);
    n = egc_gossip_graph_of(EGC_GOSSIP_GRAPH_TORUS, 6, 0); /* 2 x 3 */
    assert_true(n.degree == 3 && n.to[0] == 2 && n.to[1] == 1 && n.to[2] == 3);
    n = egc_gossip_graph_of(EGC_GOSSIP_GRAPH_EXPONENTIAL, 6, 1);
    assert_true(n.degree == 3 && n.to[0] == 2 && n.to[1] == 3 && n.to[2] == 5);
    assert_true(n.from[0] == 0 && n.from[1] == 5 && n.from[2] == 3);
    assert_int_equal(egc_gossip_graph_of(EGC_GOSSIP_GRAPH_EXPONENTIAL, 1, 0).degree, 0);
}

/* ---- what is learnt ------------------------------------------------------------------------- */

/* D-PSGD on a ring by hand, with the workload's momentum of 1/2: the mean of all workers' sums, and
 * how far they are apart. */
static double dpsgd(int workers, int steps, double *apart)
{
    static double x[8][N], v[8][N], half[8][N];
    memset(x, 0, sizeof x);
    memset(v, 0, sizeof v);
    for (int step = 0; step < steps; step++) {
        for (int w = 0; w < workers; w++)
            for (size_t i = 0; i < N; i++) {
                v[w][i] = 0.5 * v[w][i] + x[w][i] - (double)target((size_t)w, i);
                half[w][i] = x[w][i] - 0.05 * v[w][i];
            }
        for (int w = 0; w < workers; w++)
            for (size_t i = 0; i < N; i++)
                x[w][i] = (half[(w + workers - 1) % workers][i] + half[w][i] +
                           half[(w + 1) % workers][i]) /
                          3;
    }
    double sum = 0, length2 = 0, distance2 = 0;
    for (size_t i = 0; i < N; i++) {
        double mean = 0;
        for (int w = 0; w < workers; w++)
            mean += x[w][i] / workers;
        for (int w = 0; w < workers; w++)
            distance2 += (x[w][i] - mean) * (x[w][i] - mean) / workers;
        length2 += mean * mean;
        sum += mean;
    }
    *apart = sqrt(distance2 / length2);
    return sum;
}

static void gossip__nothing_lost_is_dpsgd(void **state)
{
    (void)state;
    for (int workers = 4; workers <= 8; workers += 4) {
        double apart;
        egc_train_config config = gossip_of(&closed, "none", "ring", workers, 20);
        const result *r = run_ok(&config);
        assert_close(r->summary.metrics.test_loss, dpsgd(workers, 20, &apart), 1e-5);
        assert_close(r->step[19].consensus, apart, 1e-4);
        assert_close(r->step[19].recv_bytes, 2 * 4 * N, 1e-9); /* of two neighbours */
        assert_close(r->step[19].sent_bytes, 4 * N, 1e-9);     /* produced once */
        assert_close(r->step[3].network_bytes + r->step[2].network_bytes, 2. * workers * 2 * 4 * N,
                     0.6); /* somebody may be a step ahead */
    }
}

/* Whatever is lost on the way, workers that keep mixing come to the minimum of all. */
static void gossip__compressed_gossip_converges(void **state)
{
    (void)state;
    const char *const methods[] = {"topk", "egc", "qsgd"};
    for (int i = 0; i < 3; i++) {
        egc_train_config config = gossip_of(&closed, methods[i], "torus", 6, 64);
        if (i == 0)
            set(&config, "ratio", "0.2");
        set_gossip(&config, "gamma", i == 1 ? "0.1" : "0.5");
        const result *r = run_ok(&config);
        double mean = 0;
        for (size_t w = 0; w < 6; w++)
            mean += (double)target(w, N - 1) / 6;
        assert_close(r->summary.metrics.accuracy, mean, 0.01); /* mean x: mixing keeps the mean */
        assert_true(r->step[63].compression_ratio > 3);
        assert_true(r->step[63].consensus < 1 && !isnan(r->step[63].consensus));
        const result *again = run_ok(&config);
        assert_true(again->hash == r->hash);
    }
}

/* ---- how fast workers agree ----------------------------------------------------------------- */

/* Gradients at the first step alone: afterwards workers do nothing but mix. */
static egc_status first_gradient(egc_workload *w, uint64_t step, size_t worker, const float *x,
                                 float *g, double *loss, egc_error *err)
{
    egc_status status = gradient(w, step, worker, x, g, loss, err);
    for (size_t i = 0; i < N; i++)
        g[i] = step == 0 ? (worker == 0 ? (float)(i + 1) : 0) : 0;
    return status;
}

static egc_status open_plain(egc_workload *w, const void *params,
                             const egc_workload_request *request, egc_error *err)
{
    egc_status status = open_quadratic(w, params, request, err);
    w->optimizer.momentum = 0;
    return status;
}

/* The largest magnitude of an eigenvalue of 1 - gamma (1 - W) besides 1, of circulant W. */
static double second_eigenvalue(egc_gossip_graph_kind graph, size_t n, double gamma)
{
    double largest = 0;
    for (size_t k = 1; k < n; k++) {
        egc_gossip_graph_neighbours neighbours = egc_gossip_graph_of(graph, n, 0);
        double complex sum = 1;
        for (size_t i = 0; i < neighbours.degree; i++)
            sum += cexp(2 * M_PI * I * (double)(k * neighbours.from[i]) / (double)n);
        sum = 1 - gamma + gamma * sum / (double)(neighbours.degree + 1);
        largest = fmax(largest, cabs(sum));
    }
    return largest;
}

static void gossip__consensus_contracts_at_its_rate(void **state)
{
    (void)state;
    egc_workload_type workload = closed;
    workload.open = open_plain;
    workload.gradient = first_gradient;
    const struct {
        const char *graph, *gamma;
        int workers;
        double rate;
    } cases[] = {
        {"ring", "1", 8, second_eigenvalue(EGC_GOSSIP_GRAPH_RING, 8, 1)},
        {"ring", "0.5", 8, second_eigenvalue(EGC_GOSSIP_GRAPH_RING, 8, 0.5)},
        {"ring", "1", 5, 1. / 3 + 2. / 3 * cos(2 * M_PI / 5)},
        {"exponential", "1", 8, second_eigenvalue(EGC_GOSSIP_GRAPH_EXPONENTIAL, 8, 1)},
        {"exponential", "0.8", 11, second_eigenvalue(EGC_GOSSIP_GRAPH_EXPONENTIAL, 11, 0.8)},
        {"torus", "1", 12, (1 + 2 * cos(2 * M_PI / 4) + 2) / 5}, /* 3 x 4: along the four */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        egc_train_config config =
            gossip_of(&workload, "none", cases[i].graph, cases[i].workers, 24);
        set_gossip(&config, "gamma", cases[i].gamma);
        const result *r = run_ok(&config);
        int at = 23; /* other eigenvalues have died away, and floats still tell */
        while (r->step[at].consensus < 2e-5)
            at--;
        assert_true(at >= 8);
        double rate = sqrt(r->step[at].consensus / r->step[at - 2].consensus);
        assert_close(rate, cases[i].rate, 0.02);
    }
}

/* ---- how long it takes ---------------------------------------------------------------------- */

/* On a ring every link carries two messages each way; on an exponential graph of eight, three. */
static void gossip__steps_take_their_closed_form(void **state)
{
    (void)state;
    double compute = 2 * (forward_s + backward_s);
    egc_train_config config = gossip_of(&closed, "none", "ring", 6, 5);
    const result *r = run_ok(&config);
    double comm = 50e-6 + 2 * 4. * N / 1.25e8;
    assert_close(r->summary.metrics.comm_s, comm, 1e-3);
    assert_close(r->summary.metrics.step_s, comm + compute, 1e-3);
    assert_close(r->summary.metrics.sim_time_s, 5 * (comm + compute), 1e-3);
    config = gossip_of(&closed, "none", "exponential", 8, 5);
    comm = 50e-6 + 3 * 4. * N / 1.25e8;
    assert_close(run_ok(&config)->summary.metrics.comm_s, comm, 1e-3);
    config = gossip_of(&closed, "none", "ring", 1, 5); /* alone */
    r = run_ok(&config);
    assert_close(r->summary.metrics.step_s, compute, 1e-6);
    assert_true(r->summary.metrics.network_bytes == 0);
}

/* Each step of each worker has the jitter that it has in synchronous training, and no other. */
static void gossip__jitter_is_of_a_step(void **state)
{
    (void)state;
    double compute_s[6];
    egc_train_config config = gossip_of(&closed, "none", "ring", 5, 6);
    set_cluster(&config, "jitter", "0.5");
    const result *r = run_ok(&config);
    for (int step = 0; step < 6; step++)
        compute_s[step] = r->step[step].compute_s;
    config.algorithm = NULL;
    config.algorithm_params = NULL;
    r = run_ok(&config);
    for (int step = 0; step < 6; step++)
        assert_close(r->step[step].compute_s, compute_s[step], 1e-6);
    assert_true(compute_s[0] != compute_s[1]);
}

/* One client of a WAN has a slow way up: in the first step its two neighbours alone wait for it,
 * and what the others do in the next steps is not held up by a barrier. */
static void gossip__nobody_waits_for_strangers(void **state)
{
    (void)state;
    static _Alignas(16) char cluster[4096];
    static double groups[2][8];
    egc_error err = {0};
    egc_train_config config = gossip_of(&closed, "none", "ring", 9, 3);
    assert_ok(egc_cluster_find("wan", &config.cluster, &err), err);
    const egc_param *table = config.cluster->params;
    egc_param_init(table, cluster);
    set_in(table, cluster, "bandwidth", "10MB/s");
    set_in(table, cluster, "latency", "1ms");
    const egc_param *clients = egc_param_find(table, "clients");
    const egc_param_item *item = egc_param_item_of(clients);
    assert_true(item->size <= sizeof groups[0]);
    char *items = (char *)groups;
    for (int i = 0; i < 2; i++)
        egc_param_init(item->table, items + (size_t)i * item->size);
    set_in(item->table, items, "up", "100KB/s");
    set_in(item->table, items + item->size, "hosts", "8");
    *(egc_param_list *)(void *)(cluster + clients->offset) =
        (egc_param_list){.items = items, .n = 2};
    config.cluster_params = cluster;
    const result *r = run_ok(&config);
    double fast = 2e-3 + 2 * 4. * N / 1e7, slow = 2e-3 + 2 * 4. * N / 1e5;
    assert_close(r->step[0].comm_s, (2 * slow + 7 * fast) / 9, 0.01);
    assert_true(r->step[1].comm_s <
                (4 * slow + 5 * fast) / 9 * 1.01); /* one further on each side */
}

/* ---- what is refused ------------------------------------------------------------------------ */

static void gossip__refusals(void **state)
{
    (void)state;
    egc_error err;
    egc_train_config config = gossip_of(&closed, "egc", "torus", 7, 1);
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_RANGE,
                 "workers: a torus needs rows and columns of two or more, got 7; use graph = "
                 "\"ring\"");
    config = gossip_of(&closed, "topk", "ring", 4, 1);
    set(&config, "memory", "ef21");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "method: algorithm gossip keeps what is not sent in the difference to what "
                 "neighbours know; memory must be none, residual or momentum, got ef21");
    config = gossip_of(&closed, "egc", "ring", 4, 1);
    set(&config, "nesterov", "true");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "method: algorithm gossip keeps what is not sent in the difference to what "
                 "neighbours know, where nesterov has nothing to act on; leave it out");
    config = gossip_of(&closed, "egc", "ring", 4, 1);
    set(&config, "clip", "1");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "method: clip is of gradients, and algorithm gossip compresses differences of "
                 "parameters; must be 0, got 1");
    config = gossip_of(&closed, "signsgd", "ring", 4, 1);
    assert_int_equal(egc_train_run_check(&config, &err), EGC_ERROR_UNSUPPORTED);
    config = gossip_of(&closed, "none", "ring", 4, 1);
    set(&config, "predivide", "true");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "method: predivide is for sums on the way, which algorithm gossip has not");
    config = gossip_of(&closed, "egc", "ring", 4, 1);
    config.options.compress_on = EGC_COMPRESS_ON_STREAM;
    assert_int_equal(egc_train_run_check(&config, &err), EGC_ERROR_UNSUPPORTED);
    assert_ok(egc_exchange_find("ring", &config.exchange, &err), err);
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "exchange: algorithm gossip has its own; must be auto, got ring");
}

static void gossip__a_worker_diverges(void **state)
{
    (void)state;
    poison = true;
    egc_train_config config = gossip_of(&closed, "egc", "ring", 3, 10);
    const result *r = run_ok(&config);
    assert_true(r->summary.diverged && r->steps == 3);
    assert_non_null(strstr(r->summary.reason, "step 3: worker 1"));
    poison = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gossip__mixing_is_doubly_stochastic),
        cmocka_unit_test(gossip__graphs_by_hand),
        cmocka_unit_test(gossip__nothing_lost_is_dpsgd),
        cmocka_unit_test(gossip__compressed_gossip_converges),
        cmocka_unit_test(gossip__consensus_contracts_at_its_rate),
        cmocka_unit_test(gossip__steps_take_their_closed_form),
        cmocka_unit_test(gossip__jitter_is_of_a_step),
        cmocka_unit_test(gossip__nobody_waits_for_strangers),
        cmocka_unit_test(gossip__refusals),
        cmocka_unit_test(gossip__a_worker_diverges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
