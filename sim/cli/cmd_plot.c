/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "cli/describe/cluster_page.h"
#include "cli/table.h"
#include "plot/graphviz.h"
#include "plot/plot.h"
#include "script/cluster.h"

enum { OPTION_FORMAT, OPTION_CLUSTER, OPTION_SET, OPTION_OUT };

static const egc_option options[] = {
    [OPTION_FORMAT] = {"format", "FORMAT", "svg (default), png or pdf"},
    [OPTION_CLUSTER] = {"cluster", "NAME", "draw a cluster instead of results, with graphviz"},
    [OPTION_SET] = {"set", "KEY=VALUE", "change a parameter of the cluster; may be given again"},
    [OPTION_OUT] = {"out", "DIR", "where the cluster's drawing goes (default: here)"},
    {0},
};

static const egc_usage usage = {
    .command = "plot",
    .arguments = "DIR [--format svg|png|pdf], or plot --cluster NAME [options]",
    .summary = "Draws figures from the CSV files of DIR into DIR/plots, with gnuplot. Beside each "
               "figure lie its data\n(NAME.csv) and its script (NAME.gp), to be restyled at will. "
               "Or draws a cluster's hosts, switches and\nlinks, and leaves the graph (NAME.dot) "
               "beside the drawing",
    .options = options,
    .example = "egc-sim plot results/compare --format pdf",
};

/* More hosts than this and nothing can be made out. */
enum { MOST_HOSTS = 512 };

typedef struct plot_request {
    const char *format, *cluster, *out;
    const char **settings;
    size_t n_settings;
} plot_request;

static void print_path(void *arg, const char *path)
{
    (void)arg;
    puts(path);
}

static void note_skipped(void *arg, const char *figure, const char *reason)
{
    (void)arg;
    egc_note("no figure \"%s\": it needs %s", figure, reason);
}

static void note_left_out(void *arg, size_t n_left_out, size_t n_runs)
{
    (void)arg;
    egc_note("%zu of %zu runs are left out, their status is not ok", n_left_out, n_runs);
}

static egc_status plot_results(const char *dir, const char *format, egc_error *err)
{
    egc_plot_sink sink = {.drawn = print_path, .skipped = note_skipped, .left_out = note_left_out};
    return egc_plot(dir, format, &sink, err);
}

static egc_status draw_graph(const plot_request *wanted, const egc_cluster_choice *choice,
                             const egc_topology_graph *network, egc_error *err)
{
    egc_buf graph = {0};
    const char *name = choice->type->name;
    const char *layout = choice->type->layout ? choice->type->layout : "neato";
    egc_status status = EGC_OK;
    if (network->n_hosts > MOST_HOSTS)
        status = egc_fail(err, EGC_ERROR_RANGE,
                          "a cluster that is drawn must have at most %d hosts, got %zu", MOST_HOSTS,
                          network->n_hosts);
    if (!status)
        status = egc_cluster_page_draw(network, name, &graph, err);
    if (!status)
        status = egc_graphviz_draw(wanted->out, name, &graph, layout, wanted->format, err);
    if (!status)
        printf("%s/%s.%s\n", wanted->out, name, wanted->format);
    egc_buf_fini(&graph);
    return status;
}

static egc_status plot_cluster(const plot_request *wanted, egc_error *err)
{
    egc_arena arena = {0};
    egc_cluster_choice choice;
    egc_topology_graph network;
    egc_status status = egc_cluster_choose_by_settings(wanted->cluster, wanted->settings,
                                                       wanted->n_settings, &arena, &choice, err);
    if (!status)
        status = egc_topology_graph_of(choice.type, choice.params, &arena, &network, err);
    if (!status)
        status = draw_graph(wanted, &choice, &network, err);
    egc_arena_fini(&arena);
    return status;
}

static void read_options(egc_options *args, plot_request *out)
{
    const char *value;
    for (int option; (option = egc_options_next(args, &value)) >= 0;)
        switch (option) {
        case OPTION_FORMAT:
            out->format = value;
            break;
        case OPTION_CLUSTER:
            out->cluster = value;
            break;
        case OPTION_SET:
            out->settings[out->n_settings++] = value;
            break;
        case OPTION_OUT:
            out->out = value;
            break;
        }
}

static int plot(egc_options *args, plot_request *wanted)
{
    egc_error err = {0};
    int n;
    read_options(args, wanted);
    int dirs = wanted->cluster ? 0 : 1;
    char **dir = egc_options_rest(args, dirs, dirs, &n);
    if (args->stop)
        return args->exit;
    if (!wanted->cluster && (wanted->n_settings || strcmp(wanted->out, ".") != 0))
        return egc_options_fail(&usage, "--set and --out go with --cluster only");
    egc_status status =
        wanted->cluster ? plot_cluster(wanted, &err) : plot_results(dir[0], wanted->format, &err);
    if (status == EGC_ERROR_NAME)
        return egc_options_fail(&usage, "%s", err.message);
    return status ? egc_note_error(&err) : EGC_EXIT_DONE;
}

int egc_cmd_plot(int argc, char **argv)
{
    egc_options args = {.usage = &usage, .argc = argc, .argv = argv};
    plot_request wanted = {.format = "svg", .out = "."};
    egc_error err = {0};
    wanted.settings = egc_calloc((size_t)argc, sizeof *wanted.settings);
    if (!wanted.settings) {
        egc_fail_memory(&err, (size_t)argc * sizeof *wanted.settings);
        return egc_note_error(&err);
    }
    int exit = plot(&args, &wanted);
    egc_free(wanted.settings);
    return exit;
}
