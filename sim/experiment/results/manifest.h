/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manifest.json: the experiment with every resolved parameter, the versions and the host that it
 * ran on, and its times. No other file holds times measured on the host. */
#ifndef EGC_EXPERIMENT_RESULTS_MANIFEST_H
#define EGC_EXPERIMENT_RESULTS_MANIFEST_H

#include "base/json/json.h"
#include "experiment/results/results.h"
#include "experiment/spec/experiment.h"

typedef struct egc_version {
    const char *name; /* "SimGrid" */
    const char *version;
} egc_version;

/* Everything besides the experiment that can change a result. */
typedef struct egc_provenance {
    const egc_version *versions;
    size_t n_versions;
    const char *kernels; /* variant in use: "avx2" */
} egc_provenance;

typedef struct egc_shard {
    size_t index; /* 1..count */
    size_t count;
} egc_shard;

/* Makes the manifest of an experiment that is about to run. *out is the caller's (json_decref).
 * MEMORY. */
egc_status egc_manifest_new(const egc_experiment *experiment, const egc_results_plan *plan,
                            const egc_provenance *provenance, egc_shard shard, json_t **out,
                            egc_error *err) EGC_MUST_CHECK;

/* Takes the start from the manifest of the run that is resumed, and counts resumptions. */
void egc_manifest_continue(json_t *manifest, const json_t *earlier);

/* Replaces times and failures by those of the finished points. MEMORY. */
egc_status egc_manifest_update(json_t *manifest, const egc_results *results,
                               egc_error *err) EGC_MUST_CHECK;

/* Sets the end to the present time. MEMORY. */
egc_status egc_manifest_end(json_t *manifest, egc_error *err) EGC_MUST_CHECK;

/* Writes DIR/manifest.json as an atomic file. IO, MEMORY. */
egc_status egc_manifest_write(const json_t *manifest, const char *dir,
                              egc_error *err) EGC_MUST_CHECK;

/* Reads DIR/manifest.json. *out is the caller's (json_decref). IO, FORMAT. */
egc_status egc_manifest_read(const char *dir, json_t **out, egc_error *err) EGC_MUST_CHECK;

/* Makes a plan, without tables, of the points that a manifest lists, in arena. FORMAT, MEMORY. */
egc_status egc_manifest_plan(const json_t *manifest, egc_arena *arena, egc_results_plan *out,
                             egc_error *err) EGC_MUST_CHECK;

/* Duration of a point on the host in seconds; NAN if it is unknown or manifest is NULL. */
double egc_manifest_wall_s(const json_t *manifest, const char *run_id);

#endif
