/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Terminals, strings and axes of gnuplot's language, and the call of the program. Axes are labelled
 * by hand with numbers of the series 1, 2, 5, 10. */
#include "plot/gnuplot.h"

#include <ctype.h>
#include <math.h>

#include "base/param.h"
#include "base/registry.h"
#include "plot/program.h"

/* ---- formats ------------------------------------------------------------------------------- */

static const egc_gnuplot_terminal svg = {"svg", "svg background rgb 'white' font 'sans-serif,14'",
                                         1, ""};
static const egc_gnuplot_terminal png = {
    "png", "pngcairo font 'sans,14' fontscale 1.6 linewidth 1.6 pointscale 1.6", 2, ""};
static const egc_gnuplot_terminal pdf = {"pdf", "pdfcairo font 'sans,14' fontscale 0.72", 0.01,
                                         "in"};

egc_status egc_gnuplot_terminal_find(const char *name, const egc_gnuplot_terminal **out,
                                     egc_error *err)
{
    static const egc_gnuplot_terminal *const terminals[] = {&svg, &png, &pdf, NULL};
    return egc_registry_find("format", name, (const void *const *)terminals, out, err);
}

/* ---- strings --------------------------------------------------------------------------------- */

void egc_gnuplot_put_string(egc_buf *script, const char *text)
{
    egc_text_put(script, "'");
    for (; *text; text++)
        egc_text_put(script, *text == '\'' ? "''" : "%c",
                     iscntrl((unsigned char)*text) ? ' ' : *text);
    egc_text_put(script, "'");
}

/* ---- axes ---------------------------------------------------------------------------------- */

enum { STEPS_PER_DECADE = 3 };

/* Number i of the series ..., 0.1, 0.2, 0.5, 1 (i = 0), 2, 5, 10, ... */
static double round_number(int i)
{
    static const double mantissa[STEPS_PER_DECADE] = {1, 2, 5};
    int decade = (int)floor((double)i / STEPS_PER_DECADE);
    return mantissa[i - decade * STEPS_PER_DECADE] * pow(10, decade);
}

void egc_gnuplot_log_axis(egc_buf *script, char axis, double low, double high)
{
    int first = (int)floor(log10(low)) * STEPS_PER_DECADE;
    while (round_number(first + 1) <= low * (1 + 1e-9))
        first++;
    int last = first + 1;
    while (round_number(last) < high * (1 - 1e-9))
        last++;
    bool only_decades = last - first > 3 * STEPS_PER_DECADE;
    egc_text_put(script, "set logscale %c\nset %crange [%g:%g]\nset %ctics (", axis, axis,
                 round_number(first), round_number(last), axis);
    for (int i = first; i <= last; i++)
        if (!only_decades || i % STEPS_PER_DECADE == 0)
            egc_text_put(script, "'%g' %g, ", round_number(i), round_number(i));
    egc_text_put(script, "'' %g 1)\n", round_number(first));
}

static egc_gnuplot_unit choose_unit(const egc_gnuplot_unit *units, double largest)
{
    size_t i = 0;
    while (units[i + 1].symbol && units[i + 1].size <= largest)
        i++;
    return units[i];
}

egc_gnuplot_unit egc_gnuplot_unit_of_seconds(double largest)
{
    static const egc_gnuplot_unit units[] = {{1e-6, "us"}, {1e-3, "ms"}, {1, "s"}, {0, NULL}};
    return choose_unit(units, largest);
}

egc_gnuplot_unit egc_gnuplot_unit_of_bytes(double largest)
{
    static const egc_gnuplot_unit units[] = {{1, "B"},    {1e3, "kB"},  {1e6, "MB"},
                                             {1e9, "GB"}, {1e12, "TB"}, {0, NULL}};
    return choose_unit(units, largest);
}

/* ---- running ------------------------------------------------------------------------------- */

egc_status egc_gnuplot_run(const char *dir, const char *script, egc_error *err)
{
    /* -d: the user's own start-up file must not change our figures. */
    char *const argv[] = {"gnuplot", "-d", (char *)script, NULL};
    return egc_program_run(dir, argv, "gnuplot-nox", script, err);
}
