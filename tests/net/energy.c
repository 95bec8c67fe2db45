/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What hosts and links consume, in closed form. */
#include "events.h"
#include "support/test.h"

static egc_status send_and_ask(worker *self, egc_error *err)
{
    const send_after what = {2, 1000000};
    worker inner = *self;
    inner.arg = &what;
    egc_status status = send_later(&inner, err);
    if (self->rank == 1)
        **(egc_energy *const *)self->arg = egc_energy_used(self->world);
    return status;
}

/* Host 0 is busy for 2 s. The message crosses one way of two links of the 6 of 3 hosts. */
static void energy__is_power_times_time(void **state)
{
    (void)state;
    egc_energy *got = shared_memory(sizeof *got);
    net_trial trial = trial_of(3, 1e6, 1e-3, send_and_ask, &got);
    trial.config.energy = true;
    trial.config.device.idle_W = 40;
    trial.config.device.busy_W = 300;
    trial.network.link_idle_W = 2;
    trial.network.link_busy_W = 5;
    outcome out = simulate(&trial);
    assert_ok(out.status, out.err);
    double time_s = 2 + 1e-3 + 1;
    assert_close(out.sim_time_s, time_s, 1e-9);
    assert_close(got->host_J, 3 * 40 * time_s + (300 - 40) * 2, 1e-6);
    assert_close(got->link_J, 6 * 2 * time_s + (5 - 2) * 2 * 1, 1e-6);
}

/* A host that is down draws nothing. */
static void energy__a_host_that_is_down_draws_nothing(void **state)
{
    (void)state;
    egc_energy *got = shared_memory(sizeof *got);
    egc_event down = host_event(1, "host-2");
    down.state = EGC_EVENT_DOWN;
    net_trial trial = trial_of(3, 1e6, 1e-3, send_and_ask, &got);
    trial.config.energy = true;
    trial.config.device.busy_W = trial.config.device.idle_W = 40;
    trial.network.events = (egc_param_list){&down, 1};
    outcome out = simulate(&trial);
    assert_ok(out.status, out.err);
    assert_close(got->host_J, 40 * (2 * out.sim_time_s + 1), 1e-6);
}

static void energy__needs_power(void **state)
{
    (void)state;
    egc_energy *got = shared_memory(sizeof *got);
    net_trial trial = trial_of(3, 1e6, 1e-3, send_and_ask, &got);
    trial.config.energy = true;
    assert_string_equal(simulate(&trial).err.message,
                        "cluster.device: energy = true needs idle_power and busy_power of the "
                        "device, got no busy_power");
    trial.config.device.busy_W = 1;
    trial.config.device.idle_W = 2;
    assert_string_equal(simulate(&trial).err.message,
                        "cluster.device.busy_power: must be >= idle_power, 2 W, got 1 W");
    trial.config.device.idle_W = 1;
    trial.network.link_idle_W = 1;
    assert_string_equal(simulate(&trial).err.message,
                        "cluster.link_busy_power: must be >= link_idle_power, 1 W, got 0 W");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy__is_power_times_time),
        cmocka_unit_test(energy__a_host_that_is_down_draws_nothing),
        cmocka_unit_test(energy__needs_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
