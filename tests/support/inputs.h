/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs that tests share: lengths around every block size, and families of vectors. */
#ifndef EGC_TEST_INPUTS_H
#define EGC_TEST_INPUTS_H

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/rng.h"

static const size_t test_dims[] = {1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 1023};
enum { N_TEST_DIMS = sizeof test_dims / sizeof *test_dims };

enum test_family { GAUSSIAN, HEAVY_TAIL, TIES, ALL_ZERO, SPIKE, ALL_NEGATIVE, TINY, N_FAMILIES };

static inline void fill_input(float *x, size_t n, int family, uint64_t seed)
{
    uint64_t state = egc_rng_derive_seed(seed, (uint64_t)family, n);
    for (size_t i = 0; i < n; i++) {
        double u = ((double)(egc_rng_next(&state) >> 11) + 0.5) * 0x1p-53;
        double v = ((double)(egc_rng_next(&state) >> 11) + 0.5) * 0x1p-53;
        double gaussian = sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
        double sign = v < 0.5 ? -1 : 1;
        const double values[N_FAMILIES] = {
            [GAUSSIAN] = 1e-3 * gaussian,
            [HEAVY_TAIL] = sign * 1e-4 * (pow(u, -0.7) - 1),
            [TIES] = sign * 0.5 * floor(1 + 3 * u),
            [ALL_ZERO] = 0,
            [SPIKE] = i == n / 2 ? 2.385 : 0,
            [ALL_NEGATIVE] = -fabs(gaussian),
            [TINY] = 1e-40 * gaussian,
        };
        x[i] = (float)values[family];
    }
}

/* `bytes` bytes that end exactly at a page nobody may touch: reading on is a crash. Never freed
 * but with free_guarded. */
static inline void *guarded(size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), body = (bytes + page - 1) / page * page;
    char *map = mmap(NULL, body + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED || mprotect(map + body, page, PROT_NONE) != 0)
        abort();
    return map + body - bytes;
}

static inline void free_guarded(void *memory, size_t bytes)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), body = (bytes + page - 1) / page * page;
    munmap((char *)memory + bytes - body, body + page);
}

#endif
