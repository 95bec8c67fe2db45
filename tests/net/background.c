/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The traffic of others, in closed form, and that it ends with what it is beside. */
#include "events.h"
#include "support/test.h"

static egc_status send_a_lot(worker *self, egc_error *err)
{
    return send_later(&(worker){.world = self->world,
                                .transport = self->transport,
                                .rank = self->rank,
                                .arg = &(send_after){0, 100000000}},
                      err);
}

static outcome send_beside(double background, uint64_t seed)
{
    net_trial trial = trial_of(2, 1e6, 1e-6, send_a_lot, NULL);
    trial.network.background = background;
    trial.network.background_burst_bytes = 2e3;
    trial.config.seed = seed;
    return simulate(&trial);
}

/* On two hosts the flow of others has the way of the message. While a burst of b bytes is there
 * both get half of the link: the burst takes 2 b / B, and, as the pause is on average (1 - s) / s
 * times as long as the burst took, the message runs at half speed s of the time: at 1 - s / 2 of
 * the link on average. */
static void background__others_take_their_share(void **state)
{
    (void)state;
    for (double share = 0.2; share < 0.9; share += 0.3) {
        outcome got = send_beside(share, 1);
        assert_ok(got.status, got.err);
        assert_close(got.sim_time_s, 100 / (1 - share / 2), 0.01); /* of some 10,000 bursts */
        assert_true(got.sim_time_s == send_beside(share, 1).sim_time_s);
        assert_true(got.sim_time_s != send_beside(share, 2).sim_time_s);
    }
    assert_close(send_beside(0, 1).sim_time_s, 100 + 1e-6, 1e-9);
}

/* Both receive, after some time. */
static egc_status receive_only(worker *self, egc_error *err)
{
    egc_buf in = {0};
    egc_actor_sleep(self->world, 0.5);
    return egc_transport_receive(self->transport, 1 - self->rank, &in, err);
}

static void background__others_do_not_hide_a_deadlock(void **state)
{
    (void)state;
    net_trial trial = trial_of(2, 1e6, 1e-3, receive_only, NULL);
    trial.network.background = 0.5;
    trial.network.background_burst_bytes = 1e4;
    outcome got = simulate(&trial);
    assert_int_equal(got.status, EGC_ERROR_SIMULATION);
    assert_non_null(strstr(got.err.message, "deadlock at"));
    assert_non_null(strstr(got.err.message, "worker-0 waits for a message from rank 1"));
    assert_true(got.sim_time_s >= 0.5 && got.sim_time_s < 2);
}

/* Both let some time pass, asleep or at a gate that nobody opens, before rank 0 sends. */
static egc_status send_after_a_pause(worker *self, egc_error *err)
{
    const bool *asleep = self->arg;
    egc_semaphore *semaphore = egc_semaphore_new(0);
    if (*asleep)
        egc_actor_sleep(self->world, 2);
    else if (egc_semaphore_wait_for(semaphore, 2))
        return egc_fail(err, EGC_ERROR_SIMULATION, "nobody opens the gate");
    egc_semaphore_free(semaphore);
    return send_a_lot(self, err);
}

static void background__others_go_on_beside_a_wait_that_ends_by_itself(void **state)
{
    (void)state;
    outcome got[2];
    for (int i = 0; i < 2; i++) {
        const bool asleep = i == 0;
        net_trial trial = trial_of(2, 1e6, 1e-6, send_after_a_pause, &asleep);
        trial.network.background = 0.5;
        trial.network.background_burst_bytes = 2e4;
        got[i] = simulate(&trial);
        assert_ok(got[i].status, got[i].err);
    }
    assert_true(got[0].sim_time_s > 2 + 110);
    assert_true(got[0].sim_time_s == got[1].sim_time_s);
}

/* The link of others' flows fails too: they go on when it is back. */
static void background__others_survive_failures(void **state)
{
    (void)state;
    egc_event events[] = {link_event(1, "*"), link_event(2, "*")};
    events[0].state = EGC_EVENT_DOWN;
    events[1].state = EGC_EVENT_UP;
    net_trial trial = trial_of(3, 1e6, 1e-3, send_later, &(send_after){3, 10000000});
    trial.network.background = 0.5;
    trial.network.background_burst_bytes = 1e4;
    trial.network.events = (egc_param_list){events, 2};
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    assert_true(got.sim_time_s > 3 + 10.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(background__others_take_their_share),
        cmocka_unit_test(background__others_do_not_hide_a_deadlock),
        cmocka_unit_test(background__others_go_on_beside_a_wait_that_ends_by_itself),
        cmocka_unit_test(background__others_survive_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
