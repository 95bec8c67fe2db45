/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens to links and hosts while a cluster is in use, in closed form, what is said of those
 * that are lost, and going on without. */
#include "base/mem.h"
#include "clusters.h"
#include "events.h"
#include "net/transport/subgroup.h"
#include "support/test.h"

/* On a star of 1 MB/s and 1 ms. */
static outcome send_with_events(const send_after *what, egc_event *events, size_t n)
{
    net_trial trial = trial_of(3, 1e6, 1e-3, send_later, what);
    trial.network.efficiency = 0.5;
    trial.network.events = (egc_param_list){events, n};
    return simulate(&trial);
}

/* 1.5 MB at 0.5 MB/s; from the time 1 s on at a tenth of it. */
static void profiles__a_link_becomes_slower(void **state)
{
    (void)state;
    egc_event events[] = {link_event(1, "*link_1_DOWN"), link_event(3, "*link_1_DOWN")};
    events[0].bandwidth_Bps = 1e5;
    events[1].bandwidth_Bps = 2e6;
    double sent = 0.5e6 * (1 - 1e-3), later = sent + 0.5e5 * 2;
    outcome got = send_with_events(&(send_after){0, 1500000}, events, 1);
    assert_ok(got.status, got.err);
    assert_close(got.sim_time_s, 1 + (1.5e6 - sent) / 0.5e5, 1e-6);
    got = send_with_events(&(send_after){0, 1500000}, events, 2);
    assert_ok(got.status, got.err);
    /* The other three links of the path still have 0.5 MB/s. */
    assert_close(got.sim_time_s, 3 + (1.5e6 - later) / 0.5e6, 1e-6);
}

static void profiles__latency_changes_for_messages_that_start_later(void **state)
{
    (void)state;
    egc_event events[] = {link_event(1, "group-0_link_0_UP")};
    events[0].latency_s = 0.25;
    outcome got = send_with_events(&(send_after){0.5, 1}, events, 1);
    assert_close(got.sim_time_s, 0.5 + 1e-3 + 2e-6, 1e-9);
    got = send_with_events(&(send_after){1.5, 1}, events, 1);
    assert_close(got.sim_time_s, 1.5 + 0.25 + 0.5e-3 + 2e-6, 1e-9);
}

/* Two seconds of work, at half the speed after the first. */
static void profiles__a_host_becomes_slower(void **state)
{
    (void)state;
    egc_event events[] = {host_event(1, "host-[0-1]")};
    events[0].speed = 0.5;
    outcome got = send_with_events(&(send_after){2, 1}, events, 1);
    assert_close(got.sim_time_s, 3 + 1e-3 + 2e-6, 1e-9);
}

static void profiles__a_link_fails_and_comes_back(void **state)
{
    (void)state;
    egc_event events[] = {link_event(1, "*link_1_*"), link_event(2, "*link_1_*")};
    events[0].state = EGC_EVENT_DOWN;
    events[1].state = EGC_EVENT_UP;
    outcome got = send_with_events(&(send_after){0.5, 1000000}, events, 2);
    assert_int_equal(got.status, EGC_ERROR_SIMULATION);
    assert_string_equal(got.err.message,
                        "rank 1 lost a message from rank 0 at 1 s: a host or link failed");
    got = send_with_events(&(send_after){1.5, 1000000}, events, 2);
    assert_string_equal(got.err.message,
                        "rank 1 lost a message from rank 0 at 1.5 s: a host or link failed");
    got = send_with_events(&(send_after){2.5, 1000000}, events, 2);
    assert_ok(got.status, got.err);
    assert_close(got.sim_time_s, 2.5 + 1e-3 + 2, 1e-9);
}

static void profiles__a_lost_host_is_named(void **state)
{
    (void)state;
    egc_event events[] = {host_event(1, "host-0")};
    events[0].state = EGC_EVENT_DOWN;
    outcome got = send_with_events(&(send_after){0, 1000000}, events, 1);
    assert_string_equal(got.err.message,
                        "rank 1 lost a message from rank 0 at 1 s: a host or link failed");
    got = send_with_events(&(send_after){3, 1}, events, 1);
    assert_string_equal(got.err.message,
                        "the run cannot go on at 1 s: worker-0 was lost with its host at 1 s; "
                        "worker-1 waits for a message from rank 0 on channel 0");
    assert_int_equal(got.status, EGC_ERROR_SIMULATION);
}

/* The last computes, and the others wait for what it would send. */
static egc_status wait_for_the_last(worker *self, egc_error *err)
{
    int last = self->transport->size - 1;
    egc_buf in = {0};
    if (self->rank == last) {
        egc_actor_compute(self->world, last, 3);
        return EGC_OK;
    }
    egc_status status = egc_transport_receive(self->transport, last, &in, err);
    egc_buf_fini(&in);
    return status;
}

/* However many wait for it. */
static void profiles__a_lost_host_is_named_first(void **state)
{
    (void)state;
    egc_event event = host_event(1, "host-5");
    event.state = EGC_EVENT_DOWN;
    net_trial trial = trial_of(6, 1e6, 1e-3, wait_for_the_last, NULL);
    trial.network.events = (egc_param_list){&event, 1};
    outcome got = simulate(&trial);
    assert_string_equal(got.err.message,
                        "the run cannot go on at 1 s: worker-5 was lost with its host at 1 s; "
                        "worker-0 waits for a message from rank 5 on channel 0; "
                        "worker-1 waits for a message from rank 5 on channel 0; "
                        "worker-2 waits for a message from rank 5 on channel 0; and 2 more wait");
}

/* An event that is too late to matter leaves all as it was, whoever lays out the cluster. */
static void profiles__events_leave_topologies_as_they_are(void **state)
{
    (void)state;
    static const char *const settings[][2] = {
        {"star", "hosts=9 "},
        {"fat_tree", "levels=2 children=3,3 parents=2 "},
        {"torus", "dims=3,3,2 "},
        {"dragonfly", "groups=3 chassis=2 routers=2 nodes=2 "},
        {"racks", "racks=3 rack_hosts=3 "},
        {"hierarchical", "nodes=3 gpus=3 "},
        {"wan", "hosts=9 spread=0.5 "},
    };
    const message all[] = {{0, 1}, {1, 0}, {0, 4}, {4, 0}, {2, 8}, {8, 3}, {5, 3}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        test_cluster plain, watched;
        egc_error err = {0};
        assert_ok(make_cluster(settings[i][0], settings[i][1], &plain, &err), err);
        assert_ok(make_cluster(settings[i][0], settings[i][1], &watched, &err), err);
        egc_event event = host_event(1e6, "host-*");
        event.speed = 0.5;
        ((egc_cluster_common *)watched.params)->events = (egc_param_list){&event, 1};
        double want = time_of_messages(&plain, all, 7, 1000000);
        assert_close(time_of_messages(&watched, all, 7, 1000000), want, 1e-7);
        free_cluster(&plain);
        free_cluster(&watched);
    }
}

static void assert_refused(egc_event *events, size_t n, const char *why)
{
    outcome got = send_with_events(&(send_after){0, 1}, events, n);
    assert_string_equal(got.err.message, why);
}

static void profiles__refuses_events_that_cannot_happen(void **state)
{
    (void)state;
    egc_event one = link_event(1, "uplink"),
              two[] = {link_event(2, "*_UP"), link_event(2, "*1_UP")};
    one.state = two[0].state = two[1].state = EGC_EVENT_DOWN;
    assert_refused(&one, 1,
                   "profiles[1]: no link is called \"uplink\"; there are: group-0_link_0_UP, "
                   "group-0_link_1_DOWN, group-0_link_2_DOWN, group-0_link_1_UP, "
                   "group-0_link_0_DOWN, group-0_link_2_UP");
    assert_refused(two, 2,
                   "profiles[2]: at must be later than that of the event before for "
                   "group-0_link_1_UP, 2 s, got 2 s");
    one = host_event(1, "host-3");
    one.speed = 0.5;
    assert_refused(&one, 1,
                   "profiles[1]: no host is called \"host-3\"; there are: host-0, host-1, host-2");
    one = host_event(1, "host-1");
    assert_refused(&one, 1,
                   "profiles[1]: must change bandwidth, latency, speed or state, got none of them");
    one.at_s = 0;
    one.state = EGC_EVENT_DOWN;
    assert_refused(&one, 1,
                   "profiles[1]: at must be > 0 for a host that goes down, got 0: workers begin on "
                   "hosts that are up");
    one = host_event(1, "host-1");
    one.bandwidth_Bps = 1;
    assert_refused(
        &one, 1,
        "profiles[1]: a link has bandwidth, latency and state, a host speed and state; got "
        "bandwidth of a host");
    one = host_event(1, "");
    one.state = EGC_EVENT_DOWN;
    assert_refused(&one, 1, "profiles[1]: must name either a host or a link");
}

/* Of four ranks, 1 and 3 talk as 0 and 1; rank 2 is lost before, and the rest of them watches. */
static egc_status talk_in_subgroup(worker *self, egc_error *err)
{
    static const int members[] = {1, 3};
    char text[24] = "";
    egc_buf in = {0};
    egc_subgroup group;
    egc_actor_sleep(self->world, 2);
    if (self->rank == 0 &&
        (egc_failure_reachable(self->world, 0, 2) || !egc_failure_reachable(self->world, 0, 1)))
        return egc_fail(err, EGC_ERROR_SIMULATION, "rank 2 must be out of reach, and rank 1 not");
    if (self->rank % 2 == 0)
        return EGC_OK;
    group = egc_subgroup_of(self->transport, members, 2, self->rank / 2);
    snprintf(text, sizeof text, "from %d", group.common.rank);
    egc_status status = egc_transport_sendrecv(&group.common, 1 - group.common.rank, text,
                                               sizeof text, 1 - group.common.rank, &in, err);
    snprintf(text, sizeof text, "from %d", 1 - group.common.rank);
    if (!status &&
        (group.common.recv_bytes != sizeof text || memcmp(in.data, text, sizeof text) != 0))
        status = egc_fail(err, EGC_ERROR_SIMULATION, "another message than sent");
    egc_buf_fini(&in);
    return status;
}

static void profiles__some_go_on_without_others(void **state)
{
    (void)state;
    egc_event cut = link_event(1, "*link_2_UP");
    cut.state = EGC_EVENT_DOWN;
    net_trial trial = trial_of(4, 1e6, 1e-3, talk_in_subgroup, NULL);
    trial.network.events = (egc_param_list){&cut, 1};
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
}

typedef struct watching {
    egc_world *world;
    int rank;
    double *lost_s;
} watching;

static void note_loss(void *arg)
{
    const watching *self = arg;
    *self->lost_s = egc_world_now(self->world);
    egc_actor_end(self->world, self->rank, NULL);
}

/* Rank 1 watches both others, whose hosts fail: rank 0 has ended before, at the very moment that
 * the watch begins. */
static egc_status watch_others(worker *self, egc_error *err)
{
    double *const *lost_s = self->arg;
    watching others[] = {{self->world, 0, *lost_s}, {self->world, 2, *lost_s + 2}};
    egc_status status = EGC_OK;
    if (self->rank == 0)
        return EGC_OK;
    for (int i = 0; i < 2 && self->rank == 1 && !status; i++)
        status = egc_failure_watch(
            &(egc_failure_watcher){self->world, others[i].rank, 1, note_loss, &others[i]}, err);
    egc_actor_sleep(self->world, 2);
    return status;
}

static void profiles__a_rank_is_watched_until_it_has_ended(void **state)
{
    (void)state;
    egc_event events[] = {host_event(1, "host-0"), host_event(1, "host-2")};
    events[0].state = events[1].state = EGC_EVENT_DOWN;
    double *lost_s = shared_memory(3 * sizeof *lost_s);
    net_trial trial = trial_of(3, 1e6, 1e-3, watch_others, &lost_s);
    trial.network.events = (egc_param_list){events, 2};
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    assert_true(lost_s[0] == 0);
    assert_close(lost_s[2], 1, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(profiles__a_link_becomes_slower),
        cmocka_unit_test(profiles__latency_changes_for_messages_that_start_later),
        cmocka_unit_test(profiles__a_host_becomes_slower),
        cmocka_unit_test(profiles__a_link_fails_and_comes_back),
        cmocka_unit_test(profiles__a_lost_host_is_named),
        cmocka_unit_test(profiles__a_lost_host_is_named_first),
        cmocka_unit_test(profiles__events_leave_topologies_as_they_are),
        cmocka_unit_test(profiles__refuses_events_that_cannot_happen),
        cmocka_unit_test(profiles__some_go_on_without_others),
        cmocka_unit_test(profiles__a_rank_is_watched_until_it_has_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
