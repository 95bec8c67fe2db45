/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lua experiments: a script says what to run. */
#ifndef EGC_SCRIPT_SCRIPT_H
#define EGC_SCRIPT_SCRIPT_H

#include "experiment/spec/experiment.h"

typedef struct egc_script {
    egc_experiment *experiments; /* in the order returned; their names differ */
    size_t n_experiments;
} egc_script; /* zeroed is empty */

/* Runs the script at path, applies the overrides ("PATH=VALUE", those of --set) to every
 * experiment it returns, and expands these into points that can run. IO; FORMAT for what Lua
 * objects to; and whatever is wrong with an experiment, saying where. On failure *out is empty. */
egc_status egc_script_load(const char *path, const char *const *overrides, size_t n_overrides,
                           egc_script *out, egc_error *err) EGC_MUST_CHECK;

void egc_script_fini(egc_script *script);

#endif
