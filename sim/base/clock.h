/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host's clock. What it says differs from run to run: it belongs in manifests and benchmarks,
 * and in no result but those that say so. */
#ifndef EGC_BASE_CLOCK_H
#define EGC_BASE_CLOCK_H

/* Seconds from an arbitrary start; never goes back. */
double egc_clock_now(void);

#endif
