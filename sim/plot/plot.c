/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot/plot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

static egc_status write_file(const char *path, const egc_buf *content, egc_error *err)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return egc_fail_errno(err, "open", path);
    bool written = fwrite(content->data, 1, content->len, file) == content->len;
    written &= fclose(file) == 0;
    return written ? EGC_OK : egc_fail_errno(err, "write", path);
}

/* Writes NAME.csv and NAME.gp into plots, and lets gnuplot make the picture. */
static egc_status render(egc_drawing *d, const char *plots, const egc_plot_sink *sink)
{
    egc_arena *arena = &d->view->arena;
    const char *data = egc_arena_printf(arena, "%s/%s.csv", plots, d->name);
    const char *file = egc_arena_printf(arena, "%s.gp", d->name);
    const char *script = egc_arena_printf(arena, "%s/%s.gp", plots, d->name);
    const char *picture = egc_arena_printf(arena, "%s/%s.%s", plots, d->name, d->terminal->name);
    if (!data || !file || !script || !picture)
        return egc_fail_memory(d->err, strlen(plots));
    egc_status status = write_file(data, &d->data, d->err);
    if (!status)
        status = write_file(script, &d->script, d->err);
    if (!status)
        status = egc_gnuplot_run(plots, file, d->err);
    if (!status)
        sink->drawn(sink->arg, picture);
    return status;
}

/* One figure of one setting. *drawn tells whether the data had what it needs. */
static egc_status draw_setting(const egc_figure *figure, egc_drawing *d, const char *plots,
                               const egc_plot_sink *sink, bool *drawn)
{
    egc_status status = figure->draw(d);
    if (!status)
        status = egc_buf_check(&d->data, d->err);
    if (!status)
        status = egc_buf_check(&d->script, d->err);
    *drawn = !status && d->script.len > 0;
    if (*drawn)
        status = render(d, plots, sink);
    egc_buf_fini(&d->data);
    egc_buf_fini(&d->script);
    return status;
}

/* A figure of the only setting has the plain name, those of several are numbered. */
static egc_status draw_figure(const egc_figure *figure, egc_view *view,
                              const egc_gnuplot_terminal *terminal, const char *plots,
                              const egc_plot_sink *sink, egc_error *err)
{
    size_t n_settings = view->settings[figure->scope].n, n_drawn = 0;
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n_settings && !status; i++) {
        bool drawn;
        egc_drawing drawing = {.view = view,
                               .scope = figure->scope,
                               .setting = i,
                               .name = figure->name,
                               .terminal = terminal,
                               .err = err};
        if (n_settings > 1)
            drawing.name = egc_arena_printf(&view->arena, "%s-%zu", figure->name, i + 1);
        if (!drawing.name)
            return egc_fail_memory(err, strlen(figure->name));
        status = draw_setting(figure, &drawing, plots, sink, &drawn);
        n_drawn += drawn;
    }
    if (!status && n_drawn == 0)
        sink->skipped(sink->arg, figure->name, figure->needs);
    return status;
}

egc_status egc_plot(const char *dir, const char *format, const egc_plot_sink *sink, egc_error *err)
{
    const egc_gnuplot_terminal *terminal;
    egc_status status = egc_gnuplot_terminal_find(format, &terminal, err);
    if (status)
        return status;
    egc_view view;
    const char *plots;
    status = egc_view_load(&view, dir, err);
    if (status)
        goto done;
    plots = egc_arena_printf(&view.arena, "%s/plots", dir);
    if (!plots)
        status = egc_fail_memory(err, strlen(dir));
    else if (mkdir(plots, 0777) != 0 && errno != EEXIST)
        status = egc_fail_errno(err, "make", plots);
    if (!status && view.n_left_out)
        sink->left_out(sink->arg, view.n_left_out, view.runs.n_rows);
    for (size_t i = 0; i < sizeof figures / sizeof *figures && !status; i++)
        status = draw_figure(figures[i], &view, terminal, plots, sink, err);
done:
    egc_view_fini(&view);
    return status;
}
