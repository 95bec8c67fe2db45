/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A Bloom filter of the k positions chosen, the picks (Bloom 1970), as in DeepReduce. It is lossy,
 * because a filter also answers yes for some positions that were not picked. Both sides query all n
 * positions; the *positives* are the picks and the false positives, and a policy selects the
 * positions whose values are sent:
 *
 *     P0  all        all positives, about k + f (n - k): every pick arrives
 *     P1  leftmost   the first k
 *     P2  conflicts  k, preferring those that cannot or hardly be false
 *
 * The values are then those of the positions sent, so that a false positive carries its true value
 * and only the choice of positions is lossy.
 *
 * Filter. For the rate f (of false positives; 0: 0.1 k/n, DeepReduce's) a pick has
 * log2(1/f) / ln 2 bits, at least 1 / ln 2, held as c = 256 times that. From c follow
 *     m = ceil(c k / 256) bits, not more than 2^32 - 1,     h = max(1, round(c ln 2 / 256)) hashes,
 * the latter about log2(1/f). c (14 bits) and the policy (2 bits) precede the filter, so that
 * reading needs no options. The hashes of position i are floor(m z / 2^32), z the upper halves of
 * the states of Knuth's linear congruential generator, started from a mix of i. (Double hashing has
 * too few different patterns for filters of a few dozen bits: with 4 picks and f = 0.001 false
 * positives came 7 times too often.) The hash is the same in every message, DeepReduce's
 * too: an element that P1 or P2 leaves out of a selection is left out of every similar selection,
 * and error feedback does not bring it back until the selection changes.
 *
 * Conflict sets. Each filter bit that is set has the set of positives that hash to it. At least one
 * of a set is a pick, so a positive that is alone in one is a pick. P2 goes through the sets by
 * size, the smallest first (sizes of 7 and more are equal, and a positive two of whose hashes agree
 * counts twice), and within a size by their lowest positive; a set of which nothing is chosen yet
 * gives its lowest positive. When all sets have given, the lowest positives not chosen complete
 * the k. The bookkeeping, 4 bits for each filter bit and one for each positive, lives in the places
 * of the index array behind the positives; where they are too few, at densities beyond about a
 * half, P2 is P1.
 *
 * Faults of public code avoided: DeepReduce draws from hash sets in the order of its C++ library,
 * so that sender and receiver must be built alike; its P0 sends the count as a float.
 *
 * Reference: Kostopoulou et al. 2021, "DeepReduce: A Sparse-tensor Communication Framework for
 * Federated Deep Learning". For exact positions the filter loses to Golomb codes at every density
 * below about 0.2. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "codec/codec.h"

enum { C_BITS = 14, C_ONE = 256, C_MAX = (1 << C_BITS) - 1, POLICY_BITS = 2 };

typedef struct filter {
    const uint8_t *bytes;
    uint64_t first; /* the bit of bytes with which it starts */
    uint64_t m;
    unsigned hashes;
} filter;

static uint32_t c_for(const egc_codec_context *context, size_t count, size_t n)
{
    double rate = context->bloom_rate > 0 ? context->bloom_rate : 0.1 * (double)count / (double)n;
    double c = C_ONE * fmax(1, -log2(rate)) / M_LN2;
    return c < C_MAX ? (uint32_t)lrint(c) : C_MAX;
}

static filter filter_of(uint32_t c, size_t count)
{
    const uint64_t ln2 = 2839, one = 1 << 20; /* ln 2 / 256 in units of 2^-20, whatever the libm */
    uint64_t m = ((uint64_t)c * count + C_ONE - 1) / C_ONE;
    unsigned hashes = (unsigned)((c * ln2 + one / 2) / one);
    return (filter){.m = m < UINT32_MAX ? m : UINT32_MAX, .hashes = hashes ? hashes : 1};
}

/* The hashes of one position, in turn: the state of the generator. */
typedef uint64_t probe;

static probe probe_of(uint32_t i)
{
    uint64_t mixed = ((uint64_t)i + 1) * 0x9e3779b97f4a7c15;
    return (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93;
}

static uint64_t next_bit(probe *hash, const filter *f)
{
    *hash = *hash * 6364136223846793005 + 1442695040888963407;
    return (*hash >> 32) * f->m >> 32;
}

/* Filter bits are unpredictable, so four are tested with one branch. */
static bool contains(const filter *f, uint32_t i)
{
    enum { TOGETHER = 4 };
    probe hash = probe_of(i);
    for (unsigned j = 0; j < f->hashes;) {
        unsigned all = 0x80, end = j + TOGETHER < f->hashes ? j + TOGETHER : f->hashes;
        for (; j < end; j++) {
            uint64_t bit = f->first + next_bit(&hash, f);
            all &= (unsigned)f->bytes[bit / 8] << bit % 8;
        }
        if (!all)
            return false;
    }
    return true;
}

/* The first `most` positives, ascending. Returns how many there are. */
static size_t list_positives(const filter *f, size_t n, size_t most, uint32_t *index)
{
    size_t found = 0;
    for (size_t i = 0; i < n && found < most; i++)
        if (contains(f, (uint32_t)i))
            index[found++] = (uint32_t)i;
    return found;
}

/* ---- conflict sets ------------------------------------------------------------------------- */

enum { SET_BITS = 4, SETS_PER_WORD = 32 / SET_BITS, MAX_SIZE = 7, GIVEN = 8 };

typedef struct conflicts {
    uint32_t *sets;   /* for each filter bit: the size of its set, and GIVEN once one is chosen */
    uint32_t *chosen; /* a bit for each positive */
} conflicts;

static uint32_t get_set(const conflicts *c, uint64_t bit)
{
    return c->sets[bit / SETS_PER_WORD] >> SET_BITS * (bit % SETS_PER_WORD) & (MAX_SIZE | GIVEN);
}

static void put_set(conflicts *c, uint64_t bit, uint32_t set)
{
    unsigned shift = SET_BITS * (bit % SETS_PER_WORD);
    uint32_t *word = &c->sets[bit / SETS_PER_WORD];
    *word = (*word & ~((uint32_t)(MAX_SIZE | GIVEN) << shift)) | set << shift;
}

static bool is_chosen(const conflicts *c, size_t positive)
{
    return c->chosen[positive / 32] >> positive % 32 & 1;
}

static void choose(conflicts *c, const filter *f, size_t positive, uint32_t i)
{
    c->chosen[positive / 32] |= 1u << positive % 32;
    probe hash = probe_of(i);
    for (unsigned j = 0; j < f->hashes; j++) {
        uint64_t bit = next_bit(&hash, f);
        put_set(c, bit, get_set(c, bit) | GIVEN);
    }
}

static void count_sets(conflicts *c, const filter *f, const uint32_t *index, size_t found)
{
    for (size_t p = 0; p < found; p++) {
        probe hash = probe_of(index[p]);
        for (unsigned j = 0; j < f->hashes; j++) {
            uint64_t bit = next_bit(&hash, f);
            uint32_t size = get_set(c, bit);
            put_set(c, bit, size < MAX_SIZE ? size + 1 : MAX_SIZE);
        }
    }
}

/* True if position i is in a set of this size that has not given yet. */
static bool may_give(const conflicts *c, const filter *f, uint32_t i, uint32_t size)
{
    probe hash = probe_of(i);
    for (unsigned j = 0; j < f->hashes; j++)
        if (get_set(c, next_bit(&hash, f)) == size)
            return true;
    return false;
}

/* Keeps k of the `found` positives in index, which has room for n. */
static void keep_by_conflicts(const filter *f, uint32_t *index, size_t found, size_t k, size_t n)
{
    size_t set_words = (size_t)((f->m + SETS_PER_WORD - 1) / SETS_PER_WORD);
    size_t words = set_words + (found + 31) / 32;
    if (found <= k || words > n - found)
        return; /* the first k */
    conflicts c = {index + found, index + found + set_words};
    memset(c.sets, 0, words * sizeof *c.sets);
    count_sets(&c, f, index, found);
    size_t left = k;
    for (uint32_t size = 1; size <= MAX_SIZE; size++)
        for (size_t p = 0; p < found && left > 0; p++)
            if (!is_chosen(&c, p) && may_give(&c, f, index[p], size)) {
                choose(&c, f, p, index[p]);
                left--;
            }
    size_t kept = 0;
    for (size_t p = 0; p < found; p++) {
        bool completes = left > 0 && !is_chosen(&c, p);
        left -= completes;
        if (completes || is_chosen(&c, p))
            index[kept++] = index[p];
    }
}

/* ---- the codec ----------------------------------------------------------------------------- */

/* Selects the positions to send from a filter of *count = k picks: into index, which has room for
 * n, and *count. FORMAT when there are fewer than k. */
static egc_status apply_policy(const filter *f, uint32_t policy, uint32_t *index, size_t *count,
                               size_t n, egc_error *err)
{
    size_t k = *count;
    size_t found = list_positives(f, n, policy == EGC_BLOOM_LEFTMOST ? k : n, index);
    if (found < k)
        return egc_fail(err, EGC_ERROR_FORMAT, "Bloom filter has %zu positives for %zu elements",
                        found, k);
    if (policy == EGC_BLOOM_CONFLICTS)
        keep_by_conflicts(f, index, found, k, n);
    *count = policy == EGC_BLOOM_ALL ? found : k;
    return EGC_OK;
}

static uint64_t size_bits(const egc_codec_context *context, const uint32_t *index, size_t count,
                          size_t n)
{
    (void)index;
    return count ? C_BITS + POLICY_BITS + filter_of(c_for(context, count, n), count).m : 0;
}

static void put_filter(egc_bits_writer *bits, const filter *f)
{
    for (uint64_t bit = 0; bit + 8 <= f->m; bit += 8)
        egc_bits_put(bits, f->bytes[bit / 8], 8);
    unsigned rest = f->m % 8;
    if (rest)
        egc_bits_put(bits, f->bytes[f->m / 8] >> (8 - rest), rest);
}

static void write(egc_bits_writer *bits, const egc_codec_context *context, uint32_t *index,
                  size_t *count, size_t n)
{
    uint32_t c = c_for(context, *count, n), policy = (uint32_t)context->bloom_policy;
    filter f = filter_of(c, *count);
    size_t bytes = (size_t)(f.m / 8 + 1);
    uint8_t *filled = egc_arena_alloc(context->scratch, bytes);
    if (!filled) {
        egc_buf_fail(bits->buf, bytes);
        return;
    }
    for (size_t i = 0; i < *count; i++) {
        probe hash = probe_of(index[i]);
        for (unsigned j = 0; j < f.hashes; j++) {
            uint64_t bit = next_bit(&hash, &f);
            filled[bit / 8] |= (uint8_t)(0x80 >> bit % 8);
        }
    }
    f.bytes = filled;
    egc_bits_put(bits, c << POLICY_BITS | policy, C_BITS + POLICY_BITS);
    put_filter(bits, &f);
    egc_status status = apply_policy(&f, policy, index, count, n, NULL);
    assert(!status); /* every element written is a positive */
    (void)status;
}

static egc_status read(egc_bits_reader *bits, uint32_t *index, size_t *count, size_t n,
                       egc_error *err)
{
    uint32_t c = egc_bits_get(bits, C_BITS), policy = egc_bits_get(bits, POLICY_BITS);
    egc_status status = egc_bits_check(bits, err);
    if (status)
        return status;
    if (c == 0 || policy > EGC_BLOOM_CONFLICTS)
        return egc_fail(err, EGC_ERROR_FORMAT, "Bloom filter of density %u and policy %u", c,
                        policy);
    filter f = filter_of(c, *count);
    if (bits->length - bits->position < f.m) /* before any look at it */
        return egc_bits_end_early(err);
    f.bytes = bits->bytes;
    f.first = bits->position;
    bits->position += f.m;
    return apply_policy(&f, policy, index, count, n, err);
}

const egc_index_codec egc_index_codec_bloom = {
    .name = "bloom",
    .summary = "Bloom filter; lossy: which positives are sent is a policy",
    .size = "16 + ceil(c k / 256), c = round(256 max(1, log2(1 / f)) / ln 2)",
    .reference = "Bloom 1970; DeepReduce (Kostopoulou et al. 2021)",
    .lossy = true,
    .size_bits = size_bits,
    .write = write,
    .read = read,
};
