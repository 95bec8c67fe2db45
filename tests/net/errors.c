/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever goes wrong in a cluster ends the run with one line that says what. */
#include "support/test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "simulate.h"

static egc_status do_nothing(worker *self, egc_error *err)
{
    (void)self, (void)err;
    return EGC_OK;
}

static void assert_outcome(const net_trial *trial, egc_status status, const char *message)
{
    outcome got = simulate(trial);
    assert_string_equal(got.err.message, message);
    assert_int_equal(got.status, status);
}

/* ---- configurations ------------------------------------------------------------------------ */

static void errors__refuses_what_cannot_be_simulated(void **state)
{
    (void)state;
    net_trial trial = trial_of(9, 1e9, 1e-6, do_nothing, NULL);
    trial.hosts = 8;
    assert_outcome(&trial, EGC_ERROR_RANGE,
                   "workers must be in [1, 8], the hosts of cluster star, got 9");
    trial.config.workers = 0;
    assert_outcome(&trial, EGC_ERROR_RANGE,
                   "workers must be in [1, 8], the hosts of cluster star, got 0");
    trial.config.workers = 8;
    trial.config.channels = 0;
    assert_outcome(&trial, EGC_ERROR_RANGE, "channels must be >= 1, got 0");
    trial.config.channels = 1;
    trial.config.max_sim_time_s = 0;
    assert_outcome(&trial, EGC_ERROR_RANGE, "max_sim_time must be > 0, got 0");
    trial.config.max_sim_time_s = INFINITY;
    trial.config.device.flops = NAN;
    assert_outcome(&trial, EGC_ERROR_RANGE,
                   "speed of a host, or flops * efficiency of its device, must be in [1, 1e+24] "
                   "flop/s, got nan");
    trial.network.speed_flops = 1e12;
    trial.config.charge_reduction = true;
    trial.config.device.memory_Bps = 0;
    assert_outcome(&trial, EGC_ERROR_RANGE,
                   "memory of the device must be > 0 to charge reductions, got 0 B/s");
}

static void errors__refuses_networks_simgrid_would_abort_on(void **state)
{
    (void)state;
    net_trial trial = trial_of(2, INFINITY, 1e-6, do_nothing, NULL);
    assert_outcome(&trial, EGC_ERROR_RANGE,
                   "bandwidth of the cluster * efficiency must be in [1, 1e+18] B/s, got inf");
    trial.network.bandwidth_Bps = 1e9;
    trial.network.latency_s = INFINITY;
    assert_outcome(&trial, EGC_ERROR_RANGE,
                   "latency of the cluster must be in [0, 1e+09] s, got inf");
    trial.network.latency_s = 0;
    trial.network.cores = 0;
    assert_outcome(&trial, EGC_ERROR_RANGE, "cores must be in [1, 1024], got 0");
    trial.network.cores = 1;
    trial.hosts = 100000;
    assert_outcome(&trial, EGC_ERROR_RANGE, "hosts must be in [1, 16384], got 100000");
}

static void errors__unknown_cluster_lists_the_known(void **state)
{
    (void)state;
    egc_error err;
    const egc_cluster_type *type;
    assert_fails(egc_cluster_find("ring", &type, &err), err, EGC_ERROR_NAME,
                 "unknown cluster \"ring\"; valid: star, fat_tree, torus, dragonfly, racks, "
                 "hierarchical, wan, platform");
}

/* A full disk, as a process sees it that may write no byte to any file. */
static void errors__unwritable_platform_file(void **state)
{
    (void)state;
    struct rlimit before, none;
    getrlimit(RLIMIT_FSIZE, &before);
    none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &none);
    net_trial trial = trial_of(2, 1e9, 1e-6, do_nothing, NULL);
    outcome got = simulate(&trial);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_string_equal(got.err.message, "platform file in /tmp: cannot write: File too large");
    assert_int_equal(got.status, EGC_ERROR_IO);
}

static egc_status make_another(worker *self, egc_error *err)
{
    net_trial trial = trial_of(1, 1e9, 1e-6, do_nothing, NULL);
    (void)self;
    egc_world *world;
    trial.config.cluster_params = star_params(&trial.config.cluster, &trial, err);
    return egc_world_new(&trial.config, &world, err);
}

static void errors__a_process_makes_one_world(void **state)
{
    (void)state;
    net_trial trial = trial_of(1, 1e9, 1e-6, make_another, NULL);
    assert_outcome(&trial, EGC_ERROR_UNSUPPORTED,
                   "a process can simulate one world only, and has made one before");
}

static egc_status send_nowhere(worker *self, egc_error *err)
{
    egc_request *request;
    return egc_transport_isend(self->transport, 2, NULL, 0, &request, err);
}

static void errors__unknown_peer(void **state)
{
    (void)state;
    net_trial trial = trial_of(2, 1e9, 1e-6, send_nowhere, NULL);
    assert_outcome(&trial, EGC_ERROR_RANGE, "rank of a peer must be in [0, 1], got 2");
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* Rank 0 never sends; the others wait for it, each in another way. */
static egc_status wait_forever(worker *self, egc_error *err)
{
    egc_buf in = {0};
    egc_request *request = NULL;
    egc_actor_sleep(self->world, 0.5);
    switch (self->rank) {
    case 0:
        return EGC_OK;
    case 2:
        egc_barrier_wait(egc_barrier_new(2));
        return EGC_OK;
    case 3:
        egc_semaphore_wait(egc_semaphore_new(0));
        return EGC_OK;
    case 4: {
        egc_status status = egc_transport_isend(self->transport, 1, "x", 1, &request, err);
        return status ? status : egc_transport_wait(self->transport, request, err);
    }
    default: {
        egc_status status = egc_transport_irecv(self->transport, 0, &in, &request, err);
        return status ? status : egc_transport_wait(self->transport, request, err);
    }
    }
}

static void errors__deadlock_names_who_waits_for_what(void **state)
{
    (void)state;
    net_trial trial = trial_of(7, 1e9, 1e-6, wait_forever, NULL);
    assert_outcome(
        &trial, EGC_ERROR_SIMULATION,
        "deadlock at 0.5 s: worker-1 waits for a message from rank 0 on channel 0; "
        "worker-2 waits at a barrier; worker-3 waits for a semaphore; worker-4 waits for "
        "rank 1 to take a message on channel 0; and 2 more wait");
    trial.config.max_sim_time_s = 10;
    outcome got = simulate(&trial);
    assert_int_equal(got.status, EGC_ERROR_SIMULATION);
}

static egc_status fail_in_the_middle(worker *self, egc_error *err)
{
    egc_buf in = {0};
    egc_request *request = NULL;
    egc_actor_sleep(self->world, 0.25 * (self->rank + 1));
    if (self->rank == 1)
        return egc_fail(err, EGC_ERROR_NONFINITE, "gradient of worker 1 has a NaN");
    if (self->rank == 2)
        return egc_fail(err, EGC_ERROR_RANGE, "never seen: the run ended before");
    egc_status status = egc_transport_irecv(self->transport, 1, &in, &request, err);
    return status ? status : egc_transport_wait(self->transport, request, err);
}

static void errors__the_first_failure_ends_the_run(void **state)
{
    (void)state;
    net_trial trial = trial_of(4, 1e9, 1e-6, fail_in_the_middle, NULL);
    outcome got = simulate(&trial);
    assert_string_equal(got.err.message, "gradient of worker 1 has a NaN");
    assert_int_equal(got.status, EGC_ERROR_NONFINITE);
    assert_true(got.sim_time_s == 0.5);
}

static egc_status fail_at_once(worker *self, egc_error *err)
{
    return egc_fail(err, EGC_ERROR_FORMAT, "rank %d of all", self->rank);
}

static void errors__failures_at_one_instant_count_in_rank_order(void **state)
{
    (void)state;
    net_trial trial = trial_of(4, 1e9, 1e-6, fail_at_once, NULL);
    assert_outcome(&trial, EGC_ERROR_FORMAT, "rank 0 of all");
}

typedef enum pastime { SLEEP, COMPUTE, WAIT, SEND } pastime;

static egc_status go_on_forever(worker *self, egc_error *err)
{
    egc_buf in = {0};
    egc_semaphore *semaphore = egc_semaphore_new(0);
    egc_status status = EGC_OK;
    int peer = 1 - self->rank;
    while (!status)
        switch (*(const pastime *)self->arg) {
        case SLEEP:
            egc_actor_sleep(self->world, 0.3);
            break;
        case COMPUTE:
            egc_actor_compute(self->world, self->rank, 0.3);
            break;
        case WAIT:
            egc_semaphore_wait_for(semaphore, 0.3);
            break;
        case SEND:
            status = egc_transport_sendrecv(self->transport, peer, "four", 4, peer, &in, err);
            break;
        }
    egc_semaphore_free(semaphore);
    egc_buf_fini(&in);
    return status;
}

static void errors__time_limit_ends_the_run(void **state)
{
    (void)state;
    for (pastime how = SLEEP; how <= SEND; how++) {
        net_trial trial = trial_of(2, 1e9, 0.3, go_on_forever, &how);
        trial.config.max_sim_time_s = 2;
        outcome got = simulate(&trial);
        assert_string_equal(got.err.message, "simulated time passed its limit of 2 s");
        assert_int_equal(got.status, EGC_ERROR_TIMEOUT);
        assert_close(got.sim_time_s, 2.1, 1e-6);
        trial.config.thread_contexts = true;
        assert_int_equal(simulate(&trial).status, EGC_ERROR_TIMEOUT);
    }
}

static egc_status compute_for(worker *self, egc_error *err)
{
    (void)err;
    egc_actor_compute(self->world, self->rank, *(const double *)self->arg);
    return EGC_OK;
}

/* A date at which a step of the clock is less than its last digit, and the end of time. */
static void errors__time_has_a_limit_of_its_own(void **state)
{
    (void)state;
    const double spans_s[] = {1e10, 1e18, 1e300};
    for (size_t i = 0; i < sizeof spans_s / sizeof *spans_s; i++) {
        net_trial trial = trial_of(1, 1e9, 1e-6, compute_for, &spans_s[i]);
        assert_outcome(&trial, EGC_ERROR_TIMEOUT, "simulated time passed its limit of 1e+09 s");
    }
}

/* ---- a link that fails --------------------------------------------------------------------- */

/* SimGrid reads when a link is up from a file of "TIME STATE" lines. It opens such files relative
 * to the platform only, which is read from /proc/PID/fd. */
#define FROM_PLATFORM_TO_ROOT "../../.."
static char cut_file[] = "/tmp/egc-cut-XXXXXX";

static void write_cut_file(void)
{
    int fd = mkstemp(cut_file);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "0.5 0\n", 6), 6);
    assert_int_equal(close(fd), 0);
}

/* Two hosts and one link, which is down from 0.5 s on. */
static egc_status write_failing_platform(const void *params, double speed_flops, egc_buf *xml,
                                         egc_error *err)
{
    (void)params;
    egc_text_put(
        xml,
        "<?xml version=\"1.0\"?>\n"
        "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
        "<host id=\"host-0\" speed=\"%gf\"/><host id=\"host-1\" speed=\"%gf\"/>\n"
        "<link id=\"wire\" bandwidth=\"1MBps\" latency=\"1ms\" state_file=\"" FROM_PLATFORM_TO_ROOT
        "%s\"/>\n"
        "<route src=\"host-0\" dst=\"host-1\"><link_ctn id=\"wire\"/></route>\n"
        "</zone></platform>\n",
        speed_flops, speed_flops, cut_file);
    return egc_buf_check(xml, err);
}

static size_t two_hosts(const void *params)
{
    (void)params;
    return 2;
}

static const egc_cluster_type failing_cluster = {
    .name = "failing",
    .params_size = sizeof(egc_cluster_common),
    .hosts = two_hosts,
    .write_platform = write_failing_platform,
};

/* Rank 0 sends rank 1 a megabyte: one second, half of it with the link up. */
static egc_status send_a_megabyte(worker *self, egc_error *err)
{
    egc_buf in = {0};
    egc_request *request = NULL;
    uint8_t *data = egc_calloc(1000000, 1);
    egc_status status = data ? EGC_OK : egc_fail_memory(err, 1000000);
    if (!status && self->rank == 0)
        status = egc_transport_isend(self->transport, 1, data, 1000000, &request, err);
    else if (!status)
        status = egc_transport_irecv(self->transport, 0, &in, &request, err);
    if (!status)
        status = egc_transport_wait(self->transport, request, err);
    egc_buf_fini(&in);
    egc_free(data);
    return status;
}

static void errors__a_failed_link_is_reported_with_rank_and_time(void **state)
{
    (void)state;
    net_trial trial = trial_of(2, 1e6, 1e-3, send_a_megabyte, NULL);
    trial.config.cluster = &failing_cluster;
    write_cut_file();
    outcome got = simulate(&trial);
    unlink(cut_file);
    assert_string_equal(got.err.message,
                        "rank 0 lost a message to rank 1 at 0.5 s: a host or link failed");
    assert_int_equal(got.status, EGC_ERROR_SIMULATION);
}

/* ---- exchanges that meet what they do not expect ------------------------------------------- */

/* Ranks disagree about the length. */
static egc_status reduce_unequal(worker *self, egc_error *err)
{
    const egc_exchange_type *ring;
    egc_exchange_scratch scratch = {0};
    float data[8] = {0};
    egc_status status = egc_exchange_find("ring", &ring, err);
    if (!status)
        status = egc_exchange_allreduce(ring, self->transport, EGC_ELEMENT_FP32, data,
                                        self->rank ? 4 : 8, &scratch, err);
    egc_exchange_scratch_fini(&scratch);
    return status;
}

static void errors__ranks_that_disagree_are_told(void **state)
{
    (void)state;
    net_trial trial = trial_of(2, 1e9, 1e-6, reduce_unequal, NULL);
    outcome got = simulate(&trial);
    assert_int_equal(got.status, EGC_ERROR_FORMAT);
    assert_string_equal(got.err.message, "ring: rank 1 sent 8 bytes to rank 0, which expects 16");
}

/* A message that is not what allgather-rd writes: a block said to be longer than it is. */
static egc_status gather_garbage(worker *self, egc_error *err)
{
    const egc_exchange_type *rd;
    egc_exchange_scratch scratch = {0};
    egc_buf blocks[2] = {{0}}, in = {0};
    egc_status status = egc_exchange_find("allgather-rd", &rd, err);
    if (!status && self->rank == 0)
        status = egc_exchange_allgather(rd, self->transport, "mine", 4, blocks, &scratch, err);
    else if (!status)
        status = egc_transport_sendrecv(self->transport, 0, self->arg, 3, 0, &in, err);
    egc_buf_fini(&blocks[0]);
    egc_buf_fini(&blocks[1]);
    egc_buf_fini(&in);
    egc_exchange_scratch_fini(&scratch);
    return status;
}

static void errors__damaged_gather_is_refused(void **state)
{
    (void)state;
    net_trial trial = trial_of(2, 1e9, 1e-6, gather_garbage, "\x05xy");
    assert_outcome(&trial, EGC_ERROR_FORMAT,
                   "allgather-rd: message ends early: 5 bytes wanted, 2 left");
    trial.arg = "\x01xy";
    assert_outcome(&trial, EGC_ERROR_FORMAT, "allgather-rd: 1 bytes after the last block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors__refuses_what_cannot_be_simulated),
        cmocka_unit_test(errors__refuses_networks_simgrid_would_abort_on),
        cmocka_unit_test(errors__unknown_cluster_lists_the_known),
        cmocka_unit_test(errors__unwritable_platform_file),
        cmocka_unit_test(errors__a_process_makes_one_world),
        cmocka_unit_test(errors__unknown_peer),
        cmocka_unit_test(errors__deadlock_names_who_waits_for_what),
        cmocka_unit_test(errors__the_first_failure_ends_the_run),
        cmocka_unit_test(errors__failures_at_one_instant_count_in_rank_order),
        cmocka_unit_test(errors__time_limit_ends_the_run),
        cmocka_unit_test(errors__time_has_a_limit_of_its_own),
        cmocka_unit_test(errors__a_failed_link_is_reported_with_rank_and_time),
        cmocka_unit_test(errors__ranks_that_disagree_are_told),
        cmocka_unit_test(errors__damaged_gather_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
