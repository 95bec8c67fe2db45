/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short names for the series of a figure: the method, and of its parameters those that tell it
 * from its neighbours. */
#ifndef EGC_PLOT_LABEL_H
#define EGC_PLOT_LABEL_H

#include "plot/view.h"

/* Sets the label of each series. MEMORY. */
egc_status egc_label_series(egc_series *series, size_t n, egc_arena *arena,
                            egc_error *err) EGC_MUST_CHECK;

#endif
