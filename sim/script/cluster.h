/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cluster given by its name and settings, without an experiment: `describe torus --set
 * dims={4,4}`. */
#ifndef EGC_SCRIPT_CLUSTER_H
#define EGC_SCRIPT_CLUSTER_H

#include "experiment/spec/resolve.h"

/* Resolves egc.cluster.NAME{...}. Each setting is "KEY=VALUE" as --set takes it, without
 * "cluster.". The arena owns the parameters of *out. NAME, RANGE, FORMAT, UNSUPPORTED as for a
 * script; MEMORY. */
egc_status egc_cluster_choose_by_settings(const char *name, const char *const *settings,
                                          size_t n_settings, egc_arena *arena,
                                          egc_cluster_choice *out, egc_error *err) EGC_MUST_CHECK;

#endif
