/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock of the host. It differs from run to run, so results must not depend on it: it is for
 * manifests, benchmarks, and rows of cost = "measured", which say so. */
#ifndef EGC_BASE_CLOCK_H
#define EGC_BASE_CLOCK_H

/* Seconds since an arbitrary start. Never decreases. */
double egc_clock_now(void);

#endif
