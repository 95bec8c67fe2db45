/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manifest.json: what was run, with what, where and when, and every resolved parameter. Whatever
 * was measured on the host's clock is here and in no other file. */
#ifndef EGC_EXPERIMENT_RESULTS_MANIFEST_H
#define EGC_EXPERIMENT_RESULTS_MANIFEST_H

#include <jansson.h>

#include "experiment/results/results.h"
#include "experiment/spec/experiment.h"

typedef struct egc_version {
    const char *name; /* "SimGrid" */
    const char *version;
} egc_version;

/* What can change a result besides the experiment. */
typedef struct egc_provenance {
    const egc_version *versions;
    size_t n_versions;
    const char *kernels; /* in use: "avx2" */
} egc_provenance;

typedef struct egc_shard {
    size_t index; /* 1..count */
    size_t count;
} egc_shard;

/* A text as JSON; bytes that are not UTF-8 become '?'. NULL when out of memory. */
json_t *egc_json_text(const char *words);

/* A manifest of an experiment about to run. *out is the caller's (json_decref). MEMORY. */
egc_status egc_manifest_new(const egc_experiment *experiment, const egc_results_plan *plan,
                            const egc_provenance *provenance, egc_shard shard, json_t **out,
                            egc_error *err) EGC_MUST_CHECK;

/* Keeps the start of an earlier manifest of the same folder and counts the resumption. */
void egc_manifest_continue(json_t *manifest, const json_t *earlier);

/* Puts the state of each point into it: status, error, seconds on the host. */
egc_status egc_manifest_update(json_t *manifest, const egc_results *results,
                               egc_error *err) EGC_MUST_CHECK;

/* Notes the time of the end. */
egc_status egc_manifest_end(json_t *manifest, egc_error *err) EGC_MUST_CHECK;

/* Writes DIR/manifest.json, whole or not at all. IO, MEMORY. */
egc_status egc_manifest_write(const json_t *manifest, const char *dir,
                              egc_error *err) EGC_MUST_CHECK;

/* Reads DIR/manifest.json. *out is the caller's. IO, FORMAT. */
egc_status egc_manifest_read(const char *dir, json_t **out, egc_error *err) EGC_MUST_CHECK;

/* The run ids and dense runs that a manifest lists, in the order of the experiment's points.
 * FORMAT. Texts live in arena. */
egc_status egc_manifest_plan(const json_t *manifest, egc_arena *arena, egc_results_plan *out,
                             egc_error *err) EGC_MUST_CHECK;

/* Seconds that the point took on the host, NAN when unknown. manifest may be NULL. */
double egc_manifest_wall_s(const json_t *manifest, const char *run_id);

#endif
