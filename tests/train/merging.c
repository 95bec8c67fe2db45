/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training over exchanges that sum sparse messages: it learns what the same sums of dense vectors
 * teach, on any number of workers; what supports have in common is reported; methods that can not
 * be summed so are refused. */
#include "train/quadratic.h"

enum { WORKERS_MAX = 8 };

static const egc_sparse_type *sparse_type(const char *name)
{
    const egc_sparse_type *type;
    egc_error err = {0};
    assert_ok(egc_sparse_find(name, &type, &err), err);
    return type;
}

/* As the quadratic workload, with targets of which no two sums are as large: another order of
 * additions changes no choice. */
static egc_status spread_gradient(egc_workload *w, uint64_t step, size_t worker, const float *x,
                                  float *g, double *loss, egc_error *err)
{
    (void)w, (void)step, (void)err;
    *loss = 0;
    for (size_t i = 0; i < N; i++)
        g[i] = x[i] - (float)egc_rng_derive_seed(9, worker, i) * 0x1p-64f;
    return EGC_OK;
}

static const egc_workload_type spread = {
    .name = "spread",
    .closed_loop = true,
    .state_size = 1,
    .open = open_quadratic,
    .initialize = initialize,
    .gradient = spread_gradient,
    .evaluate = evaluate,
    .close = close_quadratic,
};

/* ---- by hand, with dense vectors ------------------------------------------------------------- */

static const struct part {
    size_t first, n;
} parts[] = {{0, SMALL}, {SMALL, LARGE}};

enum { PERCENT = 10 };

static int by_magnitude(const void *a, const void *b)
{
    const float *x = *(const float *const *)a, *y = *(const float *const *)b;
    float left = fabsf(*x), right = fabsf(*y);
    return left != right ? (left < right) - (left > right) : (x > y) - (x < y);
}

/* Leaves the k largest of a part, first come first served; the k-th largest magnitude. */
static float keep_largest(float *vector, const struct part *part)
{
    static const float *order[N];
    static bool kept[N];
    size_t k = part->n * PERCENT / 100;
    for (size_t i = 0; i < part->n; i++)
        order[i] = &vector[part->first + i];
    memset(kept, 0, sizeof kept);
    qsort(order, part->n, sizeof *order, by_magnitude);
    float least = fabsf(*order[k - 1]);
    for (size_t i = 0; i < k; i++)
        kept[order[i] - vector] = true;
    for (size_t i = part->first; i < part->first + part->n; i++)
        if (!kept[i])
            vector[i] = 0;
    return least;
}

/* Leaves the sum, or what is kept of it, in sent[0], which the exchange's own tree makes for
 * gTop-k. */
static void sum_by_hand(const char *exchange, int workers, uint64_t step, float sent[][N],
                        float *threshold)
{
    bool gtopk = strcmp(exchange, "gtopk") == 0, oktopk = strcmp(exchange, "ok-topk") == 0;
    for (int d = 1; d < workers; d *= 2)
        for (int r = 0; r + d < workers; r += 2 * d) {
            for (size_t i = 0; i < N; i++)
                sent[r][i] += sent[r + d][i];
            for (int u = 0; u < 2 && gtopk; u++)
                keep_largest(sent[r], &parts[u]);
        }
    for (int u = 0; u < 2 && oktopk; u++) {
        if (step % 32 == 0)
            threshold[u] = keep_largest(sent[0], &parts[u]);
        for (size_t i = parts[u].first; i < parts[u].first + parts[u].n; i++)
            if (fabsf(sent[0][i]) < threshold[u])
                sent[0][i] = 0;
    }
}

static double norm2(const float *x)
{
    double sum = 0;
    for (size_t i = 0; i < N; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

/* Momentum SGD on the mean of the elements kept of top-k's messages, with residuals of the rest.
 * Returns the sum of the parameters, which the workload calls its loss, and for each step the norm
 * of all workers' residuals over that of their gradients. */
static double train_by_hand(const char *exchange, int workers, int steps, double *residual_norm)
{
    static float x[N], b[N], g[N], e[WORKERS_MAX][N], sent[WORKERS_MAX][N], own[WORKERS_MAX][N];
    float threshold[2] = {0, 0};
    double loss = 0;
    egc_error err;
    bool drops = strncmp(exchange, "sparcml", 7) != 0;
    memset(x, 0, sizeof x);
    memset(b, 0, sizeof b);
    memset(e, 0, sizeof e);
    for (uint64_t step = 0; step < (uint64_t)steps; step++) {
        double gradients = 0, residuals = 0;
        for (int w = 0; w < workers; w++) {
            assert_int_equal(spread_gradient(NULL, step, (size_t)w, x, g, &loss, &err), EGC_OK);
            for (size_t i = 0; i < N; i++)
                sent[w][i] = e[w][i] += g[i];
            for (int u = 0; u < 2; u++)
                keep_largest(sent[w], &parts[u]);
            gradients += norm2(g);
        }
        memcpy(own, sent, sizeof own);
        sum_by_hand(exchange, workers, step, sent, threshold);
        for (size_t i = 0; i < N; i++) {
            for (int w = 0; w < workers; w++)
                if (!drops || sent[0][i] != 0)
                    e[w][i] -= own[w][i];
            b[i] = 0.5f * b[i] + sent[0][i] / (float)workers;
            x[i] -= 0.05f * b[i];
        }
        for (int w = 0; w < workers; w++)
            residuals += norm2(e[w]);
        residual_norm[step] = sqrt(residuals / gradients);
    }
    double sum = 0;
    for (size_t i = 0; i < N; i++)
        sum += (double)x[i];
    return sum;
}

static egc_train_config config_over(const char *exchange, int workers, int steps)
{
    egc_train_config config = config_of(&spread, "topk", workers, steps);
    set(&config, "ratio", "0.1");
    set(&config, "granularity", "layer");
    config.sparse = sparse_type(exchange);
    return config;
}

static void merging__sums_of_messages_teach_what_sums_of_vectors_do(void **state)
{
    (void)state;
    for (const egc_sparse_type *const *type = egc_sparse_types(); *type; type++)
        for (int workers = 1; workers <= WORKERS_MAX; workers += workers == 5 ? 3 : 1) {
            egc_train_config config = config_over((*type)->name, workers, 40);
            const result *r = run(&config);
            if (r->status)
                fail_msg("%s of %d: %s", (*type)->name, workers, r->err.message);
            double residual_norm[40], got = r->summary.metrics.test_loss;
            double want = train_by_hand((*type)->name, workers, 40, residual_norm);
            for (int step = 0; step < 40; step++)
                assert_close(r->step[step].residual_norm, residual_norm[step], 1e-4);
            if (!(fabs(got - want) <= 1e-5 * fabs(want)))
                fail_msg("%s of %d workers: %.9g learnt, %.9g by hand", (*type)->name, workers, got,
                         want);
            assert_string_equal(r->summary.exchange, (*type)->name);
        }
}

/* Elements that an exchange drops are kept by error feedback alone. */
static void merging__nothing_is_kept_without_error_feedback(void **state)
{
    (void)state;
    for (const egc_sparse_type *const *type = egc_sparse_types(); *type; type++) {
        egc_train_config config = config_over((*type)->name, 4, 5);
        set(&config, "memory", "none");
        const result *r = run(&config);
        assert_int_equal(r->status, EGC_OK);
        for (int step = 0; step < 5; step++)
            assert_true(r->step[step].residual_norm == 0 && r->step[step].rel_error > 0.5);
    }
}

/* Buckets, codecs and units sent dense change bytes alone. */
static void merging__codings_learn_the_same(void **state)
{
    (void)state;
    static const char *const indices[] = {"auto", "raw32", "varint"};
    for (const egc_sparse_type *const *type = egc_sparse_types(); *type; type++) {
        double bytes[3];
        for (int i = 0; i < 3; i++) {
            egc_train_config config = config_over((*type)->name, 5, 10);
            set(&config, "index", indices[i]);
            config.options.bucket_bytes = i ? EGC_BUCKET_LAYER : EGC_BUCKET_MODEL;
            const result *r = run(&config);
            assert_int_equal(r->status, EGC_OK);
            double residual_norm[10], want = train_by_hand((*type)->name, 5, 10, residual_norm);
            if (!(fabs(r->summary.metrics.test_loss - want) <= 1e-5 * want))
                fail_msg("%s, index %s: %.9g learnt, %.9g by hand", (*type)->name, indices[i],
                         r->summary.metrics.test_loss, want);
            bytes[i] = r->summary.metrics.network_bytes;
        }
        assert_true(bytes[1] > 1.2 * bytes[0]);
        if (strcmp((*type)->name, "ok-topk") == 0)
            continue; /* what is below its threshold waits */
        egc_train_config config = config_over((*type)->name, 5, 10);
        set(&config, "dense_vectors", "true");
        set(&config, "ratio", "1"); /* everything is sent, whichever way */
        const result *r = run(&config);
        config.sparse = NULL;
        const result *plain = run(&config);
        assert_close(r->summary.metrics.test_loss, plain->summary.metrics.test_loss, 1e-5);
    }
}

/* Merging takes device time, which is communication's. */
static void merging__is_charged(void **state)
{
    (void)state;
    for (const egc_sparse_type *const *type = egc_sparse_types(); *type; type++) {
        egc_train_config config = config_over((*type)->name, 4, 3);
        double free_s = run(&config)->summary.metrics.comm_s;
        config.options.cost = EGC_COST_MODEL;
        assert_true(run(&config)->summary.metrics.comm_s > free_s + 4e-6);
    }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void merging__methods_that_cannot_be_summed_are_refused(void **state)
{
    (void)state;
    egc_error err;
    egc_train_config config = config_of(&closed, "none", 4, 1);
    config.sparse = sparse_type("sparcml");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "exchange: sparcml sums sparse messages: none sends every element, in bytes of "
                 "its own; use a method that chooses elements, such as topk");
    config = config_of(&closed, "egc", 4, 1);
    set(&config, "lr_correction", "none");
    set(&config, "value", "fp32");
    config.sparse = sparse_type("gtopk");
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "exchange: gtopk sums sparse messages: egc does not say how many elements to "
                 "keep of a sum; use a method with a ratio, such as topk");
    config.sparse = sparse_type("sparcml-split");
    assert_int_equal(egc_train_run_check(&config, &err), EGC_OK);
    assert_int_equal(run(&config)->status, EGC_OK);
    config.options.bucket_bytes = EGC_BUCKET_MERGE;
    assert_fails(egc_train_run_check(&config, &err), err, EGC_ERROR_UNSUPPORTED,
                 "bucket: merge is planned by how long an exchange takes, which of exchange "
                 "sparcml-split depends on the data; give a size, layer or model");
}

/* ---- fill-in --------------------------------------------------------------------------------- */

static bool alike; /* all workers have the gradient of worker 0 */

static egc_status noise(egc_workload *w, uint64_t step, size_t worker, const float *x, float *g,
                        double *loss, egc_error *err)
{
    (void)w, (void)x, (void)err;
    *loss = 0;
    for (size_t i = 0; i < N; i++)
        g[i] = (float)egc_rng_derive_seed(step, alike ? 0 : worker, i) * 0x1p-64f - 0.5f;
    return EGC_OK;
}

static const egc_workload_type noisy = {
    .name = "noise",
    .state_size = 1,
    .open = open_quadratic,
    .gradient = noise,
    .close = close_quadratic,
};

/* k of d positions at random by each of P: d (1 - (1 - k/d)^P) of them are taken in the mean. */
static void merging__supports_fill_in_as_they_should(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 16; workers *= 2)
        for (int merged = 0; merged < 2; merged++) {
            egc_train_config config = config_of(&noisy, "topk", workers, MAX_STEPS);
            set(&config, "ratio", "0.05");
            set(&config, "memory", "none");
            config.sparse = merged ? sparse_type("gtopk") : NULL;
            const result *r = run(&config);
            double want = 1 - pow(1 - 0.05, workers), got = r->summary.metrics.union_density;
            assert_close(got, want, 0.02);
            assert_close(r->summary.metrics.fill_in, got / 0.05, 1e-9);
            assert_close(r->step[3].fill_in, r->step[3].union_density / r->step[3].density, 1e-12);
            alike = true;
            r = run(&config);
            assert_close(r->summary.metrics.fill_in, 1, 1e-12);
            alike = false;
        }
    egc_train_config config = config_of(&noisy, "randomk", 4, 2); /* the same on all workers */
    assert_close(run(&config)->summary.metrics.fill_in, 1, 1e-12);
    config = config_of(&noisy, "qsgd", 4, 2); /* chooses none */
    assert_true(isnan(run(&config)->summary.metrics.fill_in));
}

/* ---- what links can carry -------------------------------------------------------------------- */

static void understate(const void *params, egc_cluster_paths *paths)
{
    (void)params;
    paths->host_Bps /= 2;
}

/* A cluster that says its hosts are half as fast as they are looks like a simulation that lets
 * twice the bytes through. */
static void merging__more_than_links_carry_is_noticed(void **state)
{
    (void)state;
    egc_train_config config = config_of(&open_loop, "none", 4, 2);
    egc_cluster_type liar = *config.cluster;
    config.options.overlap = false;
    char *cluster = (char *)config.cluster_params;
    egc_error err = {0};
    egc_scalar latency = {.kind = EGC_SCALAR_TEXT, .text = "1ns"};
    assert_ok(
        egc_param_set(egc_param_find(config.cluster->params, "latency"), cluster, &latency, &err),
        err);
    assert_int_equal(run(&config)->status, EGC_OK);
    liar.paths = understate;
    config.cluster = &liar;
    const result *r = run(&config);
    assert_int_equal(r->status, EGC_ERROR_SIMULATION);
    assert_non_null(strstr(r->err.message, "step 0: bucket 0: exchange: 6000 bytes passed in "));
    assert_non_null(strstr(r->err.message, "more than the 6.25e+07 B/s of the fastest host"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merging__sums_of_messages_teach_what_sums_of_vectors_do),
        cmocka_unit_test(merging__nothing_is_kept_without_error_feedback),
        cmocka_unit_test(merging__codings_learn_the_same),
        cmocka_unit_test(merging__is_charged),
        cmocka_unit_test(merging__methods_that_cannot_be_summed_are_refused),
        cmocka_unit_test(merging__supports_fill_in_as_they_should),
        cmocka_unit_test(merging__more_than_links_carry_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
