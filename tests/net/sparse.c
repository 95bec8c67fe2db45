/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exchanges that sum sparse messages, over a format of tests' own (sparse_format.h): every rank
 * gets the same bytes, which stand for the right sum or what should be kept of it, for awkward
 * numbers of ranks and lengths. Expected values come from dense vectors of all ranks, without any
 * exchange; times are closed_forms.c's. */
#include "support/test.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "sparse_format.h"

/* ---- results --------------------------------------------------------------------------------- */

enum { N = 997, KEPT = 40, THRESHOLD = 9, N_LENGTHS = 6 };

typedef enum shape {
    EQUAL,   /* all messages have as many elements, but for what is drawn twice */
    UNEQUAL, /* some none, some many more */
    CROWDED, /* all in the first of the parts */
    N_SHAPES
} shape;

typedef struct sparse_plan {
    const egc_sparse_type *type;
    shape shape;
    uint64_t *hashes; /* shared: of each length, of rank 0, then of rank 1 */
} sparse_plan;

static size_t length_of(int which, int p)
{
    const size_t lengths[N_LENGTHS] = {0, 1, (size_t)p - 1, (size_t)p, (size_t)p + 1, 300};
    return lengths[which];
}

/* Up to `count` whole numbers from -20 to 20, so that any order of additions is exact. */
static void fill(const sparse_plan *plan, int p, int rank, size_t count, float *vector)
{
    size_t room = plan->shape == CROWDED ? N / (size_t)p : N;
    if (plan->shape == UNEQUAL)
        count = rank % 3 == 1 ? 0 : count + (size_t)rank * 31;
    memset(vector, 0, N * sizeof *vector);
    for (size_t i = 0; i < count; i++) {
        uint64_t draw = egc_rng_derive_seed(7, (uint64_t)rank, i);
        vector[draw % room] = (float)((int)(draw >> 32) % 21);
    }
}

/* What all ranks' vectors give: `vectors` holds them, one after the other, and is used up. gTop-k
 * is defined by its tree. */
static const float *expected(const sparse_plan *plan, const format *f, int p, float *vectors,
                             entry *order)
{
    bool merges = plan->type->keeps && f->kept;
    for (int d = 1; d < p; d *= 2)
        for (int r = 0; r + d < p; r += 2 * d) {
            float *sum = vectors + r * N, *addend = vectors + (r + d) * N;
            for (size_t i = 0; i < N; i++)
                sum[i] += addend[i];
            if (merges)
                format_keep(f, sum, order);
        }
    if (plan->type->keeps && !merges)
        format_keep(f, vectors, order);
    return vectors;
}

static egc_status check_results(const worker *self, const format *f, const egc_buf *results,
                                const float *want, size_t count, uint64_t *hash, egc_error *err)
{
    const sparse_plan *plan = self->arg;
    int n_results = plan->type->many ? self->transport->size : 1;
    float got[N] = {0};
    egc_status status = EGC_OK;
    *hash = EGC_HASH_START;
    for (int r = 0; r < n_results && !status; r++) {
        status = format_add(f, &results[r], got, err);
        *hash = egc_hash(*hash, results[r].data, results[r].len);
    }
    for (size_t i = 0; i < N && !status; i++)
        if (got[i] != want[i])
            return egc_fail(err, EGC_ERROR_FORMAT, "rank %d, length %zu, element %zu: %g, want %g",
                            self->rank, count, i, got[i], want[i]);
    return status;
}

static egc_status sum_one(worker *self, size_t count, float *vectors, entry *order,
                          egc_buf *results, egc_exchange_scratch *scratch, uint64_t *hash,
                          egc_error *err)
{
    const sparse_plan *plan = self->arg;
    int p = self->transport->size;
    bool largest = strcmp(plan->type->name, "gtopk") == 0;
    format f = {N, true, largest ? KEPT : 0, THRESHOLD};
    egc_sparse_call call = {self->transport, &format_ops, &f, results, scratch};
    egc_buf mine = {0};
    for (int r = 0; r < p; r++)
        fill(plan, p, r, count, vectors + r * N);
    egc_status status = format_append(&f, vectors + self->rank * N, &mine, err);
    if (!status)
        status = plan->type->reduce(&call, &mine, err);
    if (!status)
        status = check_results(self, &f, results, expected(plan, &f, p, vectors, order), count,
                               hash, err);
    egc_buf_fini(&mine);
    return status;
}

static egc_status sum_all_lengths(worker *self, egc_error *err)
{
    const sparse_plan *plan = self->arg;
    size_t p = (size_t)self->transport->size;
    egc_exchange_scratch scratch = {0};
    float *vectors = egc_calloc(p * N, sizeof *vectors);
    entry *order = egc_calloc(N, sizeof *order);
    egc_buf *results = egc_calloc(p, sizeof *results);
    egc_status status =
        vectors && order && results ? EGC_OK : egc_fail_memory(err, p * N * sizeof *vectors);
    for (int which = 0; which < N_LENGTHS && !status; which++)
        status = sum_one(self, length_of(which, (int)p), vectors, order, results, &scratch,
                         &plan->hashes[self->rank * N_LENGTHS + which], err);
    for (size_t r = 0; r < p && results; r++)
        egc_buf_fini(&results[r]);
    egc_free(results);
    egc_free(order);
    egc_free(vectors);
    egc_exchange_scratch_fini(&scratch);
    return status;
}

static void sparse__every_sparse_exchange_delivers(void **state)
{
    (void)state;
    const int ranks[] = {1, 2, 3, 4, 5, 7, 8, 16, 33};
    for (const egc_sparse_type *const *type = egc_sparse_types(); *type; type++)
        for (size_t i = 0; i < N_SHAPES * sizeof ranks / sizeof *ranks; i++) {
            int p = ranks[i / N_SHAPES], cells = N_LENGTHS * p;
            sparse_plan plan = {*type, (shape)(i % N_SHAPES),
                                shared_memory((size_t)cells * sizeof(uint64_t))};
            net_trial trial = trial_of(p, 1e9, 1e-5, sum_all_lengths, &plan);
            outcome got = simulate(&trial);
            if (got.status)
                fail_msg("%s of %d ranks: %s", (*type)->name, p, got.err.message);
            for (int cell = 0; cell < cells; cell++)
                assert_int_equal(plan.hashes[cell], plan.hashes[cell % N_LENGTHS]);
        }
}

/* ---- times ----------------------------------------------------------------------------------- */

/* SparCML's switch: where half the elements are there or more, a message is as long as a dense
 * vector and never longer. 8 ranks with an eighth of the elements each, disjoint: sums of 1, 2 and
 * 4 messages are n/8 entries of 8 bytes, n/4, and then n floats of 4. */
static egc_status fill_in(worker *self, egc_error *err)
{
    enum { COUNT = 512 };
    const egc_sparse_type *type = self->arg;
    format f = {8 * COUNT, true, 0, 0};
    egc_exchange_scratch scratch = {0};
    egc_buf mine = {0}, result = {0};
    egc_sparse_call call = {self->transport, &format_ops, &f, &result, &scratch};
    egc_status status = EGC_OK;
    for (uint32_t i = 0; i < COUNT && !status; i++) {
        entry e = {i * 8 + (uint32_t)self->rank, 1};
        status = egc_buf_append(&mine, &e, sizeof e, err);
    }
    if (!status)
        status = type->reduce(&call, &mine, err);
    if (!status && result.len != f.n * sizeof(float))
        status = egc_fail(err, EGC_ERROR_FORMAT, "the sum has %zu bytes", result.len);
    if (!status && self->transport->sent_bytes != (1 + 2 + 4) * COUNT * 8.0)
        status = egc_fail(err, EGC_ERROR_FORMAT, "sent %g bytes", self->transport->sent_bytes);
    egc_buf_fini(&result);
    egc_buf_fini(&mine);
    egc_exchange_scratch_fini(&scratch);
    return status;
}

static void sparse__sums_that_fill_in_switch_to_dense(void **state)
{
    (void)state;
    egc_error err;
    const egc_sparse_type *sparcml;
    assert_ok(egc_sparse_find("sparcml", &sparcml, &err), err);
    net_trial trial = trial_of(8, 1e9, 1e-5, fill_in, sparcml);
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
}

/* ---- the registry ---------------------------------------------------------------------------- */

static void sparse__registry_names_every_sparse_exchange(void **state)
{
    (void)state;
    egc_error err;
    const egc_sparse_type *type;
    assert_ok(egc_sparse_find("ok-topk", &type, &err), err);
    assert_string_equal(type->name, "ok-topk");
    assert_fails(egc_sparse_find("topk", &type, &err), err, EGC_ERROR_NAME,
                 "unknown sparse exchange \"topk\"; valid: gtopk, sparcml, sparcml-split, ok-topk");
    for (const egc_sparse_type *const *t = egc_sparse_types(); *t; t++)
        assert_true((*t)->summary && (*t)->cost && (*t)->reference && (*t)->reduce &&
                    (*t)->closed_form);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse__registry_names_every_sparse_exchange),
        cmocka_unit_test(sparse__every_sparse_exchange_delivers),
        cmocka_unit_test(sparse__sums_that_fill_in_switch_to_dense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
