/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graphs, laid out and drawn by graphviz. */
#ifndef EGC_PLOT_GRAPHVIZ_H
#define EGC_PLOT_GRAPHVIZ_H

#include "base/buf.h"
#include "base/error.h"

/* Writes NAME.dot and draws NAME.FORMAT from it, both in dir. layout is a program of graphviz's
 * ("dot", "neato"); format is svg, png or pdf. NAME for another format; IO, also when graphviz is
 * not installed. */
egc_status egc_graphviz_draw(const char *dir, const char *name, const egc_buf *graph,
                             const char *layout, const char *format, egc_error *err) EGC_MUST_CHECK;

#endif
