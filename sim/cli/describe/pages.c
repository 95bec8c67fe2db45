/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pages are made from the descriptors alone, so that a new type needs no code here. Bits on the
 * wire are measured with a step of the method. */
#include "cli/describe/pages.h"

#include <gsl/gsl_randist.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "cli/describe/cluster_page.h"
#include "cli/grid.h"
#include "cli/play.h"
#include "codec/codec.h"
#include "compressors/core/coder.h"
#include "compressors/core/method.h"
#include "compressors/core/round_plan.h"
#include "exchange/exchange.h"
#include "net/cluster/cluster.h"
#include "net/topology/prepare.h"
#include "script/devices.h"
#include "train/algorithm.h"
#include "train/core/exchange_choice.h"
#include "workloads/profiles/profile.h"
#include "workloads/train/datasets/dataset.h"
#include "workloads/train/nets.h"
#include "workloads/workload.h"

/* ---- pieces --------------------------------------------------------------------------------- */

void egc_pages_fact(const char *name, const char *text)
{
    if (text && *text)
        printf("  %-11s %s\n", name, text);
}

/* Adds a row: name, value, valid values, help. `object` holds the values. */
static void add_parameter(egc_grid *grid, const egc_param *param, const void *object)
{
    egc_buf value = {0}, valid = {0};
    const char *symbol = egc_quantity_symbol(param->quantity);
    egc_param_format(param, object, &value);
    egc_param_range(param, &valid);
    grid->failed |= value.missing || valid.missing;
    egc_grid_cell(grid, "%s", param->name);
    egc_grid_cell(grid, "%s", value.len ? egc_text_get(&value) : "\"\"");
    egc_grid_cell(grid, "%s%s%s", egc_text_get(&valid), *symbol ? " " : "", symbol);
    egc_grid_cell(grid, "%s", param->help);
    egc_buf_fini(&value);
    egc_buf_fini(&valid);
}

/* `values` is the heading of the values in object: "default". */
static egc_status print_values(const char *title, const char *values, const egc_param *table,
                               const void *object, egc_error *err)
{
    if (!table || !table->name)
        return EGC_OK;
    egc_grid grid = {.n_columns = 4, .indent = 4};
    EGC_GRID_ROW(&grid, "name", values, "valid", "meaning");
    for (const egc_param *p = table; p->name; p++)
        add_parameter(&grid, p, object);
    printf("\n  %s:\n", title);
    return egc_grid_print(&grid, err);
}

static egc_status print_type_parameters(const char *title, const egc_param *table, size_t size,
                                        egc_error *err);

/* Prints a table for each row that is a list of structs. */
static egc_status print_items(const egc_param *table, egc_error *err)
{
    egc_status status = EGC_OK;
    for (const egc_param *p = table; p && p->name && !status; p++) {
        const egc_param_item *item = p->kind == EGC_PARAM_LIST ? egc_param_item_of(p) : NULL;
        if (!item || egc_param_item_is_value(item))
            continue;
        char title[EGC_TEXT_LENGTH];
        snprintf(title, sizeof title, "each of %s", p->name);
        status = print_type_parameters(title, item->table, item->size, err);
    }
    return status;
}

static egc_status print_type_parameters(const char *title, const egc_param *table, size_t size,
                                        egc_error *err)
{
    void *object = egc_calloc(1, size);
    if (!object)
        return egc_fail_memory(err, size);
    egc_param_init(table, object);
    egc_status status = print_values(title, "default", table, object, err);
    egc_free(object);
    return status ? status : print_items(table, err);
}

/* ---- methods -------------------------------------------------------------------------------- */

static void print_traits(unsigned traits)
{
    static const struct {
        unsigned trait;
        const char *meaning;
    } meanings[] = {
        {EGC_TRAIT_EXACT, "exact: decoding restores all bits"},
        {EGC_TRAIT_LINEAR, "linear: messages can be summed in the network"},
        {EGC_TRAIT_UNBIASED, "unbiased: the expected output is the input"},
        {EGC_TRAIT_CONTRACTION, "contraction: the error is at most a fixed share of the input"},
        {EGC_TRAIT_SCALE_FREE, "scale-free: selects the same elements of c x as of x"},
        {EGC_TRAIT_SHARED, "shared: all workers send the same elements, without indices"},
        {EGC_TRAIT_OWN_VALUES, "own values: sends values that differ from those of the elements"},
        {EGC_TRAIT_UNSCALED, "unscaled: sends signs without a magnitude"},
        {EGC_TRAIT_MATRIX,
         "matrix: compresses layers of two dimensions, sends others uncompressed"},
        {EGC_TRAIT_MOMENTUM, "momentum: applies momentum itself; no other part may apply it"},
    };
    const char *what = "traits";
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (traits & meanings[i].trait) {
            egc_pages_fact(what, meanings[i].meaning);
            what = "";
        }
}

static void print_cost(const egc_compressor_cost *cost)
{
    printf("  %-11s %g bytes of device memory per element", "cost", cost->bytes_per_element);
    if (cost->sort_bytes_per_element > 0)
        printf(" and %g log2(n) for sorting", cost->sort_bytes_per_element);
    printf(", %g kernel%s per unit\n", cost->kernels, cost->kernels == 1 ? "" : "s");
    if (cost->decode_bytes_per_element > 0)
        printf("  %-11s decoding: %g bytes per element and round\n", "",
               cost->decode_bytes_per_element);
    printf(
        "  %-11s with cost = \"model\": bytes / memory bandwidth of the device + kernels x kernel "
        "launch time,\n  %-11s plus the cost of error feedback and of messages\n",
        "", "");
}

/* Prints the exchanges that can carry a round. */
static void print_exchanges(const egc_round *round, size_t number, size_t n_rounds)
{
    static const char *const does[] = {
        [EGC_COLLECTIVE_ALLGATHER] = "gathered",
        [EGC_COLLECTIVE_ALLREDUCE] = "summed",
        [EGC_COLLECTIVE_BROADCAST] = "broadcast by a leader",
        [EGC_COLLECTIVE_ALLTOALL] = "scattered to the owners of shards",
    };
    printf("  %-11s ", number == 0 ? "exchanges" : "");
    if (n_rounds > 1)
        printf("round %zu, %s: ", number + 1, does[round->kind]);
    const char *separator = "";
    for (const egc_exchange_type *const *type = egc_exchange_types(); *type; type++)
        if (egc_exchange_choice_fits((*type)->kind, round)) {
            printf("%s%s", separator, (*type)->name);
            separator = ", ";
        }
}

static void print_sparse_exchanges(const egc_method *method)
{
    egc_error none;
    for (const egc_sparse_type *const *type = egc_sparse_types(); *type; type++)
        if (!egc_merger_check(method, egc_exchange_choice_merge(*type), &none))
            printf(", %s", (*type)->name);
}

/* Bits per element that a worker sends at its first step, in all rounds, for a matrix of 1000 x
 * 1000 Gaussian values. */
static egc_status measure_bits(const egc_method *method, double *out, egc_error *err)
{
    enum { N = 1000 * 1000 };
    egc_play *play = NULL;
    egc_play_costs costs = {0};
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    egc_status status = rng ? egc_play_new(method, N, 1, 1, &play, err) : egc_fail_memory(err, N);
    if (!status) {
        gsl_rng_set(rng, 1);
        for (size_t i = 0; i < N; i++)
            egc_play_gradient(play, 0)[i] = (float)gsl_ran_gaussian_ziggurat(rng, 1e-3);
        status = egc_play_step(play, 0, 0.1, &costs, err);
    }
    gsl_rng_free(rng);
    egc_play_free(play);
    *out = 8 * costs.sent_bytes / N;
    return status;
}

/* Prints size and exchanges of a method, then its parameters and the options of all methods, with
 * the defaults of its name. */
static egc_status print_method(const char *name, egc_error *err)
{
    egc_method method;
    double bits;
    egc_status status = egc_method_init(&method, name, err);
    if (!status)
        status = measure_bits(&method, &bits, err);
    if (status)
        return status;
    egc_pages_fact("size", method.compressor->size);
    printf("  %-11s %.4g bits per element (1000 x 1000 Gaussian values, first step, all rounds)\n",
           "on the wire", bits);
    size_t n_rounds = egc_round_plan_count(&method);
    for (size_t r = 0; r < n_rounds; r++) {
        egc_round round = egc_round_plan_at(&method, r);
        print_exchanges(&round, r, n_rounds);
        print_sparse_exchanges(&method);
        printf("\n");
    }
    status = print_values("parameters", "default", method.compressor->params, method.params, err);
    if (!status)
        status = print_values("options of every method", "default", egc_method_option_params,
                              &method.options, err);
    return status;
}

egc_status egc_pages_compressor(const egc_catalog_item *item, egc_error *err)
{
    const egc_compressor_type *type = (const egc_compressor_type *)item;
    egc_pages_fact("formula", type->formula);
    egc_pages_fact("reference", type->reference);
    print_traits(type->traits);
    print_cost(&type->cost);
    return print_method(type->name, err);
}

egc_status egc_pages_preset(const egc_catalog_item *item, egc_error *err)
{
    const egc_method_preset *preset = (const egc_method_preset *)item;
    egc_pages_fact("reference", preset->reference);
    egc_pages_fact("compressor", preset->compressor);
    egc_pages_fact("settings", preset->settings);
    return print_method(preset->name, err);
}

/* ---- workloads ------------------------------------------------------------------------------ */

egc_status egc_pages_workload(const egc_catalog_item *item, egc_error *err)
{
    const egc_workload_type *type = (const egc_workload_type *)item;
    egc_pages_fact("reference", type->reference);
    egc_pages_fact("loop", type->closed_loop
                               ? "closed: gradients are those of the model being trained"
                               : "open: gradients do not depend on the updates");
    return print_type_parameters("parameters", type->params, type->params_size, err);
}

static void add_layer(egc_grid *grid, const egc_layer *layer)
{
    char shape[96] = "";
    for (size_t d = 0; d < EGC_LAYER_DIMS && layer->shape[d]; d++) {
        size_t used = strlen(shape);
        snprintf(shape + used, sizeof shape - used, "%s%zu", d ? "x" : "", layer->shape[d]);
    }
    EGC_GRID_ROW(grid, layer->name, shape);
    egc_grid_cell(grid, "%zu", layer->count);
    egc_grid_cell(grid, "%.4g", layer->forward_flops);
    egc_grid_cell(grid, "%.4g", layer->backward_flops);
}

/* `work` says for how many examples the FLOPs are. */
static egc_status print_layers(const egc_layer *layers, size_t n, const char *work, egc_error *err)
{
    egc_grid grid = {.n_columns = 5, .indent = 4, .right = 1u << 2 | 1u << 3 | 1u << 4};
    double forward = 0, backward = 0;
    size_t n_params = 0;
    EGC_GRID_ROW(&grid, "layer", "shape", "parameters", "forward FLOPs", "backward FLOPs");
    for (size_t i = 0; i < n; i++) {
        n_params += layers[i].count;
        forward += layers[i].forward_flops;
        backward += layers[i].backward_flops;
        add_layer(&grid, &layers[i]);
    }
    printf("  %-11s %zu\n", "parameters", n_params);
    printf("  %-11s %.4g forward, %.4g backward, for %s\n", "FLOPs", forward, backward, work);
    puts("\n  layers:");
    return egc_grid_print(&grid, err);
}

/* Opens the workload "train" with this model and all else at its default, but with few images:
 * layers depend on their shape alone. */
static egc_status open_model(const egc_net *net, egc_workload **out, egc_error *err)
{
    const struct {
        const char *name, *value;
    } settings[] = {{"model", net->name},
                    {"dataset", net->usual_dataset},
                    {"train_examples", "100"},
                    {"test_examples", "1"}};
    const size_t n_settings = net->reads_text ? 2 : 4;
    const egc_workload_request request = {.workers = 1, .steps = 1, .seed = 1};
    const egc_workload_type *type;
    egc_status status = egc_workload_find("train", &type, err);
    if (status)
        return status;
    void *params = egc_calloc(1, type->params_size);
    if (!params)
        return egc_fail_memory(err, type->params_size);
    egc_param_init(type->params, params);
    for (size_t i = 0; i < n_settings && !status; i++) {
        const egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = settings[i].value};
        status = egc_param_set(egc_param_find(type->params, settings[i].name), params, &value, err);
    }
    if (!status)
        status = egc_workload_new(type, params, &request, out, err);
    egc_free(params);
    return status;
}

/* The data set determines the shape of the first layer. If it is missing, the page says so instead
 * of listing the layers. */
egc_status egc_pages_model(const egc_catalog_item *item, egc_error *err)
{
    const egc_net *net = (const egc_net *)item;
    egc_pages_fact("reference", net->reference);
    egc_workload *workload;
    egc_error reason = {0};
    if (open_model(net, &workload, &reason)) {
        printf("  %-11s need the data set: %s\n", "layers", reason.message);
        return EGC_OK;
    }
    egc_pages_fact("on", net->usual_dataset);
    egc_status status = print_layers(workload->layers, workload->n_layers,
                                     "one worker's batch of the default size", err);
    egc_workload_free(workload);
    return status;
}

egc_status egc_pages_profile(const egc_catalog_item *item, egc_error *err)
{
    const egc_profile *profile = (const egc_profile *)item;
    egc_layer *layers;
    size_t n;
    egc_pages_fact("reference", profile->reference);
    printf("  %-11s %lld (%s)\n", "batch", (long long)profile->batch, profile->batch_reference);
    egc_status status = egc_profile_layers(profile, 1, &layers, &n, err);
    if (status)
        return status;
    status = print_layers(layers, n, profile->example, err);
    egc_free(layers);
    return status;
}

egc_status egc_pages_dataset(const egc_catalog_item *item, egc_error *err)
{
    (void)err;
    const egc_dataset_type *type = (const egc_dataset_type *)item;
    egc_pages_fact("reference", type->reference);
    printf("  %-11s %zu\n", "classes", type->classes);
    egc_pages_fact("folder", type->folder ? type->folder : "none: generated");
    if (type->folder)
        egc_pages_fact("if missing", type->remedy);
    return EGC_OK;
}

/* ---- networks ------------------------------------------------------------------------------- */

egc_status egc_pages_chosen_cluster(const egc_cluster_choice *choice, egc_error *err)
{
    egc_arena arena = {0};
    egc_topology_graph network;
    egc_pages_fact("reference", choice->type->reference);
    egc_status status = egc_topology_graph_of(choice->type, choice->params, &arena, &network, err);
    if (!status)
        status = egc_cluster_page_print(&network, err);
    if (!status)
        status = print_values("parameters", "value", choice->type->params, choice->params, err);
    egc_arena_fini(&arena);
    return status;
}

/* Prints the network of the default parameters. If they are not complete, the page says so. */
static egc_status print_default_network(const egc_cluster_type *type, egc_error *err)
{
    egc_arena arena = {0};
    egc_topology_graph network;
    egc_error reason = {0};
    void *params = egc_arena_alloc(&arena, type->params_size);
    egc_status status = params ? EGC_OK : egc_fail_memory(err, type->params_size);
    if (!status) {
        egc_param_init(type->params, params);
        if (egc_prepare_cluster(type, params, &arena, &reason))
            printf("  %-11s needs --set: %s\n", "network", reason.message);
        else
            status = egc_topology_graph_of(type, params, &arena, &network, err);
        if (!status && !reason.status)
            status = egc_cluster_page_print(&network, err);
    }
    egc_arena_fini(&arena);
    return status;
}

egc_status egc_pages_cluster(const egc_catalog_item *item, egc_error *err)
{
    const egc_cluster_type *type = (const egc_cluster_type *)item;
    egc_pages_fact("reference", type->reference);
    egc_status status = print_default_network(type, err);
    return status ? status
                  : print_type_parameters("parameters", type->params, type->params_size, err);
}

egc_status egc_pages_algorithm(const egc_catalog_item *item, egc_error *err)
{
    const egc_algorithm_type *type = (const egc_algorithm_type *)item;
    egc_pages_fact("reference", type->reference);
    return print_type_parameters("parameters", type->params, type->params_size, err);
}

egc_status egc_pages_exchange(const egc_catalog_item *item, egc_error *err)
{
    (void)err;
    const egc_exchange_type *type = (const egc_exchange_type *)item;
    static const char *const kinds[] = {
        [EGC_COLLECTIVE_ALLREDUCE] = "all-reduce: sums vectors (linear methods)",
        [EGC_COLLECTIVE_ALLGATHER] =
            "all-gather: every rank receives the messages of all (all methods)",
        [EGC_COLLECTIVE_BROADCAST] = "broadcast: every rank receives the message of one",
        [EGC_COLLECTIVE_ALLTOALL] =
            "all-to-all: every rank receives from each other rank the message for it",
    };
    egc_pages_fact("kind", kinds[type->kind]);
    egc_pages_fact("cost", type->cost);
    egc_pages_fact("reference", type->reference);
    return EGC_OK;
}

egc_status egc_pages_sparse_exchange(const egc_catalog_item *item, egc_error *err)
{
    (void)err;
    const egc_sparse_type *type = (const egc_sparse_type *)item;
    static const char *const keeps[] = {
        [EGC_MERGE_ALL] = "sparse sum: messages are summed in the network, nothing is dropped",
        [EGC_MERGE_LARGEST] =
            "sparse sum: each sum keeps the k largest elements of a unit, k given by "
            "the method's ratio; dropped values return to the residuals",
        [EGC_MERGE_ABOVE] = "sparse sum: keeps the elements above a threshold, the k-th largest "
                            "value, updated every 32 steps; dropped values return to the residuals",
    };
    egc_pages_fact("kind", keeps[egc_exchange_choice_merge(type)]);
    egc_pages_fact("cost", type->cost);
    egc_pages_fact("reference", type->reference);
    return EGC_OK;
}

egc_status egc_pages_device(const egc_catalog_item *item, egc_error *err)
{
    egc_buf text = {0};
    egc_devices_describe((const egc_device_profile *)item, &text);
    egc_status status = egc_buf_check(&text, err);
    if (!status && text.len)
        fwrite(text.data, 1, text.len, stdout);
    egc_buf_fini(&text);
    return status;
}

egc_status egc_pages_experiment(const egc_catalog_item *item, egc_error *err)
{
    (void)item;
    return print_type_parameters("options", egc_train_config_params, sizeof(egc_train_options),
                                 err);
}
