/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment whose points run in milliseconds and misbehave on demand. */
#ifndef EGC_TESTS_FAKE_H
#define EGC_TESTS_FAKE_H

#include "base/file/path.h"
#include "experiment/run/runner.h"
#include "support/test.h"

/* 15 points: the methods topk, none, threshold (in this order: the dense run is not the first),
 * each with seeds 1..5. Axes: "method", "seed" and "workload.batch". */
enum { FAKE_METHODS = 3, FAKE_SEEDS = 5, FAKE_POINTS = FAKE_METHODS * FAKE_SEEDS, FAKE_STEPS = 4 };

typedef struct fake_study {
    egc_experiment experiment;
    egc_point points[FAKE_POINTS];
    const char *values[FAKE_POINTS][3];
    char seeds[FAKE_SEEDS][8];
} fake_study;

void fake_init(fake_study *fake);

/* What point mains read; children inherit it. */
typedef struct fake_behaviour {
    bool some_fail; /* topk with seed 1 crashes, 2 exits, 3 reports an error, 4 diverges, 5 runs
                       into the limit of simulated time */
    bool dense_fails;
    int hanging_seed; /* never ends, with method topk */
    int pause_ms;     /* a point takes up to this long */
    size_t steps;     /* 0: FAKE_STEPS */
} fake_behaviour;

extern fake_behaviour fake_now;

egc_status fake_main(const egc_train_config *config, const egc_train_sink *sink,
                     egc_train_summary *out, egc_error *err);

/* step_s of the fake run of a method. */
double fake_step_s(const char *method);

egc_runner_options fake_options(const char *dir, size_t jobs);

/* ---- files ----------------------------------------------------------------------------------- */

/* A folder of the test's own, empty; removed with everything in it by fake_folder_remove. */
egc_path fake_folder(void);
void fake_folder_remove(const egc_path *folder);

/* The text of DIR/NAME, to be freed with free; "" when there is none. */
char *fake_read(const char *dir, const char *name);

/* No file ends within a row. */
void assert_whole_rows(const char *dir);

/* All CSV files of two folders are the same bytes, and hold every point. */
void assert_same_results(const char *a, const char *b);

#endif
