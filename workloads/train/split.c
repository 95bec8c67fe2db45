/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Deals examples to workers one at a time; each worker draws a class by its shares among the
 * classes that have examples left. */
#include "workloads/train/split.h"

#include <gsl/gsl_randist.h>
#include <stdbool.h>

#include "base/arena.h"
#include "base/rng.h"

enum {
    SEED_SHARES = 0x73686172, /* "shar": streams of random numbers */
    SEED_EXAMPLES = 0x6578616d,
    SEED_TURNS = 0x7475726e,
};

const char *const egc_split_names[] = {"iid", "dirichlet", NULL};

/* The examples of one class in random order, unassigned from `next` on. */
typedef struct pile {
    uint32_t *examples;
    size_t count, next;
} pile;

typedef struct dealer {
    const egc_split *split;
    egc_arena arena;
    pile *piles;    /* one a class */
    double *shares; /* shares of the classes, for each worker */
} dealer;

/* Worker w gets the examples w, w + workers, w + 2 workers ... of the deal. */
size_t egc_split_first(const egc_split *split, size_t worker)
{
    const size_t each = split->examples / split->workers, more = split->examples % split->workers;
    return worker * each + (worker < more ? worker : more);
}

static egc_status make_piles(dealer *d, egc_error *err)
{
    const egc_split *split = d->split;
    d->piles = egc_arena_alloc(&d->arena, split->classes * sizeof *d->piles);
    if (!d->piles)
        return egc_fail_memory(err, split->classes * sizeof *d->piles);
    for (size_t i = 0; i < split->examples; i++)
        d->piles[split->labels[i]].count++;
    for (size_t c = 0; c < split->classes; c++) {
        pile *p = &d->piles[c];
        p->examples = egc_arena_alloc(&d->arena, (p->count + 1) * sizeof *p->examples);
        if (!p->examples)
            return egc_fail_memory(err, p->count * sizeof *p->examples);
    }
    return EGC_OK;
}

static void fill_piles(dealer *d)
{
    const egc_split *split = d->split;
    for (size_t i = 0; i < split->examples; i++) {
        pile *p = &d->piles[split->labels[i]];
        p->examples[p->next++] = (uint32_t)i;
    }
    for (size_t c = 0; c < split->classes; c++) {
        pile *p = &d->piles[c];
        uint64_t state = egc_rng_derive_seed(split->seed, SEED_EXAMPLES, c);
        const gsl_rng rng = {egc_rng_splitmix64, &state};
        if (p->count > 0) /* GSL cannot shuffle nothing */
            gsl_ran_shuffle(&rng, p->examples, p->count, sizeof *p->examples);
        p->next = 0;
    }
}

static egc_status draw_shares(dealer *d, egc_error *err)
{
    const egc_split *split = d->split;
    const size_t classes = split->classes;
    d->shares = egc_arena_alloc(&d->arena, split->workers * classes * sizeof *d->shares);
    double *alpha = egc_arena_alloc(&d->arena, classes * sizeof *alpha);
    if (!d->shares || !alpha)
        return egc_fail_memory(err, split->workers * classes * sizeof *d->shares);
    for (size_t c = 0; c < classes; c++)
        alpha[c] = split->alpha;
    for (size_t worker = 0; worker < split->workers; worker++) {
        uint64_t state = egc_rng_derive_seed(split->seed, SEED_SHARES, worker);
        const gsl_rng rng = {egc_rng_splitmix64, &state};
        gsl_ran_dirichlet(&rng, classes, alpha, d->shares + worker * classes);
    }
    return EGC_OK;
}

/* Weight of a class for a worker: its share, or the number of examples left once none of the
 * worker's classes has any. */
static double wish(const dealer *d, const double *shares, bool by_share, size_t c)
{
    const size_t left = d->piles[c].count - d->piles[c].next;
    if (left == 0)
        return 0;
    return by_share ? shares[c] : (double)left;
}

static pile *choose(const dealer *d, size_t worker, double place)
{
    const size_t classes = d->split->classes;
    const double *shares = d->shares + worker * classes;
    double total = 0;
    for (size_t c = 0; c < classes; c++)
        total += wish(d, shares, true, c);
    const bool by_share = total > 0;
    for (size_t c = 0; c < classes && !by_share; c++)
        total += wish(d, shares, false, c);
    pile *last = NULL;
    double sum = 0;
    for (size_t c = 0; c < classes; c++) {
        const double wanted = wish(d, shares, by_share, c);
        if (wanted == 0)
            continue;
        last = &d->piles[c];
        sum += wanted;
        if (place * total < sum)
            break;
    }
    return last;
}

static void deal(const dealer *d, uint32_t *out)
{
    const egc_split *split = d->split;
    uint64_t state = egc_rng_derive_seed(split->seed, SEED_TURNS, 0);
    const gsl_rng rng = {egc_rng_splitmix64, &state};
    for (size_t i = 0; i < split->examples; i++) {
        const size_t worker = i % split->workers;
        pile *p = choose(d, worker, gsl_rng_uniform(&rng));
        out[egc_split_first(split, worker) + i / split->workers] = p->examples[p->next++];
    }
}

egc_status egc_split_dirichlet(const egc_split *split, uint32_t *out, egc_error *err)
{
    dealer d = {.split = split};
    egc_status status = make_piles(&d, err);
    if (!status)
        status = draw_shares(&d, err);
    if (!status) {
        fill_piles(&d);
        deal(&d, out);
    }
    egc_arena_fini(&d.arena);
    return status;
}
