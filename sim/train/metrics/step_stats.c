/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of a step and its metrics. Norms are added as squares and ratios taken of sums, so that a
 * metric weighs units and workers by their size. */
#include "train/metrics/step_stats.h"
#include "compressors/core/encoding.h"

#include <math.h>
#include <string.h>

egc_status egc_step_stats_init(egc_step_stats *stats, egc_arena *arena, size_t n_workers,
                               size_t n_units, size_t n_parts, egc_error *err)
{
    stats->n_workers = n_workers;
    stats->units = egc_arena_alloc(arena, n_units * sizeof *stats->units);
    stats->correction = egc_arena_alloc(arena, n_units * sizeof *stats->correction);
    stats->parts = egc_arena_alloc(arena, n_parts * sizeof *stats->parts);
    if (!stats->units || !stats->correction || !stats->parts)
        return egc_fail_memory(err, n_parts * sizeof *stats->parts);
    egc_step_stats_clear(stats, n_units);
    return EGC_OK;
}

void egc_step_stats_clear(egc_step_stats *stats, size_t n_units)
{
    memset(stats->units, 0, n_units * sizeof *stats->units);
    stats->totals = (egc_step_totals){
        .cosine = NAN,
        .drift = NAN,
        .union_elements = NAN,
        .consensus = NAN,
        .evaluation = {NAN, NAN, NAN},
    };
}

static void add_encoding(egc_encoding *sum, const egc_encoding *encoding)
{
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

void egc_step_stats_add(egc_step_stats *stats, size_t unit, const egc_encoding *encoding)
{
    add_encoding(&stats->units[unit], encoding);
}

void egc_step_stats_add_times(egc_step_times *sum, const egc_step_times *worker)
{
    sum->recv_bytes += worker->recv_bytes;
    sum->step_s += worker->step_s;
    sum->compute_s += worker->compute_s;
    sum->compress_s += worker->compress_s;
    sum->decompress_s += worker->decompress_s;
    sum->comm_s += worker->comm_s;
    sum->exposed_comm_s += worker->exposed_comm_s;
}

/* ---- metrics --------------------------------------------------------------------------------- */

/* a / b; NAN if b is 0. */
static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

void egc_step_stats_metrics(const egc_step_times *times, const egc_step_stats *stats,
                            size_t n_units, size_t n, size_t n_workers, egc_metrics *out)
{
    egc_encoding all = {0};
    for (size_t u = 0; u < n_units; u++)
        add_encoding(&all, &stats->units[u]);
    const egc_step_totals *totals = &stats->totals;
    double workers = (double)n_workers, encoders = (double)stats->n_workers;
    double elements = (double)n * encoders;
    *out = (egc_metrics){
        .sent_bytes = totals->message_bytes / encoders,
        .recv_bytes = times->recv_bytes / workers,
        .compression_ratio = ratio(4 * elements, totals->message_bytes),
        .element_ratio = ratio(elements, (double)all.sent),
        .bound_ratio = ratio(32 * elements, all.bound_bits),
        .density = (double)all.sent / elements,
        .rel_error = sqrt(ratio(all.error_norm2, all.input_norm2)),
        .cosine = totals->cosine,
        .energy_kept = ratio(all.sent_norm2, all.input_norm2),
        .drift = totals->drift,
        .residual_norm = sqrt(ratio(all.residual_norm2, all.gradient_norm2)),
        .staleness = ratio(all.staleness, all.sent_norm1),
        .loss = totals->loss / encoders,
        .step_s = times->step_s / workers,
        .compute_s = times->compute_s / workers,
        .compress_s = times->compress_s / workers,
        .decompress_s = times->decompress_s / workers,
        .comm_s = times->comm_s / workers,
        .exposed_comm_s = times->exposed_comm_s / workers,
        .network_bytes = times->network_bytes,
        .nonfinite = totals->nonfinite,
        .union_density = totals->union_elements / (double)n,
        .fill_in = ratio(totals->union_elements * encoders, (double)all.sent),
        .consensus = totals->consensus,
        .delay = times->delay / workers,
        .host_joules = times->energy.host_J,
        .link_joules = times->energy.link_J,
        .joules = times->energy.host_J + times->energy.link_J,
    };
}

void egc_step_stats_unit_metrics(const egc_step_stats *stats, const egc_unit *unit, size_t u,
                                 egc_unit_metrics *out)
{
    double encoders = (double)stats->n_workers, elements = (double)unit->count;
    const egc_encoding *sum = &stats->units[u];
    *out = (egc_unit_metrics){
        .name = unit->name,
        .elements = elements,
        .sent = (double)sum->sent / encoders,
        .density = (double)sum->sent / encoders / elements,
        .wire_bytes = (double)sum->wire_bytes / encoders,
        .rel_error = sqrt(ratio(sum->error_norm2, sum->input_norm2)),
        .residual_norm = sqrt(ratio(sum->residual_norm2, sum->gradient_norm2)),
        .correction = stats->correction[u],
    };
}
