/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The largest flow through graphs whose answer is known. */
#include "support/test.h"

#include "net/topology/max_flow.h"

typedef struct edge {
    size_t from, to;
    double capacity;
} edge;

static double max_flow(const edge *edges, size_t n, size_t n_nodes)
{
    egc_arena arena = {0};
    egc_max_flow flow;
    egc_error err = {0};
    assert_ok(egc_max_flow_init(&flow, n_nodes, n, &arena, &err), err);
    for (size_t i = 0; i < n; i++)
        egc_max_flow_add_edge(&flow, edges[i].from, edges[i].to, edges[i].capacity);
    double got = egc_max_flow_find(&flow, 0, n_nodes - 1);
    egc_arena_fini(&arena);
    return got;
}

#define MAX_FLOW(n_nodes, ...)                                                                     \
    max_flow((const edge[]){__VA_ARGS__}, sizeof((edge[]){__VA_ARGS__}) / sizeof(edge), n_nodes)

/* Cormen, Leiserson, Rivest, Stein, Introduction to algorithms, the factory's flow network. */
static void flow__textbook(void **state)
{
    (void)state;
    assert_true(MAX_FLOW(6, {0, 1, 16}, {0, 2, 13}, {1, 3, 12}, {2, 1, 4}, {2, 4, 14}, {3, 2, 9},
                         {3, 5, 20}, {4, 3, 7}, {4, 5, 4}) == 23);
}

/* 0 -> 1 -> 2 -> 5 is the shortest way and blocks both others: it must be taken back in part. */
static void flow__a_first_way_is_taken_back(void **state)
{
    (void)state;
    assert_true(MAX_FLOW(6, {0, 1, 1}, {1, 2, 1}, {2, 5, 1}, {0, 3, 1}, {3, 4, 1}, {4, 2, 1},
                         {1, 4, 1}, {4, 5, 1}) == 2);
    assert_true(MAX_FLOW(8, {0, 1, 1}, {1, 2, 1}, {2, 7, 1}, {0, 3, 1}, {3, 4, 1}, {4, 2, 1},
                         {1, 5, 1}, {5, 6, 1}, {6, 7, 1}) == 2);
}

static void flow__limits(void **state)
{
    (void)state;
    assert_true(MAX_FLOW(3, {0, 1, 5}) == 0);
    assert_true(isinf(MAX_FLOW(3, {0, 1, INFINITY}, {1, 2, INFINITY})));
    assert_true(MAX_FLOW(4, {0, 1, INFINITY}, {1, 2, 3}, {2, 3, INFINITY}, {1, 3, 0.5}) == 3.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flow__textbook),
        cmocka_unit_test(flow__a_first_way_is_taken_back),
        cmocka_unit_test(flow__limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
