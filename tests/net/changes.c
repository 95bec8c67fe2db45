/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes over time in a cluster, in closed form: slow and uneven hosts, events of links and
 * hosts, the traffic of others, and the energy all that takes. */
#include "support/test.h"

#include "base/mem.h"
#include "clusters.h"
#include "net/subgroup.h"

/* ---- how fast workers compute ---------------------------------------------------------------- */

enum { WORKERS = 8, STEPS = 4000 };

/* Where a trial leaves what each worker took for a second of work, in shared memory. */
typedef struct pace_notes {
    double took_s[WORKERS];
    double mean, variance; /* of rank 0, over all steps */
} pace_notes;

static egc_status compute_steps(worker *self, egc_error *err)
{
    (void)err;
    pace_notes *notes = *(pace_notes *const *)self->arg;
    double sum = 0, squares = 0;
    for (uint64_t step = 0; step < STEPS; step++) {
        double start = egc_world_now(self->world);
        egc_world_begin_step(self->world, self->rank, step);
        egc_world_compute(self->world, self->rank, 1);
        double took = egc_world_now(self->world) - start;
        sum += took;
        squares += took * took;
        if (step == 0)
            notes->took_s[self->rank] = took;
    }
    if (self->rank == 0) {
        notes->mean = sum / STEPS;
        notes->variance = squares / STEPS - notes->mean * notes->mean;
    }
    return EGC_OK;
}

static void measure_pace_with_servers(const egc_cluster_common *network, uint64_t seed, int servers,
                                      pace_notes *out)
{
    pace_notes *notes = shared_memory(sizeof *notes);
    net_trial trial = trial_of(WORKERS, 1e9, 1e-6, compute_steps, &notes);
    trial.network.host_speeds = network->host_speeds;
    trial.network.stragglers = network->stragglers;
    trial.network.straggler_slowdown = network->straggler_slowdown;
    trial.network.jitter = network->jitter;
    trial.config.seed = seed;
    trial.config.servers = servers;
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    *out = *notes;
}

static void measure_pace(const egc_cluster_common *network, uint64_t seed, pace_notes *out)
{
    measure_pace_with_servers(network, seed, 0, out);
}

static void test_hosts_compute_at_their_speeds(void **state)
{
    (void)state;
    double speeds[] = {1, 0.5, 2};
    pace_notes got;
    measure_pace(&(egc_cluster_common){.host_speeds = {speeds, 3}}, 1, &got);
    for (int rank = 0; rank < WORKERS; rank++)
        assert_close(got.took_s[rank], 1 / speeds[rank % 3], 1e-9);
}

static void test_the_seed_says_who_straggles(void **state)
{
    (void)state;
    const egc_cluster_common slow = {.stragglers = 0.25, .straggler_slowdown = 3};
    pace_notes first, again, other;
    int differ = 0;
    measure_pace(&slow, 1, &first);
    measure_pace(&slow, 1, &again);
    assert_memory_equal(&first, &again, sizeof first);
    for (uint64_t seed = 2; seed < 6; seed++) {
        int stragglers = 0;
        measure_pace(&slow, seed, &other);
        for (int rank = 0; rank < WORKERS; rank++) {
            bool is_slow = other.took_s[rank] > 2;
            assert_close(other.took_s[rank], is_slow ? 3 : 1, 1e-9);
            stragglers += is_slow;
            differ += is_slow != (first.took_s[rank] > 2);
        }
        assert_int_equal(stragglers, 2);
    }
    assert_true(differ > 0);
}

/* The share is of the workers: of eight ranks two serve, so that half of the others is three. */
static void test_servers_are_not_drawn(void **state)
{
    (void)state;
    enum { SERVERS = 2 };
    for (uint64_t seed = 1; seed < 3; seed++) {
        pace_notes got;
        int stragglers = 0;
        measure_pace_with_servers(&(egc_cluster_common){.stragglers = 0.5, .straggler_slowdown = 3},
                                  seed, SERVERS, &got);
        for (int rank = 0; rank < WORKERS; rank++)
            stragglers += got.took_s[rank] > 2;
        assert_int_equal(stragglers, 3);
        measure_pace_with_servers(
            &(egc_cluster_common){.stragglers = 1, .straggler_slowdown = 3, .jitter = 0.3}, seed,
            SERVERS, &got);
        for (int rank = WORKERS - SERVERS; rank < WORKERS; rank++)
            assert_close(got.took_s[rank], 1, 1e-9);
        for (int rank = 0; rank < WORKERS - SERVERS; rank++)
            assert_true(fabs(got.took_s[rank] - 1) > 1e-3 && got.took_s[rank] != 3);
    }
}

/* 4000 draws: the mean lies within 5 of its standard errors, j / sqrt(4000), and the variance
 * within 5 of its, which for a gamma distribution of shape 1 / j^2 are j^2 sqrt((2 + 6 j^2) / n).
 */
static void test_jitter_has_its_mean_and_variance(void **state)
{
    (void)state;
    for (double jitter = 0.1; jitter < 0.6; jitter += 0.2) {
        double variance = jitter * jitter;
        pace_notes got;
        measure_pace(&(egc_cluster_common){.jitter = jitter}, 7, &got);
        assert_true(fabs(got.mean - 1) < 5 * jitter / sqrt(STEPS));
        assert_true(fabs(got.variance - variance) <
                    5 * variance * sqrt((2 + 6 * variance) / STEPS));
        assert_true(got.took_s[0] != got.took_s[1]);
    }
}

/* Its square is 0, or has an inverse that is too large. */
static void test_a_jitter_may_be_too_little_to_be_seen(void **state)
{
    (void)state;
    for (int exponent = -200; exponent < 0; exponent += 40) {
        pace_notes got;
        measure_pace(&(egc_cluster_common){.jitter = pow(10, exponent)}, 7, &got);
        assert_close(got.took_s[0], 1, 1e-9);
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Rank 0 computes `before`, then sends `bytes` to rank 1. */
typedef struct send_after {
    double before_s;
    size_t bytes;
} send_after;

static egc_status send_later(worker *self, egc_error *err)
{
    const send_after *what = self->arg;
    egc_buf in = {0};
    egc_request *request = NULL;
    void *data = egc_calloc(what->bytes + 1, 1);
    egc_status status = EGC_OK;
    if (self->rank > 1)
        return EGC_OK;
    if (self->rank == 0) {
        egc_world_compute(self->world, 0, what->before_s);
        status = egc_isend(self->transport, 1, data, what->bytes, &request, err);
    } else {
        status = egc_irecv(self->transport, 0, &in, &request, err);
    }
    if (!status)
        status = egc_wait(self->transport, request, err);
    egc_buf_fini(&in);
    egc_free(data);
    return status;
}

static egc_event event_of(double at_s)
{
    return (egc_event){.at_s = at_s, .bandwidth_Bps = NAN, .latency_s = NAN, .speed = NAN};
}

static egc_event link_event(double at_s, const char *link)
{
    egc_event event = event_of(at_s);
    snprintf(event.link, sizeof event.link, "%s", link);
    return event;
}

static egc_event host_event(double at_s, const char *host)
{
    egc_event event = event_of(at_s);
    snprintf(event.host, sizeof event.host, "%s", host);
    return event;
}

/* On a star of 1 MB/s and 1 ms. */
static outcome send_with_events(const send_after *what, egc_event *events, size_t n)
{
    net_trial trial = trial_of(3, 1e6, 1e-3, send_later, what);
    trial.network.efficiency = 0.5;
    trial.network.profiles = (egc_param_list){events, n};
    return simulate(&trial);
}

/* 1.5 MB at 0.5 MB/s; from the time 1 s on at a tenth of it. */
static void test_a_link_becomes_slower(void **state)
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

static void test_latency_changes_for_messages_that_start_later(void **state)
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
static void test_a_host_becomes_slower(void **state)
{
    (void)state;
    egc_event events[] = {host_event(1, "host-[0-1]")};
    events[0].speed = 0.5;
    outcome got = send_with_events(&(send_after){2, 1}, events, 1);
    assert_close(got.sim_time_s, 3 + 1e-3 + 2e-6, 1e-9);
}

static void test_a_link_fails_and_comes_back(void **state)
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

static void test_a_lost_host_is_named(void **state)
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
    egc_request *request = NULL;
    if (self->rank == last) {
        egc_world_compute(self->world, last, 3);
        return EGC_OK;
    }
    egc_status status = egc_irecv(self->transport, last, &in, &request, err);
    if (!status)
        status = egc_wait(self->transport, request, err);
    egc_buf_fini(&in);
    return status;
}

/* However many wait for it. */
static void test_a_lost_host_is_named_first(void **state)
{
    (void)state;
    egc_event event = host_event(1, "host-5");
    event.state = EGC_EVENT_DOWN;
    net_trial trial = trial_of(6, 1e6, 1e-3, wait_for_the_last, NULL);
    trial.network.profiles = (egc_param_list){&event, 1};
    outcome got = simulate(&trial);
    assert_string_equal(got.err.message,
                        "the run cannot go on at 1 s: worker-5 was lost with its host at 1 s; "
                        "worker-0 waits for a message from rank 5 on channel 0; "
                        "worker-1 waits for a message from rank 5 on channel 0; "
                        "worker-2 waits for a message from rank 5 on channel 0; and 2 more wait");
}

/* An event that is too late to matter leaves all as it was, whoever lays out the cluster. */
static void test_events_leave_topologies_as_they_are(void **state)
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
        ((egc_cluster_common *)watched.params)->profiles = (egc_param_list){&event, 1};
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

static void test_refuses_events_that_cannot_happen(void **state)
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
    one = event_of(1);
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
    egc_world_sleep(self->world, 2);
    if (self->rank == 0 &&
        (egc_world_reaches(self->world, 0, 2) || !egc_world_reaches(self->world, 0, 1)))
        return egc_fail(err, EGC_ERROR_SIMULATION, "rank 2 must be out of reach, and rank 1 not");
    if (self->rank % 2 == 0)
        return EGC_OK;
    group = egc_subgroup_of(self->transport, members, 2, self->rank / 2);
    snprintf(text, sizeof text, "from %d", group.common.rank);
    egc_status status = egc_sendrecv(&group.common, 1 - group.common.rank, text, sizeof text,
                                     1 - group.common.rank, &in, err);
    snprintf(text, sizeof text, "from %d", 1 - group.common.rank);
    if (!status &&
        (group.common.recv_bytes != sizeof text || memcmp(in.data, text, sizeof text) != 0))
        status = egc_fail(err, EGC_ERROR_SIMULATION, "another message than sent");
    egc_buf_fini(&in);
    return status;
}

static void test_some_go_on_without_others(void **state)
{
    (void)state;
    egc_event cut = link_event(1, "*link_2_UP");
    cut.state = EGC_EVENT_DOWN;
    net_trial trial = trial_of(4, 1e6, 1e-3, talk_in_subgroup, NULL);
    trial.network.profiles = (egc_param_list){&cut, 1};
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
    egc_world_end_actors(self->world, self->rank, NULL);
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
        status = egc_world_watch(
            &(egc_watch){self->world, others[i].rank, 1, note_loss, &others[i]}, err);
    egc_world_sleep(self->world, 2);
    return status;
}

static void test_a_rank_is_watched_until_it_has_ended(void **state)
{
    (void)state;
    egc_event events[] = {host_event(1, "host-0"), host_event(1, "host-2")};
    events[0].state = events[1].state = EGC_EVENT_DOWN;
    double *lost_s = shared_memory(3 * sizeof *lost_s);
    net_trial trial = trial_of(3, 1e6, 1e-3, watch_others, &lost_s);
    trial.network.profiles = (egc_param_list){events, 2};
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    assert_true(lost_s[0] == 0);
    assert_close(lost_s[2], 1, 1e-9);
}

/* ---- the traffic of others ------------------------------------------------------------------- */

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
static void test_others_take_their_share(void **state)
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
    egc_request *request = NULL;
    egc_world_sleep(self->world, 0.5);
    egc_status status = egc_irecv(self->transport, 1 - self->rank, &in, &request, err);
    return status ? status : egc_wait(self->transport, request, err);
}

static void test_others_do_not_hide_a_deadlock(void **state)
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
    egc_gate *gate = egc_gate_new(0);
    if (*asleep)
        egc_world_sleep(self->world, 2);
    else if (egc_gate_wait_for(gate, 2))
        return egc_fail(err, EGC_ERROR_SIMULATION, "nobody opens the gate");
    egc_gate_free(gate);
    return send_a_lot(self, err);
}

static void test_others_go_on_beside_a_wait_that_ends_by_itself(void **state)
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
static void test_others_survive_failures(void **state)
{
    (void)state;
    egc_event events[] = {link_event(1, "*"), link_event(2, "*")};
    events[0].state = EGC_EVENT_DOWN;
    events[1].state = EGC_EVENT_UP;
    net_trial trial = trial_of(3, 1e6, 1e-3, send_later, &(send_after){3, 10000000});
    trial.network.background = 0.5;
    trial.network.background_burst_bytes = 1e4;
    trial.network.profiles = (egc_param_list){events, 2};
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    assert_true(got.sim_time_s > 3 + 10.5);
}

/* ---- energy ---------------------------------------------------------------------------------- */

static egc_status send_and_ask(worker *self, egc_error *err)
{
    const send_after what = {2, 1000000};
    worker inner = *self;
    inner.arg = &what;
    egc_status status = send_later(&inner, err);
    if (self->rank == 1)
        **(egc_energy *const *)self->arg = egc_world_energy(self->world);
    return status;
}

/* Host 0 is busy for 2 s. The message crosses one way of two links of the 6 of 3 hosts. */
static void test_energy_is_power_times_time(void **state)
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
static void test_a_host_that_is_down_draws_nothing(void **state)
{
    (void)state;
    egc_energy *got = shared_memory(sizeof *got);
    egc_event down = host_event(1, "host-2");
    down.state = EGC_EVENT_DOWN;
    net_trial trial = trial_of(3, 1e6, 1e-3, send_and_ask, &got);
    trial.config.energy = true;
    trial.config.device.busy_W = trial.config.device.idle_W = 40;
    trial.network.profiles = (egc_param_list){&down, 1};
    outcome out = simulate(&trial);
    assert_ok(out.status, out.err);
    assert_close(got->host_J, 40 * (2 * out.sim_time_s + 1), 1e-6);
}

static void test_energy_needs_power(void **state)
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
        cmocka_unit_test(test_hosts_compute_at_their_speeds),
        cmocka_unit_test(test_the_seed_says_who_straggles),
        cmocka_unit_test(test_servers_are_not_drawn),
        cmocka_unit_test(test_jitter_has_its_mean_and_variance),
        cmocka_unit_test(test_a_jitter_may_be_too_little_to_be_seen),
        cmocka_unit_test(test_a_link_becomes_slower),
        cmocka_unit_test(test_latency_changes_for_messages_that_start_later),
        cmocka_unit_test(test_a_host_becomes_slower),
        cmocka_unit_test(test_a_link_fails_and_comes_back),
        cmocka_unit_test(test_a_lost_host_is_named),
        cmocka_unit_test(test_a_lost_host_is_named_first),
        cmocka_unit_test(test_events_leave_topologies_as_they_are),
        cmocka_unit_test(test_refuses_events_that_cannot_happen),
        cmocka_unit_test(test_some_go_on_without_others),
        cmocka_unit_test(test_a_rank_is_watched_until_it_has_ended),
        cmocka_unit_test(test_others_take_their_share),
        cmocka_unit_test(test_others_do_not_hide_a_deadlock),
        cmocka_unit_test(test_others_go_on_beside_a_wait_that_ends_by_itself),
        cmocka_unit_test(test_others_survive_failures),
        cmocka_unit_test(test_energy_is_power_times_time),
        cmocka_unit_test(test_a_host_that_is_down_draws_nothing),
        cmocka_unit_test(test_energy_needs_power),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
