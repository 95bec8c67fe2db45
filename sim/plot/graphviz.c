/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `dot -Klayout` reads NAME.dot and writes NAME.FORMAT, both in one folder. */
#include "plot/graphviz.h"

#include "base/file/atomic_file.h"
#include "plot/gnuplot.h"
#include "plot/program.h"

egc_status egc_graphviz_draw(const char *dir, const char *name, const egc_buf *graph,
                             const char *layout, const char *format, egc_error *err)
{
    const egc_gnuplot_terminal *terminal; /* figures and graphs have the same formats */
    egc_path input = egc_path_of("%s.dot", name), picture = egc_path_of("%s.%s", name, format);
    egc_path into = egc_path_of("-T%s", format), by = egc_path_of("-K%s", layout);
    char *const argv[] = {"dot", by.text, into.text, "-o", picture.text, input.text, NULL};
    egc_status status = egc_gnuplot_terminal_find(format, &terminal, err);
    if (!status)
        status = egc_atomic_file_save(egc_path_of("%s/%s", dir, input.text).text, graph->data,
                                      graph->len, err);
    return status ? status : egc_program_run(dir, argv, "graphviz", input.text, err);
}
