/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `egc-sim plot`: figures of a results folder by gnuplot (sim/plot), or the drawing of a cluster by
 * graphviz. */
#include <stdio.h>

#include "cli/describe/cluster_page.h"
#include "cli/options.h"
#include "plot/graphviz.h"
#include "plot/plot.h"
#include "script/cluster.h"

/* Drawings of more hosts cannot be read. */
enum { MOST_HOSTS = 512 };

typedef struct plot_request {
    egc_texts dir;
    const char *format, *cluster, *out;
    egc_texts settings;
} plot_request;

static const egc_option options[] = {
    {"format", "FORMAT", "svg (default), png or pdf", EGC_OPTION(plot_request, format, TEXT)},
    {"cluster", "NAME", "draw a cluster instead of results, with graphviz",
     EGC_OPTION(plot_request, cluster, TEXT)},
    {"set", "KEY=VALUE", "change a parameter of the cluster; may be repeated",
     EGC_OPTION(plot_request, settings, TEXTS)},
    {"out", "DIR", "folder for the drawing of a cluster (default: this folder)",
     EGC_OPTION(plot_request, out, TEXT)},
    {0},
};

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
    egc_note("%zu of %zu runs are left out: their status is not ok", n_left_out, n_runs);
}

static egc_status draw_graph(const plot_request *request, const egc_cluster_choice *choice,
                             const egc_topology_graph *network, egc_error *err)
{
    egc_buf graph = {0};
    const char *name = choice->type->name, *out = request->out ? request->out : ".";
    const char *layout = choice->type->layout ? choice->type->layout : "neato";
    if (network->n_hosts > MOST_HOSTS)
        return egc_fail(err, EGC_ERROR_RANGE,
                        "a cluster to be drawn must have at most %d hosts, got %zu", MOST_HOSTS,
                        network->n_hosts);
    egc_status status = egc_cluster_page_draw(network, name, &graph, err);
    if (!status)
        status = egc_graphviz_draw(out, name, &graph, layout, request->format, err);
    if (!status)
        printf("%s/%s.%s\n", out, name, request->format);
    egc_buf_fini(&graph);
    return status;
}

static egc_status plot_cluster(const plot_request *request, egc_error *err)
{
    egc_arena arena = {0};
    egc_cluster_choice choice;
    egc_topology_graph network;
    egc_status status = egc_cluster_choose_by_settings(request->cluster, request->settings.items,
                                                       request->settings.n, &arena, &choice, err);
    if (!status)
        status = egc_topology_graph_of(choice.type, choice.params, &arena, &network, err);
    if (!status)
        status = draw_graph(request, &choice, &network, err);
    egc_arena_fini(&arena);
    return status;
}

static int run(void *arg)
{
    const plot_request *request = arg;
    const egc_plot_sink sink = {
        .drawn = print_path, .skipped = note_skipped, .left_out = note_left_out};
    egc_error err;
    if (request->cluster && request->dir.n)
        return egc_options_fail(&egc_cmd_plot, "unexpected argument \"%s\"; usage: egc-sim plot %s",
                                request->dir.items[0], egc_cmd_plot.arguments);
    if (!request->cluster && !request->dir.n)
        return egc_options_fail(&egc_cmd_plot, "arguments are missing; usage: egc-sim plot %s",
                                egc_cmd_plot.arguments);
    if (!request->cluster && (request->settings.n || request->out))
        return egc_options_fail(&egc_cmd_plot, "--set and --out need --cluster");
    egc_status status = request->cluster
                            ? plot_cluster(request, &err)
                            : egc_plot(request->dir.items[0], request->format, &sink, &err);
    return egc_options_end(&egc_cmd_plot, status, &err);
}

const egc_command egc_cmd_plot = {
    .name = "plot",
    .brief = "draw figures from the results of a run",
    .arguments = "DIR [--format svg|png|pdf], or plot --cluster NAME [options]",
    .summary = "Draws figures from the CSV files of DIR into DIR/plots, with gnuplot. The data "
               "(NAME.csv) and the script\n(NAME.gp) of each figure are kept beside it, to be "
               "edited. With --cluster, draws the hosts, switches and\nlinks of a cluster and "
               "keeps the graph (NAME.dot) beside the drawing",
    .example = "egc-sim plot results/compare --format pdf",
    .options = options,
    .most = 1,
    .request_size = sizeof(plot_request),
    .defaults = &(const plot_request){.format = "svg"},
    .run = run,
};
