/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which exchange "auto" is: on each cluster the one that closed forms call fastest, and in the
 * simulation no named one is much faster. */
#include "train/core/exchange_choice.h"
#include "train/quadratic.h"

static char params[4096];

static void use_cluster(egc_train_config *config, const char *name, const char *settings)
{
    char copy[256], *rest = copy, *item;
    egc_error err = {0};
    strcpy(copy, settings);
    assert_ok(egc_cluster_find(name, &config->cluster, &err), err);
    egc_param_init(config->cluster->params, params);
    while ((item = strsep(&rest, ";")) && *item) {
        char *value = strchr(item, '=');
        *value++ = '\0';
        egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = value};
        assert_ok(
            egc_param_set(egc_param_find(config->cluster->params, item), params, &scalar, &err),
            err);
    }
    config->cluster_params = params;
}

static const char *auto_of(const egc_train_config *config)
{
    static char name[EGC_EXCHANGE_CHOICE_NAME];
    egc_exchange_choice choice;
    egc_error err = {0};
    assert_ok(egc_exchange_choice_init(&choice, config, &err), err);
    egc_exchange_choice_name(&choice, name);
    return name;
}

static void exchange_choice__auto_suits_the_network(void **state)
{
    (void)state;
    const struct {
        const char *cluster, *settings, *method;
        int workers;
        double bucket_bytes;
        const char *want;
    } rows[] = {
        /* a power of two: as few bytes as the ring in fewer steps */
        {"star", "hosts=64", "none", 8, 25e6, "rabenseifner"},
        /* otherwise it folds whole vectors, and the ring does not */
        {"star", "hosts=64", "none", 7, 25e6, "ring"},
        /* short: the fewest steps */
        {"star", "hosts=64", "none", 8, 1000, "recursive-doubling"},
        {"star", "hosts=64", "none", 6, 1000, "recursive-doubling"},
        {"hierarchical", "nodes=4;gpus=8", "none", 32, 25e6, "hierarchical"},
        {"hierarchical", "nodes=4;gpus=8", "topk", 32, 25e6, "allgather-hierarchical"},
        /* all in one node */
        {"hierarchical", "nodes=4;gpus=8", "none", 8, 25e6, "rabenseifner"},
        /* a crowd meets at the uplinks, neighbours do not */
        {"racks", "racks=4;rack_hosts=8;oversubscription=4", "none", 32, 25e6, "ring"},
        {"star", "hosts=64", "topk", 8, 25e6, "allgather-rd"},
        {"star", "hosts=64", "topk", 7, 25e6, "allgather-bruck"},
        {"star", "hosts=64", "cltk", 7, 25e6, "broadcast-tree+ring"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        egc_train_config config = config_of(&closed, rows[i].method, rows[i].workers, 2);
        config.options.bucket_bytes = rows[i].bucket_bytes;
        use_cluster(&config, rows[i].cluster, rows[i].settings);
        if (strcmp(auto_of(&config), rows[i].want) != 0)
            fail_msg("%s {%s}, %s of %g bytes on %d workers: %s, want %s", rows[i].cluster,
                     rows[i].settings, rows[i].method, rows[i].bucket_bytes, rows[i].workers,
                     auto_of(&config), rows[i].want);
    }
}

/* Of the exchanges that sum, where nodes are full: of others closed forms say little. */
static void exchange_choice__auto_is_about_the_fastest(void **state)
{
    (void)state;
    const struct {
        const char *cluster, *settings;
        int multiple;
    } clusters[] = {{"star", "hosts=16", 1},
                    {"star", "hosts=16;latency=1us", 1},
                    {"hierarchical", "nodes=4;gpus=4", 4},
                    {"fat_tree", "latency=10us", 1}};
    forward_s = backward_s = 0;
    for (size_t c = 0; c < sizeof clusters / sizeof *clusters; c++)
        for (int workers = 3; workers <= 16; workers += workers == 8 ? 8 : 1) {
            if (workers % clusters[c].multiple)
                continue;
            egc_train_config config = config_of(&open_loop, "none", workers, 1);
            config.options.bucket_bytes = 4 * N;
            use_cluster(&config, clusters[c].cluster, clusters[c].settings);
            double chosen_s = run(&config)->summary.metrics.sim_time_s;
            for (const egc_exchange_type *const *x = egc_exchange_types(); *x; x++) {
                if ((*x)->kind != EGC_COLLECTIVE_ALLREDUCE)
                    continue;
                config.exchange = *x;
                double named_s = run(&config)->summary.metrics.sim_time_s;
                if (chosen_s > 1.1 * named_s) {
                    config.exchange = NULL;
                    fail_msg("%s {%s}, %d workers: %s takes %g s, %s %g s", clusters[c].cluster,
                             clusters[c].settings, workers, auto_of(&config), chosen_s, (*x)->name,
                             named_s);
                }
            }
        }
    forward_s = 0.001, backward_s = 0.002;
}

/* What the cluster says, or the option: with groups of two instead of four the rings between nodes
 * are longer. */
static void exchange_choice__groups_are_the_clusters_or_the_options(void **state)
{
    (void)state;
    egc_exchange_choice choice;
    char sums[EGC_EXCHANGE_CHOICE_NAME];
    egc_error err = {0};
    egc_train_config config = config_of(&open_loop, "none", 16, 1);
    use_cluster(&config, "hierarchical", "nodes=4;gpus=4");
    assert_ok(egc_exchange_find("hierarchical", &config.exchange, &err), err);
    assert_ok(egc_exchange_choice_init(&choice, &config, &err), err);
    assert_int_equal(choice.group, 4);
    double of_node_s = run(&config)->summary.metrics.comm_s;
    config.options.group = 2;
    assert_ok(egc_exchange_choice_init(&choice, &config, &err), err);
    assert_int_equal(choice.group, 2);
    egc_exchange_choice_sums(&choice, sums);
    assert_string_equal(sums, "hierarchical/2");
    assert_true(run(&config)->summary.metrics.comm_s > 1.2 * of_node_s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchange_choice__auto_suits_the_network),
        cmocka_unit_test(exchange_choice__auto_is_about_the_fastest),
        cmocka_unit_test(exchange_choice__groups_are_the_clusters_or_the_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
