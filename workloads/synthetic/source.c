/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of quantile functions over 62 random bits and over normal variables, and the loops that
 * look values up. */
#include "workloads/synthetic/source.h"

#include <math.h>

#include "base/mem.h"
#include "base/rng.h"

enum {
    BLOCK = 512,
    N_RANDOM = EGC_CURVE_SIZE(EGC_RAREST, EGC_MEDIAN, EGC_RANDOM_CUT), /* cells of either side */
    N_NORMAL = EGC_CURVE_SIZE(EGC_NORMAL_LOW, EGC_NORMAL_HIGH, EGC_NORMAL_CUT),
};

/* ---- tables ---------------------------------------------------------------------------------- */

static double beyond_median(const void *law, double number, double hint)
{
    double above = ldexp(number, -EGC_MEDIAN - 1);
    return egc_law_quantile(law, above, 1 - above, hint);
}

static double before_median(const void *law, double number, double hint)
{
    double below = ldexp(number, -EGC_MEDIAN - 1);
    return egc_law_quantile(law, 1 - below, below, hint);
}

static double of_normal(const void *law, double z, double hint)
{
    double rarest = ldexp(1, EGC_RAREST - EGC_MEDIAN - 1);
    return egc_law_quantile(law, fmax(erfc(z * M_SQRT1_2), rarest), erf(z * M_SQRT1_2), hint);
}

egc_status egc_source_init(egc_source *magnitudes, const egc_law *law, bool independent,
                           bool correlated, egc_error *err)
{
    *magnitudes = (egc_source){.law = *law};
    if (independent) {
        egc_curve_cell *cells = egc_calloc(2 * N_RANDOM, sizeof *cells);
        if (!cells)
            return egc_fail_memory(err, 2 * N_RANDOM * sizeof *cells);
        egc_curve_fill(cells, EGC_RAREST, EGC_MEDIAN, EGC_RANDOM_CUT, beyond_median, law);
        egc_curve_fill(cells + N_RANDOM, EGC_RAREST, EGC_MEDIAN, EGC_RANDOM_CUT, before_median,
                       law);
        magnitudes->random = cells;
    }
    if (correlated) {
        magnitudes->normal = egc_calloc(N_NORMAL, sizeof *magnitudes->normal);
        if (!magnitudes->normal)
            return egc_fail_memory(err, N_NORMAL * sizeof *magnitudes->normal);
        egc_curve_fill(magnitudes->normal, EGC_NORMAL_LOW, EGC_NORMAL_HIGH, EGC_NORMAL_CUT,
                       of_normal, law);
    }
    return EGC_OK;
}

void egc_source_fini(egc_source *magnitudes)
{
    egc_free(magnitudes->random);
    egc_free(magnitudes->normal);
    *magnitudes = (egc_source){0};
}

/* ---- values ---------------------------------------------------------------------------------- */

/* value, or -value when the sign bit is set; never -0. */
static inline float with_sign(float value, uint32_t sign)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits ^= sign;
    memcpy(&value, &bits, sizeof value);
    return value + 0.0f;
}

static inline float draw(const egc_source *magnitudes, uint64_t *state)
{
    uint64_t random = egc_rng_next(state), number = random >> 2 | (uint64_t)1 << EGC_RAREST;
    const egc_curve_cell *half = magnitudes->random + (random >> 1 & 1) * N_RANDOM;
    float magnitude = egc_curve_at(half, EGC_RAREST, EGC_RANDOM_CUT, (float)(int64_t)number);
    return with_sign(magnitude, (uint32_t)random << 31);
}

void egc_source_draw(const egc_source *magnitudes, uint64_t seed, double scale, float *out,
                     size_t n)
{
    float factor = (float)scale;
    for (size_t i = 0; i < n; i++)
        out[i] = draw(magnitudes, &seed) * factor;
}

static void add_stream(const egc_source *standard, egc_stream *stream, float *z, size_t n)
{
    uint64_t state = stream->seed;
    for (size_t i = 0; i < n; i++)
        z[i] += stream->weight * draw(standard, &state);
    stream->seed = state;
}

/* Values of the law at the ranks of z. */
static void transform(const egc_source *magnitudes, float factor, const float *z, float *out,
                      size_t n)
{
    const float least = ldexpf(1, EGC_NORMAL_LOW), most = ldexpf(1, EGC_NORMAL_HIGH);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &z[i], sizeof bits);
        float magnitude = egc_curve_at(magnitudes->normal, EGC_NORMAL_LOW, EGC_NORMAL_CUT,
                                       fmaxf(least, fminf(fabsf(z[i]), most)));
        out[i] = with_sign(magnitude * factor, bits & 0x80000000u);
    }
}

void egc_source_mix(const egc_source *magnitudes, const egc_source *standard, egc_stream *streams,
                    size_t n_streams, double scale, float *out, size_t n)
{
    float z[BLOCK];
    for (size_t first = 0; first < n; first += BLOCK) {
        size_t count = n - first < BLOCK ? n - first : BLOCK;
        memset(z, 0, sizeof z);
        for (size_t s = 0; s < n_streams; s++)
            add_stream(standard, &streams[s], z, count);
        transform(magnitudes, (float)scale, z, out + first, count);
    }
}
