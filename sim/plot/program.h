/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that draw for us. */
#ifndef EGC_PLOT_PROGRAM_H
#define EGC_PLOT_PROGRAM_H

#include "base/error.h"

/* Runs argv in dir. IO: it is not installed (package is Debian's), or the last line it printed,
 * with the name of its input before it. */
egc_status egc_program_run(const char *dir, char *const *argv, const char *package,
                           const char *input, egc_error *err) EGC_MUST_CHECK;

#endif
