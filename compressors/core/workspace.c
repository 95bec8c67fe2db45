/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocates a workspace and lends it, with seeded generators, to calls about one unit. */
#include "compressors/core/workspace.h"

#include "base/mem.h"
#include "base/rng.h"

egc_status egc_workspace_new(size_t longest, egc_workspace **out, egc_error *err)
{
    egc_workspace *w = egc_calloc(1, sizeof *w);
    if (!w)
        return egc_fail_memory(err, sizeof *w);
    w->index = egc_calloc(longest, sizeof *w->index);
    w->value = egc_calloc(longest, sizeof *w->value);
    w->decoded = egc_calloc(longest, sizeof *w->decoded);
    w->input = egc_calloc(longest, sizeof *w->input);
    w->rng = gsl_rng_alloc(egc_rng_splitmix64);
    w->shared_rng = gsl_rng_alloc(egc_rng_splitmix64);
    if (!w->index || !w->value || !w->decoded || !w->input || !w->rng || !w->shared_rng) {
        egc_workspace_free(w);
        return egc_fail_memory(err, 4 * longest * sizeof(float));
    }
    *out = w;
    return EGC_OK;
}

void egc_workspace_free(egc_workspace *w)
{
    if (!w)
        return;
    egc_free(w->index);
    egc_free(w->value);
    egc_free(w->decoded);
    egc_free(w->input);
    egc_arena_fini(&w->scratch);
    gsl_rng_free(w->rng);
    gsl_rng_free(w->shared_rng);
    egc_free(w);
}

egc_context egc_workspace_context(egc_workspace *w, const egc_method *method, const egc_unit *units,
                                  size_t u, uint64_t step, size_t n_workers, uint64_t run_seed)
{
    egc_arena_reset(&w->scratch);
    gsl_rng_set(w->shared_rng, egc_rng_derive_seed(egc_rng_derive_seed(run_seed, 's', 0), step, u));
    return (egc_context){
        .unit = &units[u],
        .step = step,
        .n_workers = n_workers,
        .shard_count = units[u].count,
        .density = egc_method_density(method, step),
        .shared_rng = w->shared_rng,
        .rng = w->rng,
        .scale = 1,
        .scratch = &w->scratch,
    };
}
