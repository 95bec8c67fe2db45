/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every registered exchange gives every rank the right bytes, for awkward numbers of ranks and
 * awkward lengths. Expected values are computed from the inputs of all ranks, without any
 * exchange. Workers check inside the simulation and fail the run with what they found. */
#include "support/test.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "simulate.h"

static const int rank_counts[] = {1, 2, 3, 4, 5, 7, 8, 16, 33};
enum { N_RANK_COUNTS = sizeof rank_counts / sizeof *rank_counts, N_LENGTHS = 6, LARGE = 5003 };

static size_t length_of(int which, int p)
{
    const size_t lengths[N_LENGTHS] = {0, 1, (size_t)p - 1, (size_t)p, (size_t)p + 1, LARGE};
    return lengths[which];
}

/* ---- reducing -------------------------------------------------------------------------------- */

typedef float (*input)(int rank, size_t i);

/* Whole numbers small enough for any order of additions to be exact, in floats. */
static float whole_input(int rank, size_t i)
{
    return (float)((int)(egc_rng_derive_seed(1, (uint64_t)rank, i) % 2001) - 1000);
}

/* The same in halves: 33 of them stay below 256. */
static float small_input(int rank, size_t i)
{
    return (float)((int)(egc_rng_derive_seed(1, (uint64_t)rank, i) % 15) - 7);
}

/* Numbers whose sum depends on the order of additions. */
static float real_input(int rank, size_t i)
{
    return (float)egc_rng_derive_seed(2, (uint64_t)rank, i) / 18446744073709551616.0f - 0.5f;
}

/* Up to 33 sums of up to 8 in magnitude, each half a unit in the last place off. */
static const struct summing {
    egc_element element;
    input in;
    double tolerance;
} summings[] = {
    {EGC_ELEMENT_FP32, whole_input, 0}, {EGC_ELEMENT_FP32, real_input, 1e-5},
    {EGC_ELEMENT_FP16, small_input, 0}, {EGC_ELEMENT_FP16, real_input, 33 * 0x1p-9},
    {EGC_ELEMENT_BF16, small_input, 0}, {EGC_ELEMENT_BF16, real_input, 33 * 0x1p-6},
};
enum { N_SUMMINGS = sizeof summings / sizeof *summings };

typedef struct exchange_plan {
    const egc_exchange_type *type;
    int group;        /* of near ranks; 0: the usual ones */
    uint64_t *hashes; /* shared: rank 0's result of each length and summing, then rank 1's */
} exchange_plan;

static egc_status check_sums(const worker *self, const struct summing *what, const float *got,
                             size_t n, egc_error *err)
{
    for (size_t i = 0; i < n; i++) {
        double want = 0;
        for (int r = 0; r < self->transport->size; r++)
            want += what->in(r, i);
        if (!(fabs(got[i] - want) <= what->tolerance))
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "rank %d, n %zu, element %zu of type %d: %g, want %g", self->rank, n, i,
                            what->element, got[i], want);
    }
    return EGC_OK;
}

/* Sums n elements in `vector`, which has room for one more; `floats` has room for n. */
static egc_status reduce_in(worker *self, const struct summing *what, size_t n, void *vector,
                            float *floats, egc_exchange_scratch *scratch, egc_error *err)
{
    const exchange_plan *plan = self->arg;
    size_t bytes = n * egc_element_bytes(what->element);
    uint8_t *end = (uint8_t *)vector + bytes;
    for (size_t i = 0; i < n; i++)
        floats[i] = what->in(self->rank, i);
    egc_element_from_float(what->element, floats, vector, n);
    *end = 42;
    egc_status status =
        egc_exchange_allreduce(plan->type, self->transport, what->element, vector, n, scratch, err);
    if (!status && *end != 42)
        status = egc_fail(err, EGC_ERROR_FORMAT, "wrote past the end, n %zu", n);
    egc_element_to_float(what->element, vector, floats, n);
    return status ? status : check_sums(self, what, floats, n, err);
}

static egc_status reduce_one(worker *self, const struct summing *what, size_t n, uint64_t *hash,
                             egc_exchange_scratch *scratch, egc_error *err)
{
    float *vector = egc_calloc(n + 1, sizeof *vector), *floats = egc_calloc(n, sizeof *floats);
    egc_status status = vector && floats ? reduce_in(self, what, n, vector, floats, scratch, err)
                                         : egc_fail_memory(err, n);
    *hash = vector ? egc_hash(EGC_HASH_START, vector, n * egc_element_bytes(what->element)) : 0;
    egc_free(floats);
    egc_free(vector);
    return status;
}

static egc_status reduce_all_lengths(worker *self, egc_exchange_scratch *scratch, egc_error *err)
{
    const exchange_plan *plan = self->arg;
    uint64_t *hash = plan->hashes + self->rank * N_LENGTHS * N_SUMMINGS;
    egc_status status = EGC_OK;
    for (int which = 0; which < N_LENGTHS; which++)
        for (int how = 0; how < N_SUMMINGS && !status; how++)
            status = reduce_one(self, &summings[how], length_of(which, self->transport->size),
                                hash++, scratch, err);
    return status;
}

/* ---- blocks of bytes ------------------------------------------------------------------------- */

/* Makes it `len` bytes that `seed` determines. */
static egc_status fill_block(egc_buf *block, uint64_t seed, size_t len, egc_error *err)
{
    egc_buf_clear(block);
    egc_status status = egc_buf_reserve(block, len, err);
    if (status)
        return status;
    block->len = len;
    for (size_t i = 0; i < len; i++)
        block->data[i] = (uint8_t)egc_rng_derive_seed(3, seed, i);
    return EGC_OK;
}

static egc_status check_block(const worker *self, const egc_buf *got, int from, uint64_t seed,
                              size_t len, egc_error *err)
{
    if (got->len != len)
        return egc_fail(err, EGC_ERROR_FORMAT, "rank %d: block of rank %d has %zu bytes, want %zu",
                        self->rank, from, got->len, len);
    for (size_t i = 0; i < len; i++)
        if (got->data[i] != (uint8_t)egc_rng_derive_seed(3, seed, i))
            return egc_fail(err, EGC_ERROR_FORMAT, "rank %d: block of rank %d differs at byte %zu",
                            self->rank, from, i);
    return EGC_OK;
}

static egc_buf *blocks_new(int count, egc_error *err)
{
    egc_buf *blocks = egc_calloc((size_t)count, sizeof *blocks);
    if (!blocks)
        egc_fail_memory(err, (size_t)count * sizeof *blocks);
    return blocks;
}

static void blocks_free(egc_buf *blocks, int count)
{
    for (int i = 0; blocks && i < count; i++)
        egc_buf_fini(&blocks[i]);
    egc_free(blocks);
}

/* ---- gathering ------------------------------------------------------------------------------- */

static size_t block_length(int rank, size_t base, bool equal)
{
    if (equal)
        return base;
    return rank % 3 == 1 ? 0 : base + (size_t)rank * 31;
}

static egc_status gather_one(worker *self, egc_buf *blocks, size_t base, bool equal,
                             egc_exchange_scratch *scratch, egc_error *err)
{
    const exchange_plan *plan = self->arg;
    egc_buf mine = {0};
    egc_status status =
        fill_block(&mine, (uint64_t)self->rank, block_length(self->rank, base, equal), err);
    if (!status)
        status = egc_exchange_allgather(plan->type, self->transport, mine.data, mine.len, blocks,
                                        scratch, err);
    for (int r = 0; r < self->transport->size && !status; r++)
        status = check_block(self, &blocks[r], r, (uint64_t)r, block_length(r, base, equal), err);
    egc_buf_fini(&mine);
    return status;
}

static egc_status gather_all_lengths(worker *self, egc_exchange_scratch *scratch, egc_error *err)
{
    int p = self->transport->size;
    egc_buf *blocks = blocks_new(p, err);
    egc_status status = blocks ? EGC_OK : EGC_ERROR_MEMORY;
    for (int which = 0; which < 2 * N_LENGTHS && !status; which++)
        status = gather_one(self, blocks, length_of(which / 2, p), which % 2, scratch, err);
    blocks_free(blocks, p);
    return status;
}

/* ---- broadcasting ---------------------------------------------------------------------------- */

/* Other ranks' buffers hold other bytes of other lengths before, which must be gone. */
static egc_status broadcast_all_lengths(worker *self, egc_exchange_scratch *scratch, egc_error *err)
{
    const exchange_plan *plan = self->arg;
    int p = self->transport->size;
    const int roots[] = {0, 1 % p, p / 2, p - 1};
    egc_buf message = {0};
    egc_status status = EGC_OK;
    for (int which = 0; which < 4 * N_LENGTHS && !status; which++) {
        int root = roots[which % 4];
        size_t len = length_of(which / 4, p), other = (size_t)(self->rank + which) % 50;
        status = fill_block(&message, (uint64_t)self->rank, self->rank == root ? len : other, err);
        if (!status)
            status =
                egc_exchange_broadcast(plan->type, self->transport, root, &message, scratch, err);
        if (!status)
            status = check_block(self, &message, root, (uint64_t)root, len, err);
    }
    egc_buf_fini(&message);
    return status;
}

/* ---- scattering ------------------------------------------------------------------------------ */

static uint64_t piece_seed(int from, int to)
{
    return (uint64_t)(from * 1000 + to);
}

static size_t piece_length(int from, int to, size_t base, bool equal)
{
    if (equal)
        return base;
    return (from + 2 * to) % 3 == 1 ? 0 : base + (size_t)(7 * from + 3 * to);
}

static egc_status scatter_one(worker *self, egc_buf *pieces, egc_buf *blocks, size_t base,
                              bool equal, egc_exchange_scratch *scratch, egc_error *err)
{
    const exchange_plan *plan = self->arg;
    int p = self->transport->size, rank = self->rank;
    egc_status status = EGC_OK;
    for (int to = 0; to < p && !status; to++)
        status =
            fill_block(&pieces[to], piece_seed(rank, to), piece_length(rank, to, base, equal), err);
    if (!status)
        status = egc_exchange_alltoall(plan->type, self->transport, pieces, blocks, scratch, err);
    for (int from = 0; from < p && !status; from++)
        status = check_block(self, &blocks[from], from, piece_seed(from, rank),
                             piece_length(from, rank, base, equal), err);
    return status;
}

static egc_status scatter_all_lengths(worker *self, egc_exchange_scratch *scratch, egc_error *err)
{
    int p = self->transport->size;
    egc_buf *pieces = blocks_new(p, err), *blocks = blocks_new(p, err);
    egc_status status = pieces && blocks ? EGC_OK : EGC_ERROR_MEMORY;
    for (int which = 0; which < 2 * N_LENGTHS && !status; which++)
        status =
            scatter_one(self, pieces, blocks, length_of(which / 2, p), which % 2, scratch, err);
    blocks_free(blocks, p);
    blocks_free(pieces, p);
    return status;
}

/* ---- all of them ----------------------------------------------------------------------------- */

typedef egc_status (*all_lengths)(worker *self, egc_exchange_scratch *scratch, egc_error *err);

static const all_lengths all_lengths_of[] = {
    [EGC_COLLECTIVE_ALLREDUCE] = reduce_all_lengths,
    [EGC_COLLECTIVE_ALLGATHER] = gather_all_lengths,
    [EGC_COLLECTIVE_BROADCAST] = broadcast_all_lengths,
    [EGC_COLLECTIVE_ALLTOALL] = scatter_all_lengths,
};

static egc_status exchange_all_lengths(worker *self, egc_error *err)
{
    const exchange_plan *plan = self->arg;
    egc_exchange_scratch scratch = {.group = plan->group};
    egc_status status = all_lengths_of[plan->type->kind](self, &scratch, err);
    egc_exchange_scratch_fini(&scratch);
    return status;
}

static void deliver(const egc_exchange_type *type, int p, int group)
{
    enum { CELLS = N_LENGTHS * N_SUMMINGS };
    exchange_plan plan = {type, group, shared_memory((size_t)(CELLS * p) * sizeof(uint64_t))};
    net_trial trial = trial_of(p, 1e9, 1e-5, exchange_all_lengths, &plan);
    outcome got = simulate(&trial);
    if (got.status)
        fail_msg("%s of %d ranks, group %d: %s", type->name, p, group, got.err.message);
    for (int cell = 0; cell < CELLS * p; cell++)
        assert_int_equal(plan.hashes[cell], plan.hashes[cell % CELLS]);
}

static void exchange_data__every_exchange_delivers(void **state)
{
    (void)state;
    for (const egc_exchange_type *const *type = egc_exchange_types(); *type; type++)
        for (int i = 0; i < N_RANK_COUNTS; i++)
            deliver(*type, rank_counts[i], 0);
}

/* Groups of one rank, of all, and of sizes that leave the last one smaller. */
static void exchange_data__exchanges_of_two_levels_deliver_for_any_group(void **state)
{
    (void)state;
    const int groups[] = {1, 2, 3, 8, 40};
    for (const egc_exchange_type *const *type = egc_exchange_types(); *type; type++)
        for (int i = 0; i < N_RANK_COUNTS && (*type)->two_levels; i++)
            for (size_t j = 0; j < sizeof groups / sizeof *groups; j++)
                deliver(*type, rank_counts[i], groups[j]);
}

/* ---- sums of halves on the ring -------------------------------------------------------------- */

enum { HALVES = 100 };
static const float largest_half[] = {[EGC_ELEMENT_FP16] = 65504, [EGC_ELEMENT_BF16] = 0x1.fep127f};

/* Mostly of many magnitudes; some that overflow at the first sum, and some that overflow and then
 * meet the other sign. */
static float halves_input(egc_element element, int rank, size_t i)
{
    float large = largest_half[element];
    if (i % 10 == 3)
        return large;
    if (i % 10 == 7)
        return rank < 2 ? large : -large;
    return ldexpf(real_input(rank, i), (int)(i % 20));
}

/* Element i of `all` ranks, added in the order of the ring: first the rank after whose number its
 * chunk is called, then those that follow, rounding after each. */
static void ring_sum(egc_element element, int p, size_t i, uint16_t *sum)
{
    size_t parts = (size_t)p, small = HALVES / parts, larger = HALVES % parts;
    size_t chunk =
        i < larger * (small + 1) ? i / (small + 1) : larger + (i - larger * (small + 1)) / small;
    for (int hop = 0; hop < p; hop++) {
        float value = halves_input(element, ((int)chunk + hop) % p, i);
        uint16_t addend;
        egc_element_from_float(element, &value, &addend, 1);
        if (hop == 0)
            *sum = addend;
        else
            egc_element_add(element, sum, &addend, 1);
    }
}

static egc_status check_halves(const worker *self, egc_element element, const uint16_t *got,
                               egc_error *err)
{
    uint16_t infinity = element == EGC_ELEMENT_FP16 ? 0x7c00 : 0x7f80;
    int p = self->transport->size;
    for (size_t i = 0; i < HALVES; i++) {
        uint16_t want;
        ring_sum(element, p, i, &want);
        if (got[i] != want || (i % 10 == 3 && p > 1 && got[i] != infinity))
            return egc_fail(err, EGC_ERROR_FORMAT,
                            "rank %d, element %zu of type %d: %04x, want %04x", self->rank, i,
                            element, got[i], want);
    }
    return EGC_OK;
}

static egc_status reduce_halves(worker *self, egc_error *err)
{
    const egc_exchange_type *ring = self->arg;
    egc_exchange_scratch scratch = {0};
    egc_status status = EGC_OK;
    for (int element = EGC_ELEMENT_FP16; element <= EGC_ELEMENT_BF16 && !status; element++) {
        float floats[HALVES];
        uint16_t halves[HALVES];
        for (size_t i = 0; i < HALVES; i++)
            floats[i] = halves_input((egc_element)element, self->rank, i);
        egc_element_from_float((egc_element)element, floats, halves, HALVES);
        status = egc_exchange_allreduce(ring, self->transport, (egc_element)element, halves, HALVES,
                                        &scratch, err);
        if (!status)
            status = check_halves(self, (egc_element)element, halves, err);
    }
    egc_exchange_scratch_fini(&scratch);
    return status;
}

static void exchange_data__the_ring_rounds_halves_at_every_hop(void **state)
{
    (void)state;
    egc_error err;
    const egc_exchange_type *ring;
    assert_ok(egc_exchange_find("ring", &ring, &err), err);
    for (int i = 0; i < N_RANK_COUNTS; i++) {
        net_trial trial = trial_of(rank_counts[i], 1e9, 1e-5, reduce_halves, ring);
        outcome got = simulate(&trial);
        if (got.status)
            fail_msg("%d ranks: %s", rank_counts[i], got.err.message);
    }
}

/* ---- the registry ---------------------------------------------------------------------------- */

static void exchange_data__registry_names_every_exchange(void **state)
{
    (void)state;
    egc_error err;
    const egc_exchange_type *type;
    assert_ok(egc_exchange_find("ring", &type, &err), err);
    assert_string_equal(type->name, "ring");
    assert_int_equal(egc_exchange_find("rign", &type, &err), EGC_ERROR_NAME);
    assert_non_null(
        strstr(err.message, "unknown exchange \"rign\"; valid: ring, allgather-ring, "));
    for (const egc_exchange_type *const *t = egc_exchange_types(); *t; t++) {
        assert_non_null(strstr(err.message, (*t)->name));
        assert_true((*t)->summary && (*t)->cost && (*t)->reference && (*t)->run &&
                    (*t)->closed_form);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchange_data__registry_names_every_exchange),
        cmocka_unit_test(exchange_data__every_exchange_delivers),
        cmocka_unit_test(exchange_data__exchanges_of_two_levels_deliver_for_any_group),
        cmocka_unit_test(exchange_data__the_ring_rounds_halves_at_every_hop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
