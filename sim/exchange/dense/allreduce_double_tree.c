/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All-reduce on two binary trees, each of which reduces half of the vector to its root and
 * broadcasts it from there, block after block.
 *
 * The first tree has rank 0 at its root, with one child, the top of a tree over the others in the
 * order of ranks: a rank whose lowest set bit is b has its children b/2 to either side. A child
 * beyond the last rank is replaced by the top of the remaining subtree. So odd ranks are leaves.
 * The second tree is the first with rank r renamed p - 1 - r (p even) or r + 1 modulo p (p odd):
 * odd ranks have the children. Each rank then has two parents and two children in all, and the 2(p
 * - 1) edges can be given two colours such that a rank's edges to its parents differ, and those to
 * its children. In steps of one colour only such edges carry a block: a rank sends one and receives
 * one, and no link carries two.
 *
 *     broadcast:  an edge of colour c that leads down from a rank which holds its tree's first
 *                 block from step s on carries block j in step t + 2j, where t >= s is the first
 *                 step with t mod 2 = c
 *     reduce:     the same steps backwards, up the trees, adding
 *
 * The children of a rank are added in a fixed order, and finished sums are copied: all ranks hold
 * the same bits. Of three ranks, 0 -> 2 -> 1 and 1 -> 0 -> 2: in the first tree's half x0 + (x2 +
 * x1).
 *
 * The number of blocks minimises the closed form on links whose latency is worth PIPE_BYTES, such
 * as 10 Gbit/s with 50 us, or 100 Gbit/s with 5 us. */
#include <math.h>
#include <string.h>

#include "exchange/reduction.h"

enum { PIPE_BYTES = 65536, MAX_EDGES = 2, NONE = -1 };

/* ---- the trees ------------------------------------------------------------------------------ */

static int parent_in_first(int p, int v)
{
    if (v == 0)
        return NONE;
    int bit = v & -v, parent = (v ^ bit) | bit << 1;
    return parent < p ? parent : v ^ bit;
}

/* In tree 0 or 1. */
static int parent_of(int p, int tree, int rank)
{
    if (tree == 0)
        return parent_in_first(p, rank);
    int parent = parent_in_first(p, p % 2 ? (rank + p - 1) % p : p - 1 - rank);
    if (parent == NONE)
        return NONE;
    return p % 2 ? (parent + 1) % p : p - 1 - parent;
}

/* An edge is known by its lower end: 2 rank + tree. */
typedef struct forest {
    int p;
    int *down;   /* by 2 rank: the edges to its children, or NONE */
    int *colour; /* by edge: 0, 1, or NONE as long as it has none */
    int *start;  /* by edge: the step t above, or NONE as long as it is not known */
} forest;

static int upper_end(const forest *f, int edge)
{
    return parent_of(f->p, edge % 2, edge / 2);
}

/* The other edge that leads to the same rank. */
static int beside_below(const forest *f, int edge)
{
    return upper_end(f, edge ^ 1) == NONE ? NONE : edge ^ 1;
}

/* The other edge that leaves the same rank. */
static int beside_above(const forest *f, int edge)
{
    const int *down = &f->down[2 * upper_end(f, edge)];
    return down[0] == edge ? down[1] : down[0];
}

/* Gives the edges that follow in the path alternate colours. */
static void colour_on(forest *f, int edge, bool below)
{
    for (;;) {
        int next = below ? beside_below(f, edge) : beside_above(f, edge);
        if (next == NONE || f->colour[next] != NONE)
            return;
        f->colour[next] = 1 - f->colour[edge];
        edge = next;
        below = !below;
    }
}

static void colour_from(forest *f, int edge)
{
    if (edge == NONE || f->colour[edge] != NONE)
        return;
    f->colour[edge] = 0;
    colour_on(f, edge, true);
    colour_on(f, edge, false);
}

/* Edges form paths and rings in which they alternately share their lower and their upper end. Paths
 * begin where a rank has one child or, as a root, one parent: that edge comes first, to keep the
 * steps few. */
static void colour_all(forest *f)
{
    int second_root = f->p % 2 ? 1 : f->p - 1;
    for (int rank = 0; rank < f->p; rank++)
        if (f->down[2 * rank + 1] == NONE)
            colour_from(f, f->down[2 * rank]);
    colour_from(f, 2 * second_root);
    for (int edge = 0; edge < 2 * f->p; edge++)
        if (upper_end(f, edge) != NONE)
            colour_from(f, edge);
}

/* The path to the root is no longer than log2 p. */
static int start_of(forest *f, int edge)
{
    if (f->start[edge] != NONE)
        return f->start[edge];
    int above = 2 * upper_end(f, edge) + edge % 2;
    int ready = upper_end(f, above) == NONE ? 0 : start_of(f, above) + 1;
    f->start[edge] = ready + (ready % 2 != f->colour[edge]);
    return f->start[edge];
}

/* In `memory`, room for 6p numbers. */
static forest grow(int p, int *memory)
{
    forest f = {p, memory, memory + 2 * p, memory + 4 * p};
    for (int i = 0; i < 6 * p; i++)
        memory[i] = NONE;
    for (int edge = 0; edge < 2 * p; edge++) {
        int upper = upper_end(&f, edge);
        if (upper != NONE)
            f.down[2 * upper + (f.down[2 * upper] != NONE)] = edge;
    }
    colour_all(&f);
    return f;
}

/* ---- one rank's part ------------------------------------------------------------------------ */

typedef struct tie {
    int peer; /* NONE: there is no such edge */
    int tree;
    int start;
} tie;

/* Kept in scratch->trees. */
typedef struct part {
    int p;
    int fill; /* broadcast steps until every rank holds a block of each tree */
    tie up[MAX_EDGES], down[MAX_EDGES];
} part;

static part part_of(forest *f, int rank)
{
    part mine = {.p = f->p};
    for (int edge = 0; edge < 2 * f->p; edge++)
        if (upper_end(f, edge) != NONE && start_of(f, edge) >= mine.fill)
            mine.fill = start_of(f, edge) + 1;
    for (int i = 0; i < MAX_EDGES; i++) {
        int up = 2 * rank + i, down = f->down[2 * rank + i];
        mine.up[i] = (tie){upper_end(f, up), up % 2, f->start[up]};
        mine.down[i] = (tie){NONE, 0, 0};
        if (down != NONE)
            mine.down[i] = (tie){down / 2, down % 2, f->start[down]};
    }
    return mine;
}

/* The trees are built once for a number of ranks. NULL on failure. */
static const part *part_get(egc_call *call)
{
    egc_buf *kept = &call->scratch->trees, *memory = &call->scratch->out;
    const part *known = (const part *)(void *)kept->data;
    if (kept->len && known->p == call->p)
        return known;
    egc_buf_clear(memory);
    call->status = egc_buf_reserve(memory, 6 * (size_t)call->p * sizeof(int), call->err);
    if (call->status)
        return NULL;
    forest f = grow(call->p, (int *)(void *)memory->data);
    part mine = part_of(&f, call->rank);
    egc_buf_clear(kept);
    call->status = egc_buf_append(kept, &mine, sizeof mine, call->err);
    return call->status ? NULL : (const part *)(void *)kept->data;
}

/* ---- the exchange --------------------------------------------------------------------------- */

/* The fill of the trees above, in closed form. (Where idle steps let a rank run ahead, as for p =
 * 7, `fill` is one more.) */
static int fill_of(int p)
{
    return p == 2 ? 1 : 2 * egc_ranks_ceil_log2(p) - 1 - (p % 4 == 2);
}

/* The number of blocks of each tree's half, for n bytes in all. */
static int blocks_of(int p, double n)
{
    if (p <= 2)
        return 1;
    double blocks = floor(sqrt((fill_of(p) - 2) * n / (4.0 * PIPE_BYTES)) + 0.5);
    return blocks < 1 ? 1 : (int)blocks;
}

/* The one of two edges that is in use in a step. */
static const tie *in_use(const tie ties[MAX_EDGES], int step, int blocks)
{
    for (const tie *t = ties; t < ties + MAX_EDGES; t++) {
        int since = step - t->start;
        if (t->peer != NONE && since >= 0 && since % 2 == 0 && since / 2 < blocks)
            return t;
    }
    return NULL;
}

static egc_slice block_of(const egc_call *call, const tie *t, int step, int blocks)
{
    egc_slice half = egc_reduction_slice(call->n, t->tree, t->tree + 1, 2);
    int block = (step - t->start) / 2;
    egc_slice within = egc_reduction_slice(half.count, block, block + 1, blocks);
    return (egc_slice){half.first + within.first, within.count};
}

static void take_step(egc_call *call, const tie up[], const tie down[], int step, int blocks,
                      egc_arrival how)
{
    const tie *to = in_use(how == EGC_ARRIVAL_ADD ? up : down, step, blocks);
    const tie *from = in_use(how == EGC_ARRIVAL_ADD ? down : up, step, blocks);
    if (to && from)
        egc_reduction_swap(call, to->peer, block_of(call, to, step, blocks), from->peer,
                           block_of(call, from, step, blocks), how);
    else if (to)
        egc_reduction_send(call, to->peer, block_of(call, to, step, blocks));
    else if (from)
        egc_reduction_receive(call, from->peer, block_of(call, from, step, blocks), how);
}

static void run(egc_call *call)
{
    const part *mine = call->p > 1 ? part_get(call) : NULL;
    if (!mine)
        return;
    int blocks = blocks_of(call->p, (double)(call->n * egc_element_bytes(call->element)));
    int steps = mine->fill + 2 * (blocks - 1);
    for (int step = steps - 1; step >= 0; step--)
        take_step(call, mine->up, mine->down, step, blocks, EGC_ARRIVAL_ADD);
    for (int step = 0; step < steps; step++)
        take_step(call, mine->up, mine->down, step, blocks, EGC_ARRIVAL_COPY);
}

static double closed_form(int p, double n, const egc_exchange_network *network)
{
    if (p == 1)
        return 0;
    int blocks = blocks_of(p, n), steps = fill_of(p) + 2 * (blocks - 1);
    double block = n / 2 / blocks;
    return steps * (2 * (network->alpha_s + block * network->beta_s) + block * network->gamma_s);
}

const egc_exchange_type egc_exchange_allreduce_double_tree = {
    .name = "double-tree",
    .summary =
        "all-reduce on two binary trees at once, in blocks: few steps and few bytes for any p",
    .cost = "F = 2 ceil(log2 p) - 1 steps to fill (one less for p mod 4 = 2), B = round(sqrt((F-2) "
            "n / 256 KiB)) >= 1 blocks a tree: (F + 2B - 2) (2 alpha + n/B beta + n/(2B) gamma)",
    .reference = "Sanders, Speck, Traff, Two-tree algorithms for full bandwidth broadcast, "
                 "reduction and scan, 2009; the trees are NCCL's since 2.4",
    .kind = EGC_COLLECTIVE_ALLREDUCE,
    .run = run,
    .closed_form = closed_form,
};
