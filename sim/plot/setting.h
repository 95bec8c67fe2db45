/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which runs may stand in one figure: those that agree in every column that the figure neither
 * compares nor draws. */
#ifndef EGC_PLOT_SETTING_H
#define EGC_PLOT_SETTING_H

#include "plot/view.h"

/* Fills view->settings[scope]. MEMORY. */
egc_status egc_setting_arrange(egc_view *view, egc_scope scope, egc_error *err) EGC_MUST_CHECK;

#endif
