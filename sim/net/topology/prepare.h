/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a cluster's parameters ready for use: all checks, including those that need SimGrid. */
#ifndef EGC_NET_TOPOLOGY_PREPARE_H
#define EGC_NET_TOPOLOGY_PREPARE_H

#include "net/cluster/cluster.h"

/* Reads the files that the parameters name and checks everything on which SimGrid would abort or
 * compute wrongly. Must be called after the parameters are set and before any other use. Data that
 * the parameters need lives in arena, which must outlive them. RANGE; NAME; FORMAT; UNSUPPORTED;
 * IO; MEMORY. */
egc_status egc_prepare_cluster(const egc_cluster_type *type, void *params, egc_arena *arena,
                               egc_error *err) EGC_MUST_CHECK;

#endif
