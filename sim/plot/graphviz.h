/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graphs, laid out and drawn by graphviz. */
#ifndef EGC_PLOT_GRAPHVIZ_H
#define EGC_PLOT_GRAPHVIZ_H

#include "base/buf.h"
#include "base/error.h"

/* Writes graph, in the language of graphviz, to NAME.dot in dir and draws NAME.FORMAT from it.
 * layout is a layout of graphviz ("dot", "neato"); format is svg, png or pdf. NAME for another
 * format; IO, also if graphviz is not installed. */
egc_status egc_graphviz_draw(const char *dir, const char *name, const egc_buf *graph,
                             const char *layout, const char *format, egc_error *err) EGC_MUST_CHECK;

#endif
