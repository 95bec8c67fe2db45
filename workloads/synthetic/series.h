/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stationary series of normal variables, each of which can be computed without those before:
 * close to the autoregressive series of first order, z_t = r z_(t-1) + sqrt(1 - r^2) e_t.
 *
 * Every step t has an innovation e_t, an independent standard normal variable. At the multiples of
 * D = 2^q, z is the innovation itself. In the middle of two steps l and r, d apart, whose z are
 * known and have the correlation c,
 *
 *     z_m = a (z_l + z_r) + sqrt(1 - 2 a^2 (1 + c)) e_m,    a = r^(d/2) / (1 + c)
 *
 * which has variance 1 and correlation r^(d/2) with both: the bridge between two points of the
 * autoregressive series. D is the first power of two with r^D <= 1/64; that correlation is taken as
 * 0. So each z is a weighted sum of at most q + 2 innovations, and consecutive steps have
 * correlation r exactly.
 *
 * Known answer: for r = 1/8, D = 2 and z_1 = (e_0 + e_2) / 8 + sqrt(31/32) e_1. */
#ifndef EGC_WORKLOADS_SYNTHETIC_SERIES_H
#define EGC_WORKLOADS_SYNTHETIC_SERIES_H

#include <stddef.h>
#include <stdint.h>

enum { EGC_SERIES_MOST = 66 };

typedef struct egc_series {
    size_t n;
    uint64_t step[EGC_SERIES_MOST]; /* step of each innovation */
    double weight[EGC_SERIES_MOST]; /* their squares sum to 1 */
} egc_series;

/* The innovations of z at this step. correlation is in [0, 1]; 1 makes all steps equal. */
void egc_series_at(double correlation, uint64_t step, egc_series *out);

#endif
