/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The synchronous training algorithm (EGC-DSGD): every worker, every step. */
#ifndef EGC_TRAIN_SYNC_H
#define EGC_TRAIN_SYNC_H

#include "train/run.h"

/* Simulates all steps of run. Errors are those of the workload, the method and the world. */
egc_status egc_sync_simulate(egc_run *run, egc_error *err) EGC_MUST_CHECK;

#endif
