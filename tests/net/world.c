/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a world promises besides the cost of messages: computing, sharing, order, accounting. */
#include "support/test.h"

#include "base/mem.h"
#include "simulate.h"

/* ---- computing ----------------------------------------------------------------------------- */

static egc_status compute_beside(void *arg, egc_error *err)
{
    (void)err;
    egc_actor_compute(arg, 0, 1.0);
    return EGC_OK;
}

/* One second of work, while another actor on the same device has one too. */
static egc_status compute_two(worker *self, egc_error *err)
{
    egc_status status = egc_actor_spawn(self->world, 0, "beside", compute_beside, self->world, err);
    egc_actor_compute(self->world, 0, 1.0);
    egc_actor_compute(self->world, 0, 0.0);
    return status;
}

static void world__a_device_shares_its_cores(void **state)
{
    (void)state;
    net_trial trial = trial_of(1, 1e9, 1e-6, compute_two, NULL);
    assert_close(simulate(&trial).sim_time_s, 2.0, 1e-9);
    trial.network.cores = 2;
    assert_close(simulate(&trial).sim_time_s, 1.0, 1e-9);
    trial.network.speed_flops = 5;
    trial.config.device.flops = NAN;
    assert_close(simulate(&trial).sim_time_s, 1.0, 1e-9);
}

/* ---- waiting ------------------------------------------------------------------------------- */

typedef struct meeting_place {
    egc_barrier *barrier;
    egc_semaphore *semaphore;
} meeting_place;

/* All but the last rank wait for the last at a barrier, then rank 0 for two signals. */
static egc_status meet(worker *self, egc_error *err)
{
    static meeting_place meeting; /* of this process: every trial has its own */
    int last = self->transport->size - 1;
    if (!meeting.barrier) {
        meeting.barrier = egc_barrier_new(self->transport->size);
        meeting.semaphore = egc_semaphore_new(1);
    }
    egc_actor_sleep(self->world, self->rank == last ? 3.0 : 0.0);
    egc_barrier_wait(meeting.barrier);
    if (egc_transport_now(self->transport) != 3.0)
        return egc_fail(err, EGC_ERROR_SIMULATION, "passed the barrier at %g s",
                        egc_transport_now(self->transport));
    egc_actor_sleep(self->world, self->rank);
    if (self->rank > 0)
        egc_semaphore_signal(meeting.semaphore);
    else
        for (int signals = 0; signals < self->transport->size; signals++)
            egc_semaphore_wait(meeting.semaphore);
    if (self->rank == 0 && egc_transport_now(self->transport) != 3.0 + last)
        return egc_fail(err, EGC_ERROR_SIMULATION, "passed the gate at %g s",
                        egc_transport_now(self->transport));
    return EGC_OK;
}

static void world__barriers_and_gates_take_no_time(void **state)
{
    (void)state;
    net_trial trial = trial_of(4, 1e9, 1e-6, meet, NULL);
    for (int run = 0; run < 2; run++) {
        outcome got = simulate(&trial);
        assert_ok(got.status, got.err);
        assert_true(got.sim_time_s == 6.0);
        trial.config.thread_contexts = true;
    }
}

/* ---- messages ------------------------------------------------------------------------------ */

enum { MESSAGES = 20 };

/* Sends a run of messages of falling lengths at once, overwriting each when it may. */
static egc_status send_many(worker *self, egc_error *err)
{
    uint8_t data[MESSAGES][64];
    egc_request *requests[MESSAGES] = {NULL};
    egc_status status = EGC_OK;
    for (int i = 0; i < MESSAGES && !status; i++) {
        memset(data[i], i, sizeof data[i]);
        status = egc_transport_isend(self->transport, 1, data[i], (size_t)(MESSAGES - i),
                                     &requests[i], err);
    }
    for (int i = 0; i < MESSAGES && !status; i++) {
        status = egc_transport_wait(self->transport, requests[i], err);
        memset(data[i], 0xff, sizeof data[i]);
    }
    return status;
}

/* Receives them all late: long after the sender has overwritten what it sent. */
static egc_status receive_many(worker *self, egc_error *err)
{
    egc_buf in[MESSAGES] = {{0}};
    egc_request *requests[MESSAGES] = {NULL};
    egc_status status = EGC_OK;
    for (int i = 0; i < MESSAGES && !status; i++)
        status = egc_transport_irecv(self->transport, 0, &in[i], &requests[i], err);
    egc_actor_sleep(self->world, 1.0);
    for (int i = 0; i < MESSAGES && !status; i++) {
        status = egc_transport_wait(self->transport, requests[i], err);
        if (!status && (in[i].len != (size_t)(MESSAGES - i) || in[i].data[0] != i))
            status = egc_fail(err, EGC_ERROR_FORMAT, "message %d is not what was sent", i);
    }
    for (int i = 0; i < MESSAGES; i++)
        egc_buf_fini(&in[i]);
    return status;
}

static egc_status send_or_receive(worker *self, egc_error *err)
{
    egc_status status = self->rank ? receive_many(self, err) : send_many(self, err);
    double bytes = MESSAGES * (MESSAGES + 1) / 2;
    bool right = self->rank ? self->transport->recv_bytes == bytes && !self->transport->sent_bytes
                            : self->transport->sent_bytes == bytes && !self->transport->recv_bytes;
    return status || right ? status : egc_fail(err, EGC_ERROR_FORMAT, "bytes are miscounted");
}

static void world__messages_keep_their_order_and_bytes(void **state)
{
    (void)state;
    net_trial trial = trial_of(2, 1e6, 1e-3, send_or_receive, NULL);
    for (int run = 0; run < 2; run++) {
        outcome got = simulate(&trial);
        assert_ok(got.status, got.err);
        assert_true(got.network_bytes == MESSAGES * (MESSAGES + 1) / 2);
        trial.config.thread_contexts = true;
    }
}

/* The same two ranks on two channels: each keeps to itself. */
static egc_status use_channels(worker *self, egc_error *err)
{
    egc_status status = EGC_OK;
    egc_request *requests[4] = {NULL};
    egc_buf in[2] = {{0}};
    int peer = 1 - self->rank;
    for (int i = 0; i < 2 && !status; i++) {
        egc_transport *transport = egc_world_transport(self->world, self->rank, 1 - i);
        status =
            egc_transport_isend(transport, peer, i ? "zero" : "one", i ? 5 : 4, &requests[i], err);
    }
    for (int i = 0; i < 2 && !status; i++) {
        egc_transport *transport = egc_world_transport(self->world, self->rank, i);
        status = egc_transport_irecv(transport, peer, &in[i], &requests[2 + i], err);
    }
    for (int i = 3; i >= 0 && !status; i--)
        status = egc_transport_wait(self->transport, requests[i], err);
    if (!status && (in[0].len != 5 || in[1].len != 4))
        status = egc_fail(err, EGC_ERROR_FORMAT, "channels are mixed up");
    egc_buf_fini(&in[0]);
    egc_buf_fini(&in[1]);
    return status;
}

static void world__channels_are_independent(void **state)
{
    (void)state;
    net_trial trial = trial_of(2, 1e6, 1e-3, use_channels, NULL);
    trial.config.channels = 2;
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    assert_true(got.network_bytes == 18);
}

/* To itself, and nothing to another. */
static egc_status send_self_and_nothing(worker *self, egc_error *err)
{
    egc_buf in = {0};
    int peer = 1 - self->rank;
    egc_status status =
        egc_transport_sendrecv(self->transport, self->rank, "self", 5, self->rank, &in, err);
    if (!status && (in.len != 5 || strcmp((char *)in.data, "self") != 0))
        status = egc_fail(err, EGC_ERROR_FORMAT, "a message to itself was lost");
    if (!status)
        status = egc_transport_sendrecv(self->transport, peer, NULL, 0, peer, &in, err);
    if (!status && in.len != 0)
        status = egc_fail(err, EGC_ERROR_FORMAT, "nothing arrived as %zu bytes", in.len);
    egc_buf_fini(&in);
    return status ? status : egc_transport_wait(self->transport, NULL, err);
}

static void world__messages_to_itself_and_empty_ones(void **state)
{
    (void)state;
    net_trial trial = trial_of(2, 1e6, 0.5, send_self_and_nothing, NULL);
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    assert_close(got.sim_time_s, 0.5, 1e-6);
    trial.network.latency_s = 0;
    got = simulate(&trial);
    assert_ok(got.status, got.err);
}

/* ---- messages that leave together ----------------------------------------------------------- */

enum { SENDERS = 8, SHORT = 1000, LONG = 2000 };

/* Ranks 2 and up send to rank 1 and at once to rank 0. */
static egc_status send_two(worker *self, egc_error *err)
{
    static const char data[LONG];
    egc_request *requests[2] = {NULL};
    egc_status status = egc_transport_isend(self->transport, 1, data, SHORT, &requests[0], err);
    if (!status)
        status = egc_transport_isend(self->transport, 0, data, LONG, &requests[1], err);
    for (int i = 0; i < 2 && !status; i++)
        status = egc_transport_wait(self->transport, requests[i], err);
    return status;
}

static egc_status fan_in(worker *self, egc_error *err)
{
    static egc_buf into[SENDERS];
    egc_request *requests[SENDERS] = {NULL};
    egc_status status = EGC_OK;
    if (self->rank > 1)
        return send_two(self, err);
    for (int i = 0; i < SENDERS && !status; i++)
        status = egc_transport_irecv(self->transport, i + 2, &into[i], &requests[i], err);
    for (int i = 0; i < SENDERS && !status; i++)
        status = egc_transport_wait(self->transport, requests[i], err);
    double bytes = SENDERS * (self->rank ? SHORT : LONG), now = egc_transport_now(self->transport);
    double expected = 1e-3 + bytes / 1e6;
    bool exact = *(const egc_network_model *)self->arg == EGC_NETWORK_CM02;
    if (!status && exact && fabs(now - expected) > 1e-6 * expected)
        return egc_fail(err, EGC_ERROR_SIMULATION, "rank %d had all at %g s, not at %g s",
                        self->rank, now, expected);
    return status;
}

/* SimGrid alone lets the second messages have 7 times the bandwidth of the link they meet on. */
static void world__messages_that_leave_together_share_links(void **state)
{
    (void)state;
    egc_network_model model = EGC_NETWORK_CM02;
    net_trial trial = trial_of(SENDERS + 2, 1e6, 1e-3, fan_in, &model);
    outcome o = simulate(&trial);
    if (o.status)
        fail_msg("%s", o.err.message);
    for (model = EGC_NETWORK_LV08; model <= EGC_NETWORK_SMPI; model++) { /* their own latencies */
        trial.config.network_model = model;
        o = simulate(&trial);
        assert_int_equal(o.status, EGC_OK);
        assert_true(o.sim_time_s > SENDERS * LONG / 1e6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(world__a_device_shares_its_cores),
        cmocka_unit_test(world__barriers_and_gates_take_no_time),
        cmocka_unit_test(world__messages_keep_their_order_and_bytes),
        cmocka_unit_test(world__channels_are_independent),
        cmocka_unit_test(world__messages_to_itself_and_empty_ones),
        cmocka_unit_test(world__messages_that_leave_together_share_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
