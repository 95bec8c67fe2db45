/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a run's gradients come from. */
#ifndef EGC_TRAIN_CORE_REPLICA_H
#define EGC_TRAIN_CORE_REPLICA_H

#include "train/config.h"

/* Opens the workload of a configuration, its learning rate scaled as the method asks. *out is the
 * caller's, to be given to egc_workload_free. */
egc_status egc_replica_open_workload(const egc_train_config *config, egc_workload **out,
                                     egc_error *err) EGC_MUST_CHECK;

/* The method's momentum, the workload's, or the usual one. */
double egc_replica_momentum(const egc_method *method, const egc_workload *workload);

#endif
