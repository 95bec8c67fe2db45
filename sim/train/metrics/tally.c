/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "train/metrics/tally.h"

#include <math.h>
#include <string.h>

/* a / b, or NAN where there is nothing to divide by. */
static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
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

void egc_step_stats_metrics(const egc_step_times *times, const egc_step_stats *learnt,
                            size_t n_units, size_t n, size_t n_workers, egc_step_metrics *out)
{
    egc_step_stats sum = {.units = &(egc_encoding){0}};
    for (size_t u = 0; u < n_units; u++)
        egc_step_stats_add(&sum, 0, &learnt->units[u]);
    const egc_encoding *all = sum.units;
    const egc_step_totals *totals = &learnt->totals;
    double workers = (double)n_workers, learners = (double)learnt->n_workers;
    double elements = (double)n * learners;
    *out = (egc_step_metrics){
        .sent_bytes = totals->message_bytes / learners,
        .recv_bytes = times->recv_bytes / workers,
        .compression_ratio = ratio(4 * elements, totals->message_bytes),
        .element_ratio = ratio(elements, (double)all->sent),
        .bound_ratio = ratio(32 * elements, all->bound_bits),
        .density = (double)all->sent / elements,
        .rel_error = sqrt(ratio(all->error_norm2, all->input_norm2)),
        .cosine = totals->cosine,
        .energy_kept = ratio(all->sent_norm2, all->input_norm2),
        .drift = totals->drift,
        .residual_norm = sqrt(ratio(all->residual_norm2, all->gradient_norm2)),
        .staleness = ratio(all->staleness, all->sent_norm1),
        .loss = totals->loss / learners,
        .step_s = times->step_s / workers,
        .compute_s = times->compute_s / workers,
        .compress_s = times->compress_s / workers,
        .decompress_s = times->decompress_s / workers,
        .comm_s = times->comm_s / workers,
        .exposed_comm_s = times->exposed_comm_s / workers,
        .network_bytes = times->network_bytes,
        .nonfinite = totals->nonfinite,
        .union_density = totals->union_elements / (double)n,
        .fill_in = ratio(totals->union_elements * learners, (double)all->sent),
        .consensus = totals->consensus,
        .delay = times->delay / workers,
        .host_joules = times->energy.host_J,
        .link_joules = times->energy.link_J,
        .joules = times->energy.host_J + times->energy.link_J,
    };
}

void egc_step_stats_unit_metrics(const egc_step_stats *learnt, const egc_unit *unit, size_t u,
                                 egc_unit_metrics *out)
{
    double learners = (double)learnt->n_workers;
    const egc_encoding *sum = &learnt->units[u];
    *out = (egc_unit_metrics){
        .name = unit->name,
        .elements = unit->count,
        .sent = (double)sum->sent / learners,
        .wire_bytes = (double)sum->wire_bytes / learners,
        .rel_error = sqrt(ratio(sum->error_norm2, sum->input_norm2)),
        .residual_norm = sqrt(ratio(sum->residual_norm2, sum->gradient_norm2)),
        .correction = learnt->correction[u],
    };
}

/* ---- over the run: egc_step_metrics is a struct of doubles alone, walked as an array -------- */

enum { N_METRICS = sizeof(egc_step_metrics) / sizeof(double) };
_Static_assert(sizeof(egc_step_metrics) % sizeof(double) == 0, "only doubles");

void egc_metrics_sums_add(egc_metrics_sums *totals, const egc_step_metrics *step, double n)
{
    double values[N_METRICS], sums[N_METRICS], counts[N_METRICS];
    memcpy(values, step, sizeof values);
    memcpy(sums, &totals->sum, sizeof sums);
    memcpy(counts, &totals->count, sizeof counts);
    for (int i = 0; i < N_METRICS; i++)
        if (!isnan(values[i])) {
            sums[i] += values[i];
            counts[i]++;
        }
    memcpy(&totals->sum, sums, sizeof sums);
    memcpy(&totals->count, counts, sizeof counts);
    totals->dense_bits += 32 * n;
    if (!isnan(step->bound_ratio))
        totals->bound_bits += 32 * n / step->bound_ratio;
}

void egc_metrics_sums_mean(const egc_metrics_sums *totals, double n, egc_step_metrics *out)
{
    double sums[N_METRICS], counts[N_METRICS], means[N_METRICS];
    memcpy(sums, &totals->sum, sizeof sums);
    memcpy(counts, &totals->count, sizeof counts);
    for (int i = 0; i < N_METRICS; i++)
        means[i] = ratio(sums[i], counts[i]);
    memcpy(out, means, sizeof means);
    out->compression_ratio = ratio(4 * n, out->sent_bytes);
    out->element_ratio = ratio(1, out->density);
    out->bound_ratio = ratio(totals->dense_bits, totals->bound_bits);
    out->fill_in = ratio(out->union_density, out->density);
    out->network_bytes = totals->sum.network_bytes;
    out->nonfinite = totals->sum.nonfinite;
    out->host_joules *= totals->count.host_joules; /* no total where there is no mean */
    out->link_joules *= totals->count.link_joules;
    out->joules *= totals->count.joules;
}
