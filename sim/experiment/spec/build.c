/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep is expanded, filtered, and resolved point by point. The filter sees a resolved point in
 * scratch memory; only the points that it keeps are checked and stored. */
#include "experiment/spec/build.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "experiment/spec/identity.h"
#include "experiment/spec/index.h"
#include "experiment/spec/sweep.h"
#include "train/run.h"

typedef struct builder {
    egc_experiment *experiment;
    const egc_spec *root;
    egc_sweep sweep;
    egc_device_profiles devices;
    egc_point_filter filter;
    void *filter_arg;
    egc_error *err;
} builder;

/* ---- name ---------------------------------------------------------------------------------- */

/* True for a name that can also be a folder: results/NAME. */
static bool names_a_folder(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            return false;
    return *name && *name != '.' && strlen(name) < 128;
}

static egc_status set_name(builder *b, const char *default_name)
{
    const egc_spec *value = egc_spec_get(b->root, "name");
    bool is_text = value && value->kind == EGC_SPEC_SCALAR && value->scalar.kind == EGC_SCALAR_TEXT;
    if (value && !is_text)
        return egc_fail(b->err, EGC_ERROR_RANGE, "%s: name: must be one text for all points",
                        value->where);
    const char *name = is_text ? value->scalar.text : default_name;
    if (!names_a_folder(name))
        return egc_fail(b->err, EGC_ERROR_RANGE,
                        "%s: name: must be letters, digits, '-', '_' and '.', not start with '.' "
                        "and be shorter than 128, got \"%s\"",
                        b->root->where, name);
    b->experiment->name = egc_arena_strdup(&b->experiment->arena, name);
    return b->experiment->name ? EGC_OK : egc_fail_memory(b->err, strlen(name));
}

/* ---- points -------------------------------------------------------------------------------- */

/* Stores in list the points that the filter keeps, and counts them. */
static egc_status filter_points(const builder *b, const egc_spec **list, size_t *n_kept)
{
    egc_arena scratch = {0};
    egc_status status = EGC_OK;
    *n_kept = 0;
    for (size_t i = 0; i < b->sweep.n_points && !status; i++) {
        egc_train_config config;
        bool keep = true;
        if (b->filter) {
            egc_arena_reset(&scratch);
            status = egc_resolve(&scratch, b->devices, b->sweep.points[i], &config, b->err);
            if (!status)
                status = b->filter(b->filter_arg, &config, &keep, b->err);
        }
        if (!status && keep)
            list[(*n_kept)++] = b->sweep.points[i];
    }
    egc_arena_fini(&scratch);
    if (!status && *n_kept == 0)
        return egc_fail(b->err, EGC_ERROR_RANGE, "%s: where: drops all %zu points", b->root->where,
                        b->sweep.n_points);
    return status;
}

/* Called for kept points only: the filter may drop points whose parts do not fit together. */
static egc_status check_point(const egc_point *point, egc_error *err)
{
    if (egc_method_check(&point->config.method, err))
        return egc_error_prefix(err, "%s: method", egc_spec_get(point->spec, "method")->where);
    if (egc_train_run_check(&point->config, err))
        return egc_error_prefix(err, "%s", point->spec->where);
    return EGC_OK;
}

static egc_status make_point(const builder *b, const egc_spec *spec, egc_point *point)
{
    egc_arena *arena = &b->experiment->arena;
    point->spec = spec;
    egc_status status = egc_resolve(arena, b->devices, spec, &point->config, b->err);
    if (!status)
        status = egc_resolve_cost(arena, spec, &point->config, b->err);
    if (!status)
        status = check_point(point, b->err);
    if (!status)
        status = egc_identity_run_id(&point->config, point->run_id, b->err);
    return status ? status : egc_sweep_values(arena, &b->sweep, spec, &point->axis_values, b->err);
}

static egc_status make_points(const builder *b)
{
    egc_experiment *experiment = b->experiment;
    egc_arena *arena = &experiment->arena;
    size_t n_kept, n = b->sweep.n_points;
    const egc_spec **kept = egc_arena_alloc(arena, n * sizeof *kept);
    egc_status status = kept ? filter_points(b, kept, &n_kept) : egc_fail_memory(b->err, n);
    if (status)
        return status;
    experiment->points = egc_arena_alloc(arena, n_kept * sizeof *experiment->points);
    if (!experiment->points)
        return egc_fail_memory(b->err, n_kept * sizeof *experiment->points);
    experiment->n_points = n_kept;
    for (size_t i = 0; i < n_kept && !status; i++)
        status = make_point(b, kept[i], &experiment->points[i]);
    return status;
}

/* ---- equal points -------------------------------------------------------------------------- */

/* Appends "3 (method=topk ratio=0.01, seed=1)". */
static void put_point(egc_buf *out, const egc_experiment *experiment, size_t i)
{
    egc_text_put(out, "%zu", i + 1);
    for (size_t a = 0; a < experiment->n_axes; a++)
        egc_text_put(out, "%s%s=%s", a ? ", " : " (", experiment->axes[a],
                     experiment->points[i].axis_values[a]);
    egc_text_put(out, "%s", experiment->n_axes ? ")" : "");
}

static egc_status fail_equal(const builder *b, size_t first, size_t second)
{
    egc_buf text = {0};
    put_point(&text, b->experiment, first);
    egc_text_put(&text, " and ");
    put_point(&text, b->experiment, second);
    egc_status status =
        egc_fail(b->err, EGC_ERROR_RANGE, "%s: points must differ, got equal ones: %s",
                 b->root->where, egc_text_get(&text));
    egc_buf_fini(&text);
    return status;
}

/* Reports the first point that has an equal one. */
static egc_status check_distinct(const builder *b)
{
    egc_index runs = {0};
    size_t first = EGC_INDEX_NONE, second = 0;
    for (size_t i = 0; i < b->experiment->n_points; i++) {
        size_t equal = egc_index_add(&runs, b->experiment->points[i].run_id, i);
        if (equal != i && equal < first)
            first = equal, second = i;
    }
    egc_status status = egc_index_check(&runs, b->err);
    egc_index_fini(&runs);
    return !status && first != EGC_INDEX_NONE ? fail_equal(b, first, second) : status;
}

egc_status egc_spec_build(egc_experiment *experiment, const egc_spec *root,
                          const char *default_name, egc_device_profiles devices,
                          egc_point_filter filter, void *arg, egc_error *err)
{
    builder b = {
        .experiment = experiment,
        .root = root,
        .devices = devices,
        .filter = filter,
        .filter_arg = arg,
        .err = err,
    };
    egc_status status = set_name(&b, default_name);
    if (!status)
        status = egc_sweep_expand(&experiment->arena, root, &b.sweep, err);
    experiment->axes = b.sweep.axes;
    experiment->n_axes = b.sweep.n_axes;
    if (!status)
        status = make_points(&b);
    return status ? status : check_distinct(&b);
}
