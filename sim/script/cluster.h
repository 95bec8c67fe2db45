/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cluster said by its name and settings, outside of an experiment: `describe torus --set
 * dims={4,4}`. */
#ifndef EGC_SCRIPT_CLUSTER_H
#define EGC_SCRIPT_CLUSTER_H

#include "experiment/spec/resolve.h"

/* What egc.cluster.NAME{...} stands for, each of settings a field as --set takes it, without
 * "cluster.". The parameters come from arena. */
egc_status egc_cluster_choose_by_settings(const char *name, const char *const *settings,
                                          size_t n_settings, egc_arena *arena,
                                          egc_cluster_choice *out, egc_error *err) EGC_MUST_CHECK;

#endif
