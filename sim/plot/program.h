/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Other programs, run in a folder with their output captured: gnuplot and graphviz. */
#ifndef EGC_PLOT_PROGRAM_H
#define EGC_PLOT_PROGRAM_H

#include "base/error.h"

/* Runs argv in dir and waits for it. IO if the program is not installed, naming the Debian package
 * that has it, or if it fails, with the last line that it printed and the name of its input. */
egc_status egc_program_run(const char *dir, char *const *argv, const char *package,
                           const char *input, egc_error *err) EGC_MUST_CHECK;

#endif
