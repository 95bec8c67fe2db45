/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/metrics/learnt.h"

#include <math.h>
#include <string.h>

egc_status egc_step_stats_init(egc_step_stats *learnt, egc_arena *arena, size_t n_workers,
                               size_t n_units, size_t n_parts, egc_error *err)
{
    learnt->n_workers = n_workers;
    learnt->units = egc_arena_alloc(arena, n_units * sizeof *learnt->units);
    learnt->correction = egc_arena_alloc(arena, n_units * sizeof *learnt->correction);
    learnt->parts = egc_arena_alloc(arena, n_parts * sizeof *learnt->parts);
    if (!learnt->units || !learnt->correction || !learnt->parts)
        return egc_fail_memory(err, n_parts * sizeof *learnt->parts);
    egc_step_stats_clear(learnt, n_units);
    return EGC_OK;
}

void egc_step_stats_clear(egc_step_stats *learnt, size_t n_units)
{
    memset(learnt->units, 0, n_units * sizeof *learnt->units);
    learnt->totals = (egc_step_totals){
        .cosine = NAN,
        .drift = NAN,
        .union_elements = NAN,
        .consensus = NAN,
        .evaluation = {NAN, NAN, NAN},
    };
}

void egc_step_stats_add(egc_step_stats *learnt, size_t unit, const egc_encoding *encoding)
{
    egc_encoding *sum = &learnt->units[unit];
    sum->sent += encoding->sent;
    sum->wire_bytes += encoding->wire_bytes;
    sum->bound_bits += encoding->bound_bits;
    sum->gradient_norm2 += encoding->gradient_norm2;
    sum->input_norm2 += encoding->input_norm2;
    sum->sent_norm2 += encoding->sent_norm2;
    sum->error_norm2 += encoding->error_norm2;
    sum->residual_norm2 += encoding->residual_norm2;
    sum->sent_norm1 += encoding->sent_norm1;
    sum->staleness += encoding->staleness;
}
