/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulated times equal the closed forms: a message costs latency + bytes / bandwidth, directions
 * do not slow each other, and every exchange takes what its cost says to 0.1 %. */
#include "support/test.h"

#include "base/mem.h"
#include "one_call.h"
#include "simulate.h"

enum { MIB = 1 << 20 };

/* ---- exchanges ----------------------------------------------------------------------------- */

static double error_of(const egc_exchange_type *type, int p, size_t bytes, double bandwidth_Bps,
                       double latency_s)
{
    one_call call = {type, bytes};
    net_trial trial = trial_of(p, bandwidth_Bps, latency_s, one_call_main, &call);
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    double want = type->closed_form(p, (double)bytes, latency_s, 1 / bandwidth_Bps, 0);
    double error = fabs(got.sim_time_s / want - 1);
    if (!(error <= 1e-3))
        fail_msg("%s, %d ranks, %zu bytes, %g B/s, %g s: %g s, want %g s", type->name, p, bytes,
                 bandwidth_Bps, latency_s, got.sim_time_s, want);
    return error;
}

/* Of a chunk, a piece or a block: chunks of equal length, and framing far below 0.1 %. */
static const size_t message_bytes[] = {8192, 65536};
static const double networks[][2] = {
    {1.25e8, 50e-6}, {1.25e9, 25e-6}, {1.25e10, 5e-6}, {1.25e9, 0}};

static double worst_error(const egc_exchange_type *type, int p)
{
    double worst = 0;
    bool cut = type->kind == EGC_EXCHANGE_REDUCE || type->kind == EGC_EXCHANGE_SCATTER;
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < sizeof networks / sizeof *networks; j++) {
            size_t bytes = message_bytes[i] * (cut ? (size_t)p : 1);
            worst = fmax(worst, error_of(type, p, bytes, networks[j][0], networks[j][1]));
        }
    return worst;
}

static void test_exchanges_take_their_closed_form(void **state)
{
    (void)state;
    const int ranks[] = {2, 3, 4, 5, 7, 8, 16, 33};
    for (const egc_exchange_type *const *type = egc_exchange_types(); *type; type++) {
        double worst = 0;
        for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
            worst = fmax(worst, worst_error(*type, ranks[i]));
        print_message("%-16s worst error against its closed form: %.2g %%\n", (*type)->name,
                      100 * worst);
    }
}

static void test_reductions_are_charged_to_the_device(void **state)
{
    (void)state;
    one_call call = {NULL, 8 * MIB};
    egc_error err;
    assert_ok(egc_exchange_find("ring", &call.type, &err), err);
    net_trial trial = trial_of(8, 1.25e9, 25e-6, one_call_main, &call);
    trial.config.charge_reduction = true;
    trial.config.device.memory_Bps = 1e10;
    trial.config.device.launch_s = 1e-5;
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    double gamma = 3 / trial.config.device.memory_Bps;
    double want = call.type->closed_form(8, (double)call.bytes, 25e-6, 1 / 1.25e9, gamma);
    assert_close(got.sim_time_s, want + 7 * trial.config.device.launch_s, 1e-3);
}

/* What a benchmark would call bus bandwidth cannot pass the rate of a link, and nears it. */
static void test_bus_bandwidth_stays_below_the_link(void **state)
{
    (void)state;
    one_call call = {NULL, 16 * MIB};
    egc_error err;
    assert_ok(egc_exchange_find("ring", &call.type, &err), err);
    for (int p = 2; p <= 32; p *= 2) {
        net_trial trial = trial_of(p, 1.25e9, 1e-6, one_call_main, &call);
        trial.network.efficiency = 0.8;
        outcome got = simulate(&trial);
        assert_ok(got.status, got.err);
        double bus_Bps = 2.0 * (p - 1) / p * (double)call.bytes / got.sim_time_s;
        assert_true(bus_Bps <= 1e9);
        assert_true(bus_Bps >= 0.99e9);
        assert_close(got.network_bytes, 2.0 * (p - 1) * (double)call.bytes, 1e-12);
    }
}

/* ---- messages ------------------------------------------------------------------------------ */

static egc_status send_to(worker *self, int to, const void *data, size_t bytes, egc_error *err)
{
    egc_request *request = NULL;
    egc_status status = egc_isend(self->transport, to, data, bytes, &request, err);
    return status ? status : egc_wait(self->transport, request, err);
}

static egc_status receive_from(worker *self, int from, egc_buf *into, egc_error *err)
{
    egc_request *request = NULL;
    egc_status status = egc_irecv(self->transport, from, into, &request, err);
    return status ? status : egc_wait(self->transport, request, err);
}

/* Every rank but 0 sends `bytes` to rank 0 at once. */
static egc_status send_to_first(worker *self, egc_error *err)
{
    size_t bytes = *(const size_t *)self->arg;
    egc_status status = EGC_OK;
    uint8_t *data = bytes ? egc_calloc(bytes, 1) : NULL;
    if (bytes && !data)
        return egc_fail_memory(err, bytes);
    if (self->rank > 0)
        status = send_to(self, 0, data, bytes, err);
    egc_request *requests[8] = {NULL};
    egc_buf buffers[8] = {{0}};
    for (int from = 1; self->rank == 0 && from < self->transport->size && !status; from++)
        status = egc_irecv(self->transport, from, &buffers[from], &requests[from], err);
    for (int from = 1; self->rank == 0 && from < self->transport->size && !status; from++)
        status = egc_wait(self->transport, requests[from], err);
    for (int i = 0; i < 8; i++)
        egc_buf_fini(&buffers[i]);
    egc_free(data);
    return status;
}

static double time_of_senders(int senders, size_t bytes, double latency_s, egc_network_model model)
{
    net_trial trial = trial_of(senders + 1, 1.25e9, latency_s, send_to_first, &bytes);
    trial.config.network_model = model;
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    assert_close(got.network_bytes, (double)(bytes * (size_t)senders), 0);
    return got.sim_time_s;
}

static void test_message_costs_latency_and_bytes(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 1500, 10 * MIB};
    const double latencies[] = {0, 1e-6, 50e-6, 0.1};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double want = latencies[j] + (double)sizes[i] / 1.25e9;
            double got = time_of_senders(1, sizes[i], latencies[j], EGC_NETWORK_CM02);
            assert_true(fabs(got - want) <= 1e-9 + 1e-6 * want);
        }
}

static void test_incast_shares_the_receiving_link(void **state)
{
    (void)state;
    double one = time_of_senders(1, 10 * MIB, 50e-6, EGC_NETWORK_CM02);
    double four = time_of_senders(4, 10 * MIB, 50e-6, EGC_NETWORK_CM02);
    assert_close(four - 50e-6, 4 * (one - 50e-6), 1e-6);
}

/* LV08 multiplies latency by 13.01 and bandwidth by 0.97 (SimGrid's documentation of its network
 * models); for SMPI, its default factors of the smallest and largest message sizes give 101 us
 * and 9.35 Gbps on this link. */
static void test_network_models_differ_as_documented(void **state)
{
    (void)state;
    double bytes = 100.0 * MIB;
    assert_close(time_of_senders(1, 0, 50e-6, EGC_NETWORK_LV08), 13.01 * 50e-6, 1e-3);
    assert_close(time_of_senders(1, 100 * MIB, 50e-6, EGC_NETWORK_LV08),
                 13.01 * 50e-6 + bytes / (0.97 * 1.25e9), 1e-3);
    assert_close(time_of_senders(1, 1, 50e-6, EGC_NETWORK_SMPI), 101e-6, 1e-2);
    assert_close(bytes * 8e-9 / time_of_senders(1, 100 * MIB, 50e-6, EGC_NETWORK_SMPI), 9.35, 1e-2);
}

static egc_status swap(worker *self, egc_error *err)
{
    size_t bytes = *(const size_t *)self->arg;
    egc_buf in = {0};
    uint8_t *data = egc_calloc(bytes, 1);
    if (!data)
        return egc_fail_memory(err, bytes);
    int peer = 1 - self->rank;
    egc_status status = egc_sendrecv(self->transport, peer, data, bytes, peer, &in, err);
    egc_buf_fini(&in);
    egc_free(data);
    return status;
}

static void test_directions_do_not_slow_each_other(void **state)
{
    (void)state;
    size_t bytes = 10 * MIB;
    net_trial trial = trial_of(2, 1.25e9, 50e-6, swap, &bytes);
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    assert_close(got.sim_time_s, 50e-6 + (double)bytes / 1.25e9, 1e-6);
}

/* A chain 0 -> 1 -> 2: forwarding costs a message each. */
static egc_status forward(worker *self, egc_error *err)
{
    egc_buf in = {0};
    egc_status status = EGC_OK;
    if (self->rank > 0)
        status = receive_from(self, self->rank - 1, &in, err);
    else
        status = egc_buf_append(&in, "payload", 8, err);
    if (!status && self->rank + 1 < self->transport->size)
        status = send_to(self, self->rank + 1, in.data, in.len, err);
    if (!status && strcmp((const char *)in.data, "payload") != 0)
        status = egc_fail(err, EGC_ERROR_FORMAT, "rank %d got other bytes", self->rank);
    egc_buf_fini(&in);
    return status;
}

static void test_forwarding_adds_up(void **state)
{
    (void)state;
    net_trial trial = trial_of(3, 1e6, 1e-3, forward, NULL);
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    assert_close(got.sim_time_s, 2 * (1e-3 + 8e-6), 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_message_costs_latency_and_bytes),
        cmocka_unit_test(test_incast_shares_the_receiving_link),
        cmocka_unit_test(test_network_models_differ_as_documented),
        cmocka_unit_test(test_directions_do_not_slow_each_other),
        cmocka_unit_test(test_forwarding_adds_up),
        cmocka_unit_test(test_exchanges_take_their_closed_form),
        cmocka_unit_test(test_reductions_are_charged_to_the_device),
        cmocka_unit_test(test_bus_bandwidth_stays_below_the_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
