/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All ranks send to one: it gets every message once, with any window, in the time the closed form
 * says. */
#include "support/test.h"

#include "base/mem.h"
#include "base/rng.h"
#include "exchange/incast.h"
#include "simulate.h"

static const int rank_counts[] = {1, 2, 3, 4, 5, 7, 8, 16, 33};
enum { N_RANK_COUNTS = sizeof rank_counts / sizeof *rank_counts };

typedef enum shape { EQUAL, UNEQUAL, DISTINCT } shape;

typedef struct plan {
    egc_incast_window window;
    shape lengths;
    size_t base;
    int last_root; /* roots 0 to this one, in turn */
} plan;

static size_t length_of(const plan *p, int rank)
{
    switch (p->lengths) {
    case EQUAL:
        return p->base;
    case UNEQUAL:
        return rank % 3 == 1 ? 0 : p->base + (size_t)rank * 31;
    case DISTINCT:
        return p->base + (size_t)rank * 7919 % 1021 * p->base / 1021;
    }
    return 0;
}

/* ---- what arrives --------------------------------------------------------------------------- */

typedef struct inspection {
    const worker *self;
    int root, taken;
} inspection;

static uint8_t byte_of(int from, int root, size_t i)
{
    return (uint8_t)egc_rng_derive_seed((uint64_t)root, (uint64_t)from, i);
}

static egc_status inspect(void *arg, int from, const egc_buf *message, egc_error *err)
{
    inspection *in = arg;
    int expected = (in->root + 1 + in->taken++) % in->self->transport->size;
    if (from != expected)
        return egc_fail(err, EGC_ERROR_FORMAT, "message of rank %d, want rank %d", from, expected);
    if (message->len != length_of(in->self->arg, from))
        return egc_fail(err, EGC_ERROR_FORMAT, "rank %d sent %zu bytes, got %zu", from,
                        length_of(in->self->arg, from), message->len);
    for (size_t i = 0; i < message->len && !in->self->transport->size_only; i++)
        if (message->data[i] != byte_of(from, in->root, i))
            return egc_fail(err, EGC_ERROR_FORMAT, "message of rank %d differs at %zu", from, i);
    return EGC_OK;
}

/* Overwrites what it has sent. */
static egc_status gather_at(worker *self, int root, egc_buf *mine, egc_error *err)
{
    const plan *p = self->arg;
    inspection in = {self, root, 0};
    for (size_t i = 0; i < mine->len && !self->transport->size_only; i++)
        mine->data[i] = byte_of(self->rank, root, i);
    egc_status status =
        egc_incast(self->transport, root, mine->data, mine->len, &p->window, inspect, &in, err);
    if (!status && in.taken != (self->rank == root ? self->transport->size - 1 : 0))
        status = egc_fail(err, EGC_ERROR_FORMAT, "rank %d took %d messages", self->rank, in.taken);
    return status;
}

static egc_status gather_at_each(worker *self, egc_error *err)
{
    const plan *p = self->arg;
    size_t len = length_of(p, self->rank);
    egc_buf mine = {0};
    egc_status status = self->transport->size_only ? EGC_OK : egc_buf_reserve(&mine, len, err);
    mine.len = len;
    for (int root = 0; root < self->transport->size && root <= p->last_root && !status; root++)
        status = gather_at(self, root, &mine, err);
    egc_buf_fini(&mine);
    return status;
}

static outcome gather(int ranks, const plan *p)
{
    net_trial trial = trial_of(ranks, 1.25e9, 25e-6, gather_at_each, p);
    trial.config.size_only = p->base > 100000;
    outcome got = simulate(&trial);
    if (got.status)
        fail_msg("%d ranks, lengths %d of %zu, window %d: %s", ranks, p->lengths, p->base,
                 p->window.messages, got.err.message);
    return got;
}

static void incast__the_root_gets_every_message_once(void **state)
{
    (void)state;
    static const egc_incast_window windows[] = {{0, 0},   {1, 0},   {2, 0},
                                                {3, 100}, {1, 1e9}, {64, 0}};
    static const size_t bases[] = {0, 1, 1000};
    for (int i = 0; i < N_RANK_COUNTS; i++)
        for (size_t j = 0; j < sizeof windows / sizeof *windows; j++)
            for (size_t k = 0; k < sizeof bases / sizeof *bases; k++)
                for (int s = EQUAL; s <= DISTINCT; s++) {
                    const plan p = {windows[j], (shape)s, bases[k], 40};
                    gather(rank_counts[i], &p);
                }
}

/* ---- the time it takes ---------------------------------------------------------------------- */

static double total_of(const plan *p, int ranks)
{
    double total = 0;
    for (int rank = 1; rank < ranks; rank++)
        total += (double)length_of(p, rank);
    return total;
}

/* Without a window, with the root's link the bottleneck: a latency, and all bytes through it. */
static double closed_form(const plan *p, int ranks)
{
    return ranks > 1 ? 25e-6 + total_of(p, ranks) / 1.25e9 : 0;
}

static double alphas_over(int ranks, const plan *p)
{
    return (gather(ranks, p).sim_time_s - closed_form(p, ranks)) / 25e-6;
}

static void incast__without_a_window_it_takes_its_closed_form(void **state)
{
    (void)state;
    for (int i = 0; i < N_RANK_COUNTS; i++)
        for (int s = EQUAL; s <= DISTINCT; s += DISTINCT) {
            const plan p = {{0, 0}, (shape)s, 1000000, 0};
            double over = alphas_over(rank_counts[i], &p);
            assert_true(fabs(over) < 0.01);
        }
}

/* One by one, each message waits for its own latency; a window that doubles has few rests. */
static void incast__a_window_adds_some_latencies(void **state)
{
    (void)state;
    const egc_exchange_network network = {.alpha_s = 25e-6, .beta_s = 1 / 1.25e9};
    const egc_incast_window usual = egc_incast_usual(&network);
    const struct {
        plan plan;
        double least, most;
    } rows[] = {
        {{{1, 0}, EQUAL, 100000, 0}, 126.99, 127.01}, {{{4, 0}, EQUAL, 100000, 0}, 3.99, 5.01},
        {{{4, 0}, DISTINCT, 100000, 0}, 1, 32},       {{usual, EQUAL, 1000000, 0}, 0.99, 1.01},
        {{{4, 125000}, DISTINCT, 100, 0}, 0.5, 1.5},  {{usual, DISTINCT, 1000000, 0}, -0.01, 1},
        {{usual, EQUAL, 1000, 0}, -0.01, 2},          {{usual, DISTINCT, 100, 0}, -0.01, 2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double over = alphas_over(129, &rows[i].plan);
        if (!(over >= rows[i].least && over <= rows[i].most))
            fail_msg("row %zu: %g latencies over, want %g to %g", i, over, rows[i].least,
                     rows[i].most);
    }
}

/* ---- failing -------------------------------------------------------------------------------- */

static egc_status refuse(void *arg, int from, const egc_buf *message, egc_error *err)
{
    (void)arg, (void)message;
    return from == 3 ? egc_fail(err, EGC_ERROR_FORMAT, "no to %d", from) : EGC_OK;
}

static egc_status gather_refused(worker *self, egc_error *err)
{
    const egc_incast_window window = {2, 0};
    return egc_incast(self->transport, 0, "bytes", 5, &window, refuse, NULL, err);
}

static void incast__what_the_taker_refuses_ends_it(void **state)
{
    (void)state;
    net_trial trial = trial_of(8, 1.25e9, 25e-6, gather_refused, NULL);
    outcome got = simulate(&trial);
    assert_int_equal(got.status, EGC_ERROR_FORMAT);
    assert_string_equal(got.err.message, "no to 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(incast__the_root_gets_every_message_once),
        cmocka_unit_test(incast__without_a_window_it_takes_its_closed_form),
        cmocka_unit_test(incast__a_window_adds_some_latencies),
        cmocka_unit_test(incast__what_the_taker_refuses_ends_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
