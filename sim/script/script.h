/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads the experiments that a Lua script returns. */
#ifndef EGC_SCRIPT_SCRIPT_H
#define EGC_SCRIPT_SCRIPT_H

#include "experiment/spec/experiment.h"

typedef struct egc_script {
    egc_experiment *experiments; /* in the order returned; no two names are equal */
    size_t n_experiments;
} egc_script; /* zeroed is empty */

/* Runs the script at path, applies the overrides ("PATH=VALUE", from --set) to each experiment that
 * it returns, and expands it into points. IO; FORMAT for Lua errors; and every error of a
 * specification, with its place. *out is empty after a failure; otherwise the caller calls
 * egc_script_fini. */
egc_status egc_script_load(const char *path, const char *const *overrides, size_t n_overrides,
                           egc_script *out, egc_error *err) EGC_MUST_CHECK;

void egc_script_fini(egc_script *script);

#endif
