/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clusters.h"

#include <stdlib.h>

#include "base/mem.h"
#include "net/topology/prepare.h"
#include "support/test.h"

/* ---- making -------------------------------------------------------------------------------- */

static void set_list(const egc_param *param, void *params, char *numbers, egc_arena *arena)
{
    int64_t *items = egc_arena_alloc(arena, 64 * sizeof *items);
    egc_param_list *list = (egc_param_list *)(void *)((char *)params + param->offset);
    char *rest;
    assert_non_null(items);
    *list = (egc_param_list){items, 0};
    for (char *n = strtok_r(numbers, ",", &rest); n && list->n < 64; n = strtok_r(NULL, ",", &rest))
        items[list->n++] = atoll(n);
}

static void set_all(const char *settings, test_cluster *out)
{
    char text[1024], *rest;
    snprintf(text, sizeof text, "%s", settings);
    for (char *key = strtok_r(text, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(key, '=');
        egc_error err = {0};
        assert_non_null(value);
        *value++ = '\0';
        const egc_param *param = egc_param_find(out->type->params, key);
        assert_non_null(param);
        const egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = value};
        if (param->kind == EGC_PARAM_LIST)
            set_list(param, out->params, value, &out->arena);
        else
            assert_ok(egc_param_set(param, out->params, &scalar, &err), err);
    }
}

egc_status make_cluster(const char *name, const char *settings, test_cluster *out, egc_error *err)
{
    *out = (test_cluster){0};
    assert_ok(egc_cluster_find(name, &out->type, err), *err);
    out->params = egc_arena_alloc(&out->arena, out->type->params_size);
    assert_non_null(out->params);
    egc_param_init(out->type->params, out->params);
    set_all(settings, out);
    egc_status status = egc_prepare_cluster(out->type, out->params, &out->arena, err);
    out->hosts = status ? 0 : out->type->hosts(out->params);
    return status;
}

void free_cluster(test_cluster *cluster)
{
    egc_arena_fini(&cluster->arena);
}

/* ---- messages ------------------------------------------------------------------------------ */

static double run(const test_cluster *cluster, worker_main main, const void *arg)
{
    net_trial trial = trial_of((int)cluster->hosts, 1, 1, main, arg);
    trial.config.cluster = cluster->type;
    trial.params = cluster->params;
    outcome got = simulate(&trial);
    assert_ok(got.status, got.err);
    return got.sim_time_s;
}

typedef struct traffic {
    const message *messages;
    size_t n, bytes;
} traffic;

/* Starts all that this rank sends and receives, and waits for all. */
static egc_status take_part(worker *self, egc_error *err)
{
    const traffic *all = self->arg;
    uint8_t *data = egc_calloc(1, all->bytes + 1);
    egc_request **requests = egc_calloc(2 * all->n + 1, sizeof *requests);
    egc_buf *in = egc_calloc(all->n + 1, sizeof *in);
    size_t n = 0;
    egc_status status = data && requests && in ? EGC_OK : egc_fail_memory(err, all->bytes);
    for (size_t i = 0; i < all->n && !status; i++) {
        const message *m = &all->messages[i];
        if (m->from == self->rank)
            status =
                egc_transport_isend(self->transport, m->to, data, all->bytes, &requests[n++], err);
        if (m->to == self->rank && !status)
            status = egc_transport_irecv(self->transport, m->from, &in[i], &requests[n++], err);
    }
    for (size_t i = 0; i < n && !status; i++)
        status = egc_transport_wait(self->transport, requests[i], err);
    for (size_t i = 0; i < all->n; i++)
        egc_buf_fini(&in[i]);
    egc_free(in);
    egc_free(requests);
    egc_free(data);
    return status;
}

double time_of_messages(const test_cluster *cluster, const message *messages, size_t n,
                        size_t bytes)
{
    const traffic all = {messages, n, bytes};
    return run(cluster, take_part, &all);
}

/* In round k every rank sends to the k-th after it, all at once. */
static egc_status take_turns(worker *self, egc_error *err)
{
    static egc_barrier *barrier; /* of this process: every trial has its own */
    double *latencies = *(double *const *)self->arg;
    int n = self->transport->size;
    egc_status status = EGC_OK;
    egc_buf in = {0};
    if (!barrier)
        barrier = egc_barrier_new(n);
    for (int k = 1; k < n && !status; k++) {
        egc_request *send = NULL, *receive = NULL;
        int from = (self->rank + n - k) % n;
        double start_s = egc_transport_now(self->transport);
        status = egc_transport_isend(self->transport, (self->rank + k) % n, NULL, 0, &send, err);
        if (!status)
            status = egc_transport_irecv(self->transport, from, &in, &receive, err);
        if (!status)
            status = egc_transport_wait(self->transport, receive, err);
        latencies[from * n + self->rank] = egc_transport_now(self->transport) - start_s;
        if (!status)
            status = egc_transport_wait(self->transport, send, err);
        egc_barrier_wait(barrier);
    }
    egc_buf_fini(&in);
    return status;
}

double *measure_latencies(const test_cluster *cluster)
{
    size_t bytes = cluster->hosts * cluster->hosts * sizeof(double);
    double *shared = shared_memory(bytes), *out = egc_calloc(1, bytes);
    assert_true(shared && out);
    run(cluster, take_turns, &shared);
    memcpy(out, shared, bytes);
    return out;
}
