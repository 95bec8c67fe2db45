/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods of several rounds, and sums of sparse messages, where workers do not exchange with all
 * others: parameter servers play the rounds with their workers, clients and peers play them alone.
 * A method that can send everything learns then what the dense one learns; others learn what the
 * synchronous algorithm learns, or a decoder of their messages says. */
#include "train/algorithm.h"
#include "train/core/exchange_choice.h"
#include "train/federated/federated.h"
#include "train/server.h"

enum { P = 4, STEPS = 6 };
extern const egc_algorithm_type egc_algorithm_federated, egc_algorithm_gossip;
static _Alignas(16) unsigned char params[512];

typedef struct method_case {
    const char *method, *settings[3][2];
} method_case;

/* The quadratic's matrix has rank 30 and is then sent whole; momentum is 0.5. */
static const method_case lossless[] = {
    {"cltk", {{"ratio", "1"}}},
    {"deft", {{"ratio", "1"}}},
    {"powersgd", {{"rank", "30"}, {"min_rate", "0"}}},
};
enum { N_LOSSLESS = sizeof lossless / sizeof *lossless };

static const method_case lossy[] = {
    {"cltk", {{"ratio", "0.1"}}}, {"deft", {{"ratio", "0.1"}}},    {"powersgd", {{"rank", "2"}}},
    {"sketch", {{NULL}}},         {"signsgd", {{"vote", "true"}}}, {"signum", {{"vote", "true"}}},
};
enum { N_LOSSY = sizeof lossy / sizeof *lossy };

static void use(egc_train_config *config, const method_case *c)
{
    egc_error err = {0};
    assert_ok(egc_method_init(&config->method, c->method, &err), err);
    for (int k = 0; k < 3 && c->settings[k][0]; k++) {
        const char *text = c->settings[k][1];
        char *end;
        egc_scalar value = {.kind = EGC_SCALAR_NUMBER, .number = strtod(text, &end)};
        if (strcmp(text, "true") == 0)
            value = (egc_scalar){.kind = EGC_SCALAR_BOOL, .boolean = true};
        else if (*end)
            value = (egc_scalar){.kind = EGC_SCALAR_TEXT, .text = text};
        assert_ok(egc_method_set(&config->method, c->settings[k][0], &value, &err), err);
    }
    config->method.options.granularity = EGC_GRANULARITY_LAYER;
}

static egc_train_config config_with(const egc_algorithm_type *algorithm)
{
    egc_train_config config = config_of(&closed, "none", P, STEPS);
    config.algorithm = algorithm;
    config.algorithm_params = params;
    assert_true(algorithm->params_size <= sizeof params);
    egc_param_init(algorithm->params, params);
    return config;
}

static void set_param(const egc_algorithm_type *algorithm, const char *key, const char *text)
{
    char *end;
    egc_scalar value = {.kind = EGC_SCALAR_NUMBER, .number = strtod(text, &end)};
    egc_error err = {0};
    if (*end)
        value = (egc_scalar){.kind = EGC_SCALAR_TEXT, .text = text};
    assert_ok(egc_param_set(egc_param_find(algorithm->params, key), params, &value, &err), err);
}

static const egc_metrics *metrics_of(const egc_train_config *config)
{
    const result *r = run(config);
    if (r->status)
        fail_msg("%s: %s", config->method.name, r->err.message);
    return &r->summary.metrics;
}

static void check_same(const char *what, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance * fabs(wanted)))
        fail_msg("%s: %.9g, want %.9g", what, got, wanted);
}

/* ---- parameter servers ----------------------------------------------------------------------- */

/* Synchronous servers stand in for collectives: the same is learnt from as many bytes, but that the
 * pieces of a vote, which go to one server, have their lengths before them and no second round. */
static void rounds__servers_play_the_rounds_of_all_workers(void **state)
{
    (void)state;
    for (int i = 0; i < N_LOSSY; i++)
        for (int buckets = 0; buckets < 2; buckets++) {
            egc_train_config config = config_with(&egc_algorithm_ps);
            set_param(&egc_algorithm_ps, "servers", buckets ? "2" : "1");
            config.options.bucket_bytes = buckets ? EGC_BUCKET_LAYER : EGC_BUCKET_MODEL;
            use(&config, &lossy[i]);
            const egc_metrics *ps = metrics_of(&config);
            config.algorithm = NULL;
            const egc_metrics *sync = metrics_of(&config);
            check_same(lossy[i].method, ps->test_loss, sync->test_loss, 1e-5);
            check_same(lossy[i].method, ps->rel_error, sync->rel_error, 1e-5);
            bool votes = strncmp(lossy[i].method, "sign", 4) == 0;
            if (!votes)
                check_same(lossy[i].method, ps->sent_bytes, sync->sent_bytes, 1e-12);
            else /* dense bits up, of the four shards; nothing for the reply */
                assert_true(ps->sent_bytes < sync->sent_bytes && ps->sent_bytes > N / 8);
        }
}

/* What the servers answer between rounds and at the end, by hand, for PowerSGD at rank 2 in one
 * bucket: the sum of P (30 x 2), then all parameters. */
static void rounds__replies_are_counted(void **state)
{
    (void)state;
    egc_train_config config = config_with(&egc_algorithm_ps);
    config.options.bucket_bytes = EGC_BUCKET_MODEL;
    use(&config, &lossy[2]);
    const egc_metrics *m = metrics_of(&config);
    assert_close(m->sent_bytes, 4 * (2 * 30 + 2 * 30 + SMALL), 1e-12);
    assert_close(m->recv_bytes, 4 * (2 * 30 + N), 1e-12);
}

static void rounds__asynchronous_pushes_are_compressed_alone(void **state)
{
    (void)state;
    static const char *const modes[] = {"async", "ssp"}, *const pulls[] = {"dense", "recompress"};
    for (int mode = 0; mode < 2; mode++)
        for (int pull = 0; pull < 2; pull++)
            for (int i = 0; i < N_LOSSLESS; i++) {
                egc_train_config config = config_with(&egc_algorithm_ps);
                set_param(&egc_algorithm_ps, "mode", modes[mode]);
                const egc_metrics *dense = metrics_of(&config);
                set_param(&egc_algorithm_ps, "pull", pulls[pull]);
                use(&config, &lossless[i]);
                config.method.options.error_feedback = 0;
                check_same(lossless[i].method, metrics_of(&config)->test_loss, dense->test_loss,
                           1e-4);
            }
}

/* ---- sums of sparse messages at a server ------------------------------------------------------
 */

static const egc_metrics *summed(const char *exchange, const char *pull, const char *ratio,
                                 bool by_ps)
{
    static const method_case topk = {"topk", {{"ratio", "1"}}};
    egc_error err = {0};
    egc_train_config config = config_with(&egc_algorithm_ps);
    set_param(&egc_algorithm_ps, "pull", pull);
    use(&config, &topk);
    set(&config, "ratio", ratio);
    config.options.bucket_bytes = EGC_BUCKET_MODEL;
    if (exchange)
        assert_ok(egc_exchange_choice_find(exchange, &config.exchange, &config.sparse, &err), err);
    if (!by_ps)
        config.algorithm = NULL;
    return metrics_of(&config);
}

/* A sum that keeps all is what the server makes of single messages, and sent back it is as long as
 * the union of what the workers sent; one that keeps the k largest is as long as a message. */
static void rounds__servers_sum_sparse_messages(void **state)
{
    (void)state;
    const egc_metrics *plain = summed(NULL, "dense", "0.05", true);
    const egc_metrics *all = summed("sparcml", "sum", "0.05", true);
    check_same("sparcml", all->test_loss, plain->test_loss, 1e-5);
    check_same("sparcml", all->sent_bytes, plain->sent_bytes, 1e-12);
    assert_close(plain->recv_bytes, 4 * N, 1e-12);
    assert_true(all->recv_bytes < plain->recv_bytes / 2 && all->recv_bytes > all->sent_bytes / 2);
    const egc_metrics *largest = summed("gtopk", "sum", "0.05", true);
    assert_true(largest->recv_bytes < 1.2 * largest->sent_bytes);
    check_same("gtopk", summed("gtopk", "dense", "0.05", true)->test_loss, largest->test_loss, 0);
    check_same("ok-topk", summed("ok-topk", "sum", "1", true)->test_loss,
               summed("ok-topk", "sum", "1", false)->test_loss, 1e-5);
}

/* ---- alone ----------------------------------------------------------------------------------- */

static void rounds__clients_and_peers_compress_alone(void **state)
{
    (void)state;
    const egc_algorithm_type *const algorithms[] = {&egc_algorithm_federated,
                                                    &egc_algorithm_gossip};
    for (int a = 0; a < 2; a++)
        for (int compressed = 0; compressed < 2 - a; compressed++)
            for (int i = 0; i < N_LOSSLESS; i++) {
                egc_train_config config = config_with(algorithms[a]);
                if (a == 0)
                    set_param(algorithms[a], "local_steps", "2");
                const egc_metrics *dense = metrics_of(&config);
                if (compressed)
                    set_param(algorithms[a], "downlink", "compressed");
                use(&config, &lossless[i]);
                config.method.options.error_feedback = 0;
                config.method.options.momentum = 0.5; /* of the dense run */
                check_same(lossless[i].method, metrics_of(&config)->test_loss, dense->test_loss,
                           1e-3);
            }
}

/* Alone a message has all rounds in it, each after its length. PowerSGD at rank 2: P and Q, and the
 * vector with Q. */
static void rounds__a_message_of_all_rounds_has_their_lengths(void **state)
{
    (void)state;
    egc_train_config config = config_with(&egc_algorithm_gossip);
    config.options.bucket_bytes = EGC_BUCKET_MODEL;
    use(&config, &lossy[2]);
    assert_close(metrics_of(&config)->sent_bytes, 2 * 4 + 4 * (2 * 30 + 2 * 30 + SMALL), 1e-12);
}

/* PowerSGD goes on from the factors of its last step, not from random ones. */
static void rounds__a_peer_keeps_its_own_factors(void **state)
{
    (void)state;
    egc_train_config config = config_with(&egc_algorithm_gossip);
    use(&config, &lossy[2]);
    config.options.steps = 30;
    double warm = metrics_of(&config)->rel_error;
    egc_scalar no = {.kind = EGC_SCALAR_BOOL};
    egc_error err = {0};
    assert_ok(egc_method_set(&config.method, "warm_start", &no, &err), err);
    double random = metrics_of(&config)->rel_error;
    assert_true(warm != random && warm < 1 && random < 1);
}

/* ---- what stays refused ---------------------------------------------------------------------- */

static void check_refused(const egc_train_config *config, const char *message)
{
    egc_error err = {0};
    assert_int_equal(egc_train_run_check(config, &err), EGC_ERROR_UNSUPPORTED);
    assert_string_equal(err.message, message);
}

static void rounds__votes_and_sums_need_all_workers_at_once(void **state)
{
    (void)state;
    egc_error err = {0};
    egc_train_config config = config_with(&egc_algorithm_gossip);
    use(&config, &lossy[4]);
    check_refused(&config, "method: signsgd counts the votes of all workers at once, and algorithm "
                           "gossip decodes the message of each alone; use vote = false");
    config = config_with(&egc_algorithm_federated);
    set_param(&egc_algorithm_federated, "local_steps", "2");
    assert_ok(egc_exchange_choice_find("gtopk", &config.exchange, &config.sparse, &err), err);
    check_refused(&config, "exchange: gtopk sums the messages of all workers at once, and "
                           "algorithm federated decodes the message of each alone; must be auto");
    config = config_with(&egc_algorithm_ps);
    set_param(&egc_algorithm_ps, "pull", "sum");
    check_refused(&config, "algorithm.pull: sum needs an exchange that sums sparse messages, as "
                           "sparcml or gtopk");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds__servers_play_the_rounds_of_all_workers),
        cmocka_unit_test(rounds__replies_are_counted),
        cmocka_unit_test(rounds__asynchronous_pushes_are_compressed_alone),
        cmocka_unit_test(rounds__servers_sum_sparse_messages),
        cmocka_unit_test(rounds__clients_and_peers_compress_alone),
        cmocka_unit_test(rounds__a_message_of_all_rounds_has_their_lengths),
        cmocka_unit_test(rounds__a_peer_keeps_its_own_factors),
        cmocka_unit_test(rounds__votes_and_sums_need_all_workers_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
