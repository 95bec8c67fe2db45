/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot/graphviz.h"

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "plot/gnuplot.h"
#include "plot/program.h"

static egc_status write_graph(const char *path, const egc_buf *graph, egc_error *err)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return egc_fail_errno(err, "open", path);
    bool written = fwrite(graph->data, 1, graph->len, file) == graph->len;
    written &= fclose(file) == 0;
    return written ? EGC_OK : egc_fail_errno(err, "write", path);
}

egc_status egc_graphviz_draw(const char *dir, const char *name, const egc_buf *graph,
                             const char *layout, const char *format, egc_error *err)
{
    const egc_gnuplot_terminal *terminal; /* the formats of figures */
    egc_arena arena = {0};
    egc_status status = egc_gnuplot_terminal_find(format, &terminal, err);
    if (status)
        return status;
    char *path = egc_arena_printf(&arena, "%s/%s.dot", dir, name);
    char *input = egc_arena_printf(&arena, "%s.dot", name);
    char *picture = egc_arena_printf(&arena, "%s.%s", name, format);
    char *into = egc_arena_printf(&arena, "-T%s", format);
    char *by = egc_arena_printf(&arena, "-K%s", layout);
    if (!path || !input || !picture || !into || !by)
        status = egc_fail_memory(err, EGC_ERROR_LENGTH);
    if (!status)
        status = write_graph(path, graph, err);
    char *const argv[] = {"dot", by, into, "-o", picture, input, NULL};
    if (!status)
        status = egc_program_run(dir, argv, "graphviz", input, err);
    egc_arena_fini(&arena);
    return status;
}
