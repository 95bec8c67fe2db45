/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws each figure once for each of its settings: the descriptor fills the data and the script,
 * this file writes both and runs gnuplot. A figure whose script stays empty lacks data. */
#include "plot/plot.h"

#include "base/file/atomic_file.h"
#include "plot/figure.h"

static const egc_figure *const figures[] = {
    &egc_figure_ratio,
    &egc_figure_quality_final,
    &egc_figure_quality_bytes,
    &egc_figure_quality_time,
    &egc_figure_breakdown,
    &egc_figure_bandwidth_step,
    &egc_figure_bandwidth_speedup,
};

typedef struct plotting {
    egc_view view;
    egc_path plots; /* DIR/plots */
    const egc_gnuplot_terminal *terminal;
    const egc_plot_sink *sink;
} plotting;

static egc_status save(const egc_buf *content, const char *path, egc_error *err)
{
    egc_status status = egc_buf_check(content, err);
    return status ? status : egc_atomic_file_save(path, content->data, content->len, err);
}

/* Writes NAME.csv and NAME.gp, and lets gnuplot make the picture. */
static egc_status render(const plotting *p, const egc_drawing *d, egc_error *err)
{
    const char *plots = p->plots.text;
    egc_path script = egc_path_of("%s.gp", d->name);
    egc_status status = save(&d->data, egc_path_of("%s/%s.csv", plots, d->name).text, err);
    if (!status)
        status = save(&d->script, egc_path_of("%s/%s", plots, script.text).text, err);
    if (!status)
        status = egc_gnuplot_run(plots, script.text, err);
    if (!status)
        p->sink->drawn(p->sink->arg,
                       egc_path_of("%s/%s.%s", plots, d->name, p->terminal->name).text);
    return status;
}

/* Draws one figure of one setting. *drawn: the runs had the data that it needs. */
static egc_status draw_setting(plotting *p, const egc_figure *figure, size_t setting,
                               const char *name, bool *drawn, egc_error *err)
{
    size_t bytes = p->view.n_series * sizeof(size_t);
    egc_drawing drawing = {.view = &p->view,
                           .scope = figure->scope,
                           .setting = setting,
                           .name = name,
                           .terminal = p->terminal,
                           .marks = egc_arena_alloc(&p->view.arena, bytes)};
    if (!drawing.marks)
        return egc_fail_memory(err, bytes);
    figure->draw(&drawing);
    egc_status status = egc_buf_check(&drawing.script, err);
    *drawn = drawing.script.len > 0;
    if (!status && *drawn)
        status = render(p, &drawing, err);
    egc_buf_fini(&drawing.data);
    egc_buf_fini(&drawing.script);
    return status;
}

/* The figure has its plain name if there is only one setting, otherwise the setting's number is
 * added.
 */
static egc_status draw_figure(plotting *p, const egc_figure *figure, egc_error *err)
{
    size_t n_settings = p->view.settings[figure->scope].n, n_drawn = 0;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n_settings && !status; i++) {
        bool drawn = false;
        egc_path name = n_settings > 1 ? egc_path_of("%s-%zu", figure->name, i + 1)
                                       : egc_path_of("%s", figure->name);
        status = draw_setting(p, figure, i, name.text, &drawn, err);
        n_drawn += drawn;
    }
    if (!status && n_drawn == 0)
        p->sink->skipped(p->sink->arg, figure->name, figure->needs);
    return status;
}

egc_status egc_plot(const char *dir, const char *format, const egc_plot_sink *sink, egc_error *err)
{
    plotting p = {.sink = sink, .plots = egc_path_of("%s/plots", dir)};
    egc_status status = egc_gnuplot_terminal_find(format, &p.terminal, err);
    if (status)
        return status;
    status = egc_view_load(&p.view, dir, err);
    if (!status)
        status = egc_path_make_folder(p.plots.text, err);
    if (!status && p.view.n_left_out)
        sink->left_out(sink->arg, p.view.n_left_out, p.view.runs.n_rows);
    for (size_t i = 0; i < sizeof figures / sizeof *figures && !status; i++)
        status = draw_figure(&p, figures[i], err);
    egc_view_fini(&p.view);
    return status;
}
