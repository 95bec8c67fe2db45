/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything but the points' content is filled by spec/build.c. */
#include "experiment/spec/experiment.h"

bool egc_experiment_is_measured(const egc_experiment *experiment)
{
    for (size_t i = 0; i < experiment->n_points; i++)
        if (experiment->points[i].config.options.cost == EGC_COST_MEASURED)
            return true;
    return false;
}

void egc_experiment_fini(egc_experiment *experiment)
{
    egc_arena_fini(&experiment->arena);
    *experiment = (egc_experiment){0};
}
