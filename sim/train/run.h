/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run of one configuration inside one simulated cluster: the work of a point of an experiment.
 */
#ifndef EGC_TRAIN_RUN_H
#define EGC_TRAIN_RUN_H

#include "train/config.h"

/* Checks all that is known before running: RANGE when the cluster has too few hosts for the
 * workers, UNSUPPORTED when parts of the configuration do not go together (method and exchange,
 * algorithm and option); the message starts with the key at fault. */
egc_status egc_train_run_check(const egc_train_config *config, egc_error *err) EGC_MUST_CHECK;

/* Checks and runs the configuration. The calling process must not have made a world before: one
 * process, one simulation. config and sink are borrowed. On failure *out has the steps done so far.
 * Errors of the check, the workload, the method, the simulation and the sink. */
egc_status egc_train_run(const egc_train_config *config, const egc_train_sink *sink,
                         egc_train_summary *out, egc_error *err) EGC_MUST_CHECK;

#endif
