/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rule = "share": the fewest largest elements whose terms -p ln p reach a share of the entropy of the
 * normalised magnitudes p. The threshold is found by radix bins of the magnitudes' bits, from the
 * top, so that no sort is needed. Our reading of EGC: see maxentropy.c. */
#include <string.h>

#include "compressors/sparsifiers/entropy.h"
#include "compressors/sparsifiers/largest.h"

enum { RADIX_BITS = 11, RADIX_BINS = 1 << RADIX_BITS };

/* The bin, from the top, in which the terms reach the goal; *reached becomes their sum over those
 * above it. Should rounding have lost the goal, the lowest bin that holds anything. */
static uint32_t decisive_bin(const egc_entropy_sums *bins, double ln_B, double goal,
                             double *reached)
{
    uint32_t last = 0;
    double above = *reached, sum = *reached;
    for (uint32_t bin = RADIX_BINS; bin-- > 0;) {
        if (bins[bin].count == 0)
            continue;
        last = bin;
        above = sum;
        sum += egc_entropy_terms(&bins[bin], ln_B);
        if (sum >= goal)
            break;
    }
    *reached = above;
    return last;
}

/* A search for the decisive element: a radix select as in largest.c, but by sums of terms instead
 * of counts. 11 + 11 + 9 bits of the magnitudes are looked at; the last two overlap by 2. */
typedef struct term_search {
    egc_entropy_sums *bins;
    double inverse; /* 1 / largest magnitude */
    double ln_B;
    double goal;
    double reached; /* by the elements above those that are left */
    uint32_t *candidates;
    size_t left;
} term_search;

static const unsigned shifts[] = {20, 9, 0};

static uint32_t digit(uint32_t bits, int level)
{
    return bits >> shifts[level] & (RADIX_BINS - 1);
}

static void add_bits(term_search *search, uint32_t bits, int level)
{
    float magnitude;
    memcpy(&magnitude, &bits, sizeof magnitude);
    egc_entropy_add(&search->bins[digit(bits, level)], magnitude, search->inverse);
}

/* Sums the terms of all elements, sets the goal, and leaves the elements of the decisive bin as
 * candidates. */
static uint32_t begin_search(term_search *search, const float *x, size_t n, double share)
{
    egc_entropy_sums all = {0};
    for (size_t i = 0; i < n; i++)
        if (x[i] != 0)
            add_bits(search, egc_largest_bits(x[i]), 0);
    for (uint32_t bin = 0; bin < RADIX_BINS; bin++) {
        all.b += search->bins[bin].b;
        all.b_ln_b += search->bins[bin].b_ln_b;
    }
    search->ln_B = log(all.b);
    /* allows for rounding: 0.1 is not exact */
    search->goal = share * egc_entropy_terms(&all, search->ln_B) * (1 - 1e-9);
    uint32_t bin = decisive_bin(search->bins, search->ln_B, search->goal, &search->reached);
    search->left = 0;
    for (size_t i = 0; i < n; i++) { /* without branches: no one could predict them */
        search->candidates[search->left] = egc_largest_bits(x[i]);
        search->left += search->candidates[search->left] >> shifts[0] == bin;
    }
    return bin;
}

/* Looks at the next bits of the candidates, and leaves those of the decisive bin. */
static uint32_t narrow_search(term_search *search, int level)
{
    memset(search->bins, 0, RADIX_BINS * sizeof *search->bins);
    for (size_t i = 0; i < search->left; i++)
        add_bits(search, search->candidates[i], level);
    uint32_t bin = decisive_bin(search->bins, search->ln_B, search->goal, &search->reached);
    size_t kept = 0;
    for (size_t i = 0; i < search->left; i++)
        if (digit(search->candidates[i], level) == bin)
            search->candidates[kept++] = search->candidates[i];
    search->left = kept;
    return bin;
}

/* The least magnitude of the smallest set of the largest whose terms reach `share` of all, and how
 * many that equal it are in the set. x is not all zeros. */
static float share_threshold(term_search *search, const float *x, size_t n, double share,
                             size_t *ties)
{
    uint32_t bin = begin_search(search, x, n, share);
    for (int level = 1; level < 3; level++)
        bin = narrow_search(search, level);
    /* the same for all elements left, which are equal */
    double term = egc_entropy_terms(&search->bins[bin], search->ln_B) / (double)search->left;
    double wanted = term > 0 ? ceil((search->goal - search->reached) / term) : 1;
    *ties = wanted < 1 ? 1 : wanted > (double)search->left ? search->left : (size_t)wanted;
    float threshold;
    memcpy(&threshold, &search->candidates[0], sizeof threshold);
    return threshold;
}

egc_status egc_entropy_share_select(double share, const egc_context *context, const float *x,
                                    size_t n, egc_selection *out, egc_error *err)
{
    size_t bins_bytes = RADIX_BINS * sizeof(egc_entropy_sums), ties;
    term_search search = {
        .inverse = 1 / (double)context->max_abs,
        .bins = egc_arena_alloc(context->scratch, bins_bytes),
        .candidates = egc_arena_alloc(context->scratch, n * sizeof(uint32_t)),
    };
    if (!search.candidates || !search.bins)
        return egc_fail_memory(err, n * sizeof(uint32_t) + bins_bytes);
    out->count = 0;
    if (context->max_abs == 0)
        return EGC_OK;
    float threshold = share_threshold(&search, x, n, share, &ties);
    out->count = egc_largest_from(x, n, threshold, ties, search.candidates, out->index);
    return EGC_OK;
}
