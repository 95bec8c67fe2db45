/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every registered exchange gives every rank the right bytes, for awkward numbers of ranks and
 * awkward lengths. Expected values are computed from the inputs of all ranks, without any
 * exchange. Workers check inside the simulation and fail the run with what they found. */
#include "support/test.h"

#include "base/mem.h"
#include "base/rng.h"
#include "simulate.h"

static const int rank_counts[] = {1, 2, 3, 4, 5, 7, 8, 16, 33};
enum { N_RANK_COUNTS = sizeof rank_counts / sizeof *rank_counts, N_LENGTHS = 6, LARGE = 20011 };

typedef struct exchange_plan {
    const egc_exchange_type *type;
    uint64_t *hashes; /* shared: rank 0's result of each length */
} exchange_plan;

static size_t length_of(int which, int p)
{
    const size_t lengths[N_LENGTHS] = {0, 1, (size_t)p - 1, (size_t)p, (size_t)p + 1, LARGE};
    return lengths[which];
}

/* ---- reducing ------------------------------------------------------------------------------ */

/* Whole numbers small enough for any order of additions to be exact. */
static float whole_input(int rank, size_t i)
{
    return (float)((int)(egc_seed_derive(1, (uint64_t)rank, i) % 2001) - 1000);
}

/* Numbers whose sum depends on the order of additions. */
static float real_input(int rank, size_t i)
{
    return (float)egc_seed_derive(2, (uint64_t)rank, i) / 18446744073709551616.0f - 0.5f;
}

typedef float (*input)(int rank, size_t i);

static egc_status check_sums(const worker *self, const float *data, size_t n, input in,
                             double tolerance, egc_error *err)
{
    for (size_t i = 0; i < n; i++) {
        double want = 0;
        for (int r = 0; r < self->transport->size; r++)
            want += in(r, i);
        if (!(fabs(data[i] - want) <= tolerance))
            return egc_fail(err, EGC_ERROR_FORMAT, "rank %d, n %zu, element %zu: %g, want %g",
                            self->rank, n, i, data[i], want);
    }
    return EGC_OK;
}

static egc_status reduce_one(worker *self, size_t n, input in, double tolerance, uint64_t *hash,
                             egc_exchange_scratch *scratch, egc_error *err)
{
    const exchange_plan *plan = self->arg;
    float *data = egc_calloc(n + 1, sizeof *data);
    if (!data)
        return egc_fail_memory(err, n);
    for (size_t i = 0; i < n; i++)
        data[i] = in(self->rank, i);
    data[n] = 42;
    egc_status status =
        plan->type->reduce(self->transport, EGC_ELEMENT_FP32, data, n, scratch, err);
    if (!status)
        status = check_sums(self, data, n, in, tolerance, err);
    if (!status && data[n] != 42)
        status = egc_fail(err, EGC_ERROR_FORMAT, "wrote past the end, n %zu", n);
    *hash = egc_hash(EGC_HASH_START, data, n * sizeof *data);
    egc_free(data);
    return status;
}

static egc_status reduce_all_lengths(worker *self, egc_exchange_scratch *scratch, egc_error *err)
{
    const exchange_plan *plan = self->arg;
    egc_status status = EGC_OK;
    for (int which = 0; which < N_LENGTHS && !status; which++) {
        size_t n = length_of(which, self->transport->size);
        uint64_t hash;
        status = reduce_one(self, n, whole_input, 0, &hash, scratch, err);
        if (!status)
            status = reduce_one(self, n, real_input, 1e-5, &hash, scratch, err);
        plan->hashes[which * self->transport->size + self->rank] = hash;
    }
    return status;
}

/* ---- gathering ----------------------------------------------------------------------------- */

static size_t unequal_length(int rank, size_t base)
{
    return rank % 3 == 1 ? 0 : base + (size_t)rank * 31;
}

static void fill_block(egc_buf *block, int rank)
{
    for (size_t i = 0; i < block->len; i++)
        block->data[i] = (uint8_t)egc_seed_derive(3, (uint64_t)rank, i);
}

static egc_status check_block(const worker *self, const egc_buf *got, int from, size_t len,
                              egc_error *err)
{
    if (got->len != len)
        return egc_fail(err, EGC_ERROR_FORMAT, "rank %d: block of rank %d has %zu bytes, want %zu",
                        self->rank, from, got->len, len);
    for (size_t i = 0; i < len; i++)
        if (got->data[i] != (uint8_t)egc_seed_derive(3, (uint64_t)from, i))
            return egc_fail(err, EGC_ERROR_FORMAT, "rank %d: block of rank %d differs at byte %zu",
                            self->rank, from, i);
    return EGC_OK;
}

static egc_status gather_one(worker *self, egc_buf *blocks, size_t base, bool equal,
                             egc_exchange_scratch *scratch, egc_error *err)
{
    const exchange_plan *plan = self->arg;
    egc_buf mine = {0};
    size_t len = equal ? base : unequal_length(self->rank, base);
    egc_status status = egc_buf_reserve(&mine, len, err);
    mine.len = len;
    fill_block(&mine, self->rank);
    if (!status)
        status = plan->type->gather(self->transport, mine.data, len, blocks, scratch, err);
    for (int r = 0; r < self->transport->size && !status; r++)
        status = check_block(self, &blocks[r], r, equal ? base : unequal_length(r, base), err);
    egc_buf_fini(&mine);
    return status;
}

static egc_status gather_all_lengths(worker *self, egc_exchange_scratch *scratch, egc_error *err)
{
    int p = self->transport->size;
    egc_buf *blocks = egc_calloc((size_t)p, sizeof *blocks);
    egc_status status = blocks ? EGC_OK : egc_fail_memory(err, (size_t)p);
    for (int which = 0; which < 2 * N_LENGTHS && !status; which++)
        status = gather_one(self, blocks, length_of(which / 2, p), which % 2, scratch, err);
    for (int r = 0; blocks && r < p; r++)
        egc_buf_fini(&blocks[r]);
    egc_free(blocks);
    return status;
}

/* ---- all of them --------------------------------------------------------------------------- */

static egc_status exchange_all_lengths(worker *self, egc_error *err)
{
    const exchange_plan *plan = self->arg;
    egc_exchange_scratch scratch = {0};
    egc_status status = plan->type->kind == EGC_EXCHANGE_REDUCE
                            ? reduce_all_lengths(self, &scratch, err)
                            : gather_all_lengths(self, &scratch, err);
    egc_exchange_scratch_fini(&scratch);
    return status;
}

static void test_every_exchange_delivers(void **state)
{
    (void)state;
    for (const egc_exchange_type *const *type = egc_exchange_types(); *type; type++)
        for (int i = 0; i < N_RANK_COUNTS; i++) {
            int p = rank_counts[i];
            exchange_plan plan = {*type, shared_memory((size_t)(N_LENGTHS * p) * sizeof(uint64_t))};
            net_trial trial = trial_of(p, 1e9, 1e-5, exchange_all_lengths, &plan);
            outcome got = simulate(&trial);
            if (got.status)
                fail_msg("%s of %d ranks: %s", (*type)->name, p, got.err.message);
            for (int cell = 0; cell < N_LENGTHS * p; cell++)
                assert_int_equal(plan.hashes[cell], plan.hashes[cell / p * p]);
        }
}

static void test_registry_names_every_exchange(void **state)
{
    (void)state;
    egc_error err;
    const egc_exchange_type *type;
    assert_ok(egc_exchange_find("ring", &type, &err), err);
    assert_string_equal(type->name, "ring");
    assert_fails(egc_exchange_find("rign", &type, &err), err, EGC_ERROR_NAME,
                 "unknown exchange \"rign\"; valid: ring, allgather-ring, allgather-rd");
    for (const egc_exchange_type *const *t = egc_exchange_types(); *t; t++) {
        assert_true((*t)->summary && (*t)->cost && (*t)->reference && (*t)->closed_form);
        assert_true((*t)->kind == EGC_EXCHANGE_REDUCE ? !!(*t)->reduce : !!(*t)->gather);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_registry_names_every_exchange),
        cmocka_unit_test(test_every_exchange_delivers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
