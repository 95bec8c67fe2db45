/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast this machine simulates. */
#ifndef EGC_CLI_BENCH_SIMULATOR_H
#define EGC_CLI_BENCH_SIMULATOR_H

#include "cli/bench/bench.h"

/* Messages, flows into one host, and actors, at several sizes: medians of up to three runs; then
 * steps of training. The time is the processor's, which on an idle machine is the time on the wall.
 * MEMORY, and what the sink says. */
egc_status egc_bench_simulator(const egc_bench_sink *sink, egc_error *err) EGC_MUST_CHECK;

/* Its last part: steps of training on many workers, of whom one learns. */
egc_status egc_bench_steps(const egc_bench_sink *sink, egc_error *err) EGC_MUST_CHECK;

/* Seconds that this process has computed so far, which has one thread and waits for nothing. */
double egc_bench_timer_processor_s(void);

#endif
