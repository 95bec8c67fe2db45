/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CLOCK_MONOTONIC, which no change of the date moves. */
#include "base/clock.h"

#include <time.h>

double egc_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
