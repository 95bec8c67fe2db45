/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the sections of `egc-sim bench` hand to the command. */
#ifndef EGC_CLI_BENCH_BENCH_H
#define EGC_CLI_BENCH_BENCH_H

#include "base/error.h"

/* One figure of a benchmark. */
typedef struct egc_bench_row {
    const char *section, *name, *setting, *unit;
    double value;
} egc_bench_row;

typedef struct egc_bench_sink {
    void *arg;
    egc_status (*row)(void *arg, const egc_bench_row *row, egc_error *err);
} egc_bench_sink;

#endif
