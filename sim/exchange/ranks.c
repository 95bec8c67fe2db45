/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folding follows Thakur, Rabenseifner, Gropp, Optimization of collective communication operations
 * in MPICH, 2005, section 4.5. */
#include "exchange/ranks.h"

int egc_ranks_floor_power(int p)
{
    int power = 1;
    while (power <= p / 2)
        power *= 2;
    return power;
}

int egc_ranks_ceil_log2(int p)
{
    int rounds = 0;
    for (int reached = 1; reached < p; reached *= 2)
        rounds++;
    return rounds;
}

int egc_ranks_lowest_bit(int v, int p)
{
    int bit = 1;
    while (bit < p && !(v & bit))
        bit *= 2;
    return bit;
}

int egc_ranks_seat_of(int rank, int p)
{
    int folded = p - egc_ranks_floor_power(p);
    if (rank >= 2 * folded)
        return rank - folded;
    return rank % 2 ? rank / 2 : EGC_NO_SEAT;
}

int egc_ranks_at_seat(int seat, int p)
{
    int folded = p - egc_ranks_floor_power(p);
    return seat < folded ? 2 * seat + 1 : seat + folded;
}

bool egc_ranks_folds(int rank, int p)
{
    return rank < 2 * (p - egc_ranks_floor_power(p));
}
