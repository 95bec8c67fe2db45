/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings: groups of runs that may stand in one figure, because they agree in every column that
 * the figure neither compares nor draws. */
#ifndef EGC_PLOT_SETTING_H
#define EGC_PLOT_SETTING_H

#include "experiment/results/csv.h"

/* How much of the network belongs to a setting; it depends on the figure. */
typedef enum egc_scope {
    EGC_SCOPE_LINK,     /* a setting has one bandwidth */
    EGC_SCOPE_NETWORK,  /* a setting has every bandwidth of one cluster */
    EGC_SCOPE_WORKLOAD, /* a setting has every cluster: the figure does not depend on the network */
    EGC_SCOPES,
} egc_scope;

typedef struct egc_setting {
    const char *key;   /* the texts of the columns in which its runs agree */
    const char *title; /* "compare: train cnn, 8 workers" */
} egc_setting;

/* A run or an evaluation without series or setting. */
#define EGC_SETTING_NONE ((size_t)-1)

typedef struct egc_settings {
    egc_setting *items;
    size_t n;
    size_t *of_run; /* position in items of each run, or EGC_SETTING_NONE */
} egc_settings;

/* Groups the rows of runs, except those whose series_of_run is EGC_SETTING_NONE. The arena owns all
 * that *out points to. MEMORY. */
egc_status egc_setting_arrange(const egc_csv_table *runs, const size_t *series_of_run,
                               egc_scope scope, egc_arena *arena, egc_settings *out,
                               egc_error *err) EGC_MUST_CHECK;

#endif
