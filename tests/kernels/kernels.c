/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every kernel variant this CPU can run gives the bits of the scalar one and of a plain loop, for
 * every length around a block, at every alignment, next to pages nobody may touch. */
#include "support/test.h"

#include "kernels/kernels.h"
#include "support/inputs.h"

enum { N = 100, MAX_SHIFT = 5, BINS = 16 };

/* Outputs of all kernels on the same inputs, compared as bytes. */
typedef struct outputs {
    double norm2, dot;
    egc_norms momentum, nesterov, residual;
    float max_abs;
    float y[N], u[2][N], v[3][N];
    uint32_t counts[4 * BINS];
    size_t zeros, selected;
    uint32_t index[N];
} outputs;

/* Member by member: padding would differ. */
static void keep_norms(egc_norms *to, egc_norms from)
{
    to->norm2 = from.norm2;
    to->max_abs = from.max_abs;
}

static void run_all(const egc_kernels *k, const float *x, const float *g, size_t n, outputs *out)
{
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < n; i++) {
        out->y[i] = 0.25f * g[i];
        out->u[0][i] = out->u[1][i] = 0.5f * x[i];
        out->v[0][i] = out->v[1][i] = out->v[2][i] = g[i] - x[i];
    }
    out->norm2 = k->norm2(x, n);
    out->dot = k->dot(x, g, n);
    out->max_abs = k->max_abs(x, n);
    k->axpy(-1.3f, x, out->y, n);
    keep_norms(&out->momentum, k->momentum(0.9f, 0.7f, g, out->u[0], out->v[0], n));
    keep_norms(&out->nesterov, k->nesterov(0.9f, 0.7f, g, out->u[1], out->v[1], n));
    keep_norms(&out->residual, k->residual(0.7f, g, out->v[2], n));
    if (out->max_abs > 0)
        out->zeros = k->histogram(x, n, 0, (double)out->max_abs / BINS, BINS, out->counts);
    memset(out->counts + BINS, 0, 3 * BINS * sizeof *out->counts); /* working space */
    out->selected = k->select(x, n, out->max_abs / 3, out->index);
}

static void kernels__variants_agree(void **state)
{
    (void)state;
    egc_error err = {0};
    assert_ok(egc_kernels_use("scalar", &err), err);
    const egc_kernels *scalar = egc_kernels_get();
    static outputs want, got;
    for (const egc_kernels *const *k = egc_kernels_all(); *k; k++) {
        if (egc_kernels_use((*k)->name, &err) != EGC_OK) {
            print_message("skipped: %s\n", err.message);
            continue;
        }
        for (size_t n = 0; n <= N - MAX_SHIFT; n++)
            for (size_t shift = 0; shift < MAX_SHIFT; shift++)
                for (int family = 0; family < N_FAMILIES; family++) {
                    size_t bytes = (n + shift) * sizeof(float);
                    float *x = guarded(bytes), *g = guarded(bytes);
                    fill_input(x + shift, n, family, 1);
                    fill_input(g + shift, n, GAUSSIAN, 2);
                    run_all(scalar, x + shift, g + shift, n, &want);
                    run_all(*k, x + shift, g + shift, n, &got);
                    if (memcmp(&want, &got, sizeof want) != 0)
                        fail_msg("%s differs from scalar: n %zu, shift %zu, family %d", (*k)->name,
                                 n, shift, family);
                    free_guarded(x, bytes);
                    free_guarded(g, bytes);
                }
    }
}

static void kernels__do_what_they_say(void **state)
{
    (void)state;
    static outputs out;
    float x[N], g[N];
    for (size_t n = 0; n < N; n++) {
        fill_input(x, n, HEAVY_TAIL, 3);
        fill_input(g, n, GAUSSIAN, 4);
        run_all(egc_kernels_get(), x, g, n, &out);
        double norm2 = 0, dot = 0;
        float max = 0;
        size_t selected = 0, counted = 0;
        for (size_t i = 0; i < n; i++) {
            norm2 += (double)x[i] * (double)x[i];
            dot += (double)x[i] * (double)g[i];
            max = fmaxf(max, fabsf(x[i]));
            assert_true(out.y[i] == 0.25f * g[i] + -1.3f * x[i]);
            float u = 0.9f * (0.5f * x[i]) + 0.7f * g[i];
            assert_true(out.u[0][i] == u && out.v[0][i] == (g[i] - x[i]) + u);
            u = 0.9f * (0.5f * x[i] + 0.7f * g[i]);
            assert_true(out.u[1][i] == u && out.v[1][i] == (g[i] - x[i]) + (u + 0.7f * g[i]));
            assert_true(out.v[2][i] == (g[i] - x[i]) + 0.7f * g[i]);
        }
        for (size_t i = 0; i < n; i++)
            if (fabsf(x[i]) >= max / 3)
                assert_int_equal(out.index[selected++], i);
        assert_int_equal(selected, out.selected);
        for (int b = 0; b < BINS; b++)
            counted += out.counts[b];
        assert_int_equal(counted, max > 0 ? n : 0);
        assert_true(out.max_abs == max);
        assert_close(out.norm2, norm2, 1e-14 * (double)(n + 1));
        const egc_norms norms[] = {out.momentum, out.nesterov, out.residual};
        for (int k = 0; k < 3; k++) {
            assert_true(norms[k].norm2 == egc_kernels_get()->norm2(out.v[k], n));
            assert_true(norms[k].max_abs == egc_kernels_get()->max_abs(out.v[k], n));
        }
        assert_true(fabs(out.dot - dot) <= 1e-13 * sqrt(norm2));
    }
}

static void kernels__nonfinite_shows_in_norm2(void **state)
{
    (void)state;
    float x[N];
    for (size_t i = 0; i < N; i++) {
        fill_input(x, N, GAUSSIAN, 5);
        x[(i + 1) % N] = 3.4e38f; /* large, and finite */
        assert_true(isfinite(egc_kernels_get()->norm2(x, N)));
        x[i] = i % 2 ? NAN : -INFINITY;
        assert_false(isfinite(egc_kernels_get()->norm2(x, N)));
    }
}

static void kernels__unknown_variants_are_named(void **state)
{
    (void)state;
    egc_error err;
    egc_status status = egc_kernels_use("neon", &err);
    assert_int_equal(status, EGC_ERROR_NAME);
    assert_non_null(strstr(err.message, "unknown kernels \"neon\"; valid: "));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels__variants_agree),
        cmocka_unit_test(kernels__do_what_they_say),
        cmocka_unit_test(kernels__nonfinite_shows_in_norm2),
        cmocka_unit_test(kernels__unknown_variants_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
