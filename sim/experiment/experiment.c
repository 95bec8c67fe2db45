/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "experiment/experiment.h"

void egc_experiment_fini(egc_experiment *experiment)
{
    egc_arena_fini(&experiment->arena);
    *experiment = (egc_experiment){0};
}
