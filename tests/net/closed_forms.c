/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Simulated times equal the closed forms: a message costs latency + bytes / bandwidth, directions
 * do not slow each other, and every exchange takes what its cost says to 0.1 %. */
#include "support/test.h"

#include "base/mem.h"
#include "one_call.h"
#include "simulate.h"
#include "validation/validation.h"

enum { MIB = 1 << 20 };

/* ---- exchanges ----------------------------------------------------------------------------- */

/* Takes one call on a star. No exchange can be faster than its bytes through one link: bus
 * bandwidth stays below the link's rate. */
static double time_of(const one_call *call, int p, double bandwidth_Bps, double latency_s)
{
    net_trial trial = trial_of(p, bandwidth_Bps, latency_s, one_call_main, call);
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    double least = egc_tuning_least_bytes(call->type->kind, p, (double)call->bytes);
    if (!(least <= got.sim_time_s * bandwidth_Bps * (1 + 1e-9)))
        fail_msg("%s, %d ranks, %zu bytes: bus bandwidth %g B/s, link %g B/s", call->type->name, p,
                 call->bytes, least / got.sim_time_s, bandwidth_Bps);
    return got.sim_time_s;
}

static void closed_forms__exchanges_take_their_closed_form(void **state)
{
    (void)state;
    validation v = {0};
    validate_closed_forms(&v);
    for (size_t i = 0; i < v.n; i++)
        if (!validation_within(&v.cases[i]))
            fail_msg("%s, %d ranks, %g bytes, %s: %g s, want %g s, %g of the link's rate",
                     v.cases[i].subject, v.cases[i].workers, v.cases[i].bytes, v.cases[i].network,
                     v.cases[i].simulated, v.cases[i].expected, v.cases[i].rate_share);
    validation_fini(&v);
}

/* A sum of b bytes reads two vectors and writes one. */
static void closed_forms__reductions_are_charged_to_the_device(void **state)
{
    (void)state;
    const int ranks[] = {2, 6, 7, 8, 16};
    for (const egc_exchange_type *const *type = egc_exchange_types(); *type; type++)
        for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
            one_call call = {.type = *type, .bytes = (size_t)ranks[i] * 65536};
            net_trial trial = trial_of(ranks[i], 1.25e9, 25e-6, one_call_main, &call);
            trial.config.charge_reduction = true;
            trial.config.device.memory_Bps = 1e10;
            outcome got = simulate(&trial);
            assert_ok(got.status, got.err);
            double want = egc_tuning_closed_form((*type), ranks[i], (double)call.bytes, 25e-6,
                                                 1 / 1.25e9, 3 / trial.config.device.memory_Bps);
            if (!(fabs(got.sim_time_s / want - 1) <= 1e-3))
                fail_msg("%s, %d ranks: %g s, want %g s", (*type)->name, ranks[i], got.sim_time_s,
                         want);
        }
}

static void closed_forms__each_reduction_launches_a_kernel(void **state)
{
    (void)state;
    one_call call = {.bytes = 8 * MIB};
    egc_error err;
    assert_ok(egc_exchange_find("ring", &call.type, &err), err);
    net_trial trial = trial_of(8, 1.25e9, 25e-6, one_call_main, &call);
    trial.config.charge_reduction = true;
    trial.config.device.memory_Bps = 1e10;
    trial.config.device.launch_s = 1e-5;
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    double gamma = 3 / trial.config.device.memory_Bps;
    double want =
        egc_tuning_closed_form(call.type, 8, (double)call.bytes, 25e-6, 1 / 1.25e9, gamma);
    assert_close(got.sim_time_s, want + 7 * trial.config.device.launch_s, 1e-3);
}

/* What a benchmark would call bus bandwidth cannot pass the rate of a link (time_of, simulate), and
 * that of exchanges which move no more than they must nears it. */
static void closed_forms__bus_bandwidth_nears_the_link(void **state)
{
    (void)state;
    static const char *const best[] = {
        "ring",         "rabenseifner",    "hierarchical",           "allgather-ring",
        "allgather-rd", "allgather-bruck", "allgather-hierarchical", "alltoall"};
    egc_error err;
    for (size_t i = 0; i < sizeof best / sizeof *best; i++)
        for (int p = 2; p <= 32; p *= 2) {
            one_call call = {.bytes = 4 * MIB};
            assert_ok(egc_exchange_find(best[i], &call.type, &err), err);
            if (call.type->kind == EGC_COLLECTIVE_ALLGATHER)
                call.bytes /= (size_t)p;
            double least = egc_tuning_least_bytes(call.type->kind, p, (double)call.bytes);
            assert_true(least / time_of(&call, p, 1e9, 1e-7) >= 0.99e9);
        }
}

/* A ring sends nothing that it need not. */
static void closed_forms__bytes_on_the_network_are_counted(void **state)
{
    (void)state;
    one_call call = {.bytes = MIB};
    egc_error err;
    assert_ok(egc_exchange_find("ring", &call.type, &err), err);
    net_trial trial = trial_of(8, 1.25e9, 1e-6, one_call_main, &call);
    trial.network.efficiency = 0.8;
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    assert_close(got.network_bytes, 2.0 * 7 * MIB, 1e-12);
}

/* ---- choosing ------------------------------------------------------------------------------ */

static const egc_exchange_network fast = {5e-6, 1 / 1.25e10, 0, 0, 0, 0, 0};

static const char *choice(egc_collective kind, int p, double n, const egc_exchange_network *network)
{
    return egc_tuning_cheapest(kind, p, n, network)->name;
}

/* By hand from the formulas: 7 to 8 ranks, 5 us and 100 Gbit/s. Of 1 KiB doubling takes 3 (alpha +
 * n beta), fewer messages than any other; of 64 MiB what counts is bytes, of which Rabenseifner's
 * sends no more than the ring does, but folding costs a whole vector twice. */
static void closed_forms__the_cheapest_is_chosen_by_length_and_ranks(void **state)
{
    (void)state;
    assert_string_equal(choice(EGC_COLLECTIVE_ALLREDUCE, 8, 1024, &fast), "recursive-doubling");
    assert_string_equal(choice(EGC_COLLECTIVE_ALLREDUCE, 8, 64.0 * MIB, &fast), "rabenseifner");
    assert_string_equal(choice(EGC_COLLECTIVE_ALLREDUCE, 7, 64.0 * MIB, &fast), "ring");
    assert_string_equal(choice(EGC_COLLECTIVE_ALLREDUCE, 8, 0, &fast), "ring");
    assert_string_equal(choice(EGC_COLLECTIVE_ALLREDUCE, 1, 1024, &fast), "ring");
    assert_string_equal(choice(EGC_COLLECTIVE_ALLGATHER, 8, 1024, &fast), "allgather-rd");
    assert_string_equal(choice(EGC_COLLECTIVE_ALLGATHER, 7, 1024, &fast), "allgather-bruck");
    assert_string_equal(choice(EGC_COLLECTIVE_BROADCAST, 7, 1024, &fast), "broadcast-tree");
    assert_string_equal(choice(EGC_COLLECTIVE_ALLTOALL, 7, 1024, &fast), "alltoall");
}

/* Four nodes of eight that share a link out, inside ten times as fast; and a network of equals
 * where only neighbours do not slow each other. */
static void closed_forms__shared_links_favour_two_levels_and_rings(void **state)
{
    (void)state;
    egc_exchange_network nodes = fast, torus = fast;
    nodes.contended_beta_s = 8 * fast.beta_s;
    nodes.group = 8;
    nodes.local_alpha_s = 1e-6;
    nodes.local_beta_s = fast.beta_s / 10;
    torus.contended_beta_s = 4 * fast.beta_s;
    assert_string_equal(choice(EGC_COLLECTIVE_ALLREDUCE, 32, 1024, &nodes), "hierarchical-tree");
    assert_string_equal(choice(EGC_COLLECTIVE_ALLREDUCE, 32, 1.0 * MIB, &nodes), "hierarchical");
    assert_string_equal(choice(EGC_COLLECTIVE_ALLREDUCE, 32, 64.0 * MIB, &torus), "ring");
    assert_string_equal(choice(EGC_COLLECTIVE_ALLGATHER, 32, 1.0 * MIB, &torus), "allgather-ring");
}

/* Simulated, no other of its kind is faster. */
static void closed_forms__the_cheapest_is_the_fastest(void **state)
{
    (void)state;
    const int ranks[] = {4, 6, 33};
    const size_t sizes[] = {1024, 65536, MIB};
    const egc_collective kinds[] = {EGC_COLLECTIVE_ALLREDUCE, EGC_COLLECTIVE_ALLGATHER};
    for (size_t i = 0; i < 2 * 3 * 3; i++) {
        int p = ranks[i % 3];
        one_call call = {.bytes = (kinds[i / 9] == EGC_COLLECTIVE_ALLREDUCE ? (size_t)p : 1) *
                                  sizes[i / 3 % 3] / 32 * 4};
        call.type = egc_tuning_cheapest(kinds[i / 9], p, (double)call.bytes, &fast);
        const char *chosen = call.type->name;
        double best = time_of(&call, p, 1 / fast.beta_s, fast.alpha_s);
        for (const egc_exchange_type *const *type = egc_exchange_types(); *type; type++) {
            call.type = *type;
            if ((*type)->kind != kinds[i / 9])
                continue;
            double other = time_of(&call, p, 1 / fast.beta_s, fast.alpha_s);
            if (!(best <= other * 1.002))
                fail_msg("%d ranks, %zu bytes: chose %s, %g s, but %s takes %g s", p, call.bytes,
                         chosen, best, call.type->name, other);
        }
    }
}

/* ---- messages ------------------------------------------------------------------------------ */

static egc_status send_to(worker *self, int to, const void *data, size_t bytes, egc_error *err)
{
    egc_request *request = NULL;
    egc_status status = egc_transport_isend(self->transport, to, data, bytes, &request, err);
    return status ? status : egc_transport_wait(self->transport, request, err);
}

static egc_status receive_from(worker *self, int from, egc_buf *into, egc_error *err)
{
    egc_request *request = NULL;
    egc_status status = egc_transport_irecv(self->transport, from, into, &request, err);
    return status ? status : egc_transport_wait(self->transport, request, err);
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
        status = egc_transport_irecv(self->transport, from, &buffers[from], &requests[from], err);
    for (int from = 1; self->rank == 0 && from < self->transport->size && !status; from++)
        status = egc_transport_wait(self->transport, requests[from], err);
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

static void closed_forms__message_costs_latency_and_bytes(void **state)
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

static void closed_forms__incast_shares_the_receiving_link(void **state)
{
    (void)state;
    double one = time_of_senders(1, 10 * MIB, 50e-6, EGC_NETWORK_CM02);
    double four = time_of_senders(4, 10 * MIB, 50e-6, EGC_NETWORK_CM02);
    assert_close(four - 50e-6, 4 * (one - 50e-6), 1e-6);
}

/* LV08 multiplies latency by 13.01 and bandwidth by 0.97 (SimGrid's documentation of its network
 * models); for SMPI, its default factors of the smallest and largest message sizes give 101 us
 * and 9.35 Gbps on this link. */
static void closed_forms__network_models_differ_as_documented(void **state)
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
    egc_status status = egc_transport_sendrecv(self->transport, peer, data, bytes, peer, &in, err);
    egc_buf_fini(&in);
    egc_free(data);
    return status;
}

static void closed_forms__directions_do_not_slow_each_other(void **state)
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

static void closed_forms__forwarding_adds_up(void **state)
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
        cmocka_unit_test(closed_forms__message_costs_latency_and_bytes),
        cmocka_unit_test(closed_forms__incast_shares_the_receiving_link),
        cmocka_unit_test(closed_forms__network_models_differ_as_documented),
        cmocka_unit_test(closed_forms__directions_do_not_slow_each_other),
        cmocka_unit_test(closed_forms__forwarding_adds_up),
        cmocka_unit_test(closed_forms__exchanges_take_their_closed_form),
        cmocka_unit_test(closed_forms__reductions_are_charged_to_the_device),
        cmocka_unit_test(closed_forms__each_reduction_launches_a_kernel),
        cmocka_unit_test(closed_forms__bus_bandwidth_nears_the_link),
        cmocka_unit_test(closed_forms__bytes_on_the_network_are_counted),
        cmocka_unit_test(closed_forms__the_cheapest_is_chosen_by_length_and_ranks),
        cmocka_unit_test(closed_forms__shared_links_favour_two_levels_and_rings),
        cmocka_unit_test(closed_forms__the_cheapest_is_the_fastest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
