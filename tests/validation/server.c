/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A synchronous step of the parameter server takes what its closed form says: in the trainer, with
 * all its messages, where computing and compressing take no time. Of p workers, S servers with
 * equal shares of the parameters, pushes of m bytes a worker and answers of m',
 *
 *     2 alpha + max(1, p/S) (m + m') beta,
 *
 * paced by the links of servers, or by those of workers where these are fewer. With a server on the
 * host of each worker (S = p) a worker's own share stays there: 2 alpha + (p-1)/p (m + m') beta.
 * Dense messages have the n bytes of the parameters; top-k's have c for each of the k elements
 * kept.
 *
 * The usual statement has 2 S alpha: there a worker talks to one server after the other. Here it
 * talks to all at once. */
#include "validation.h"

#include "base/mem.h"
#include "run.h"
#include "support/test.h"
#include "train/algorithm.h"
#include "train/ps/ps.h"

#define LIMIT 1e-3

/* Elements that all numbers of servers share evenly: few enough for a latency to show, and so many
 * that headers of compressed messages do not. c: an index and a value, neither of them coded. */
enum { ELEMENTS = 96000, ENTRY_BYTES = 8 };

#define RATIO 0.1

static const struct {
    const char *name;
    double bandwidth_Bps, latency_s;
} networks[] = {{"star 1 Gbit/s 50 us", 1.25e8, 50e-6}, {"star 10 Gbit/s 10 us", 1.25e9, 10e-6}};

enum { N_NETWORKS = sizeof networks / sizeof *networks };

typedef struct scheme {
    const char *name;
    int servers; /* 0: one with each worker */
    const char *method;
    egc_ps_pull pull;
} scheme;

static const scheme schemes[] = {
    {"ps 1 server", 1, "none", EGC_PS_PULL_DENSE},
    {"ps 2 servers", 2, "none", EGC_PS_PULL_DENSE},
    {"ps 4 servers", 4, "none", EGC_PS_PULL_DENSE},
    {"ps 8 servers", 8, "none", EGC_PS_PULL_DENSE},
    {"ps-colocated", 0, "none", EGC_PS_PULL_DENSE},
    {"ps-topk 1 server", 1, "topk", EGC_PS_PULL_DENSE},
    {"ps-topk 4 servers", 4, "topk", EGC_PS_PULL_DENSE},
    {"ps-topk-recompress 1 server", 1, "topk", EGC_PS_PULL_RECOMPRESS},
    {"ps-topk-recompress 4 servers", 4, "topk", EGC_PS_PULL_RECOMPRESS},
};

/* ---- what it should take --------------------------------------------------------------------- */

/* Bytes of a worker's messages that leave their host. */
typedef struct traffic {
    double push, pull;
} traffic;

static traffic traffic_of(const scheme *s, int p)
{
    double dense = 4. * ELEMENTS * (s->servers ? 1 : (p - 1.) / p);
    double sparse = RATIO * ELEMENTS * ENTRY_BYTES;
    return (traffic){strcmp(s->method, "topk") == 0 ? sparse : dense,
                     s->pull == EGC_PS_PULL_RECOMPRESS ? sparse : dense};
}

static double per_server(const scheme *s, int p)
{
    return s->servers ? (double)p / s->servers : 1;
}

static double closed_form(const scheme *s, int p, int network)
{
    traffic t = traffic_of(s, p);
    return 2 * networks[network].latency_s +
           fmax(1, per_server(s, p)) * (t.push + t.pull) / networks[network].bandwidth_Bps;
}

/* Bytes that some link must carry one after the other in a single step: a server's all pushes, and
 * then, since it answers when it has them, all answers; or a worker's, one way. */
static double least_bytes(const scheme *s, int p)
{
    traffic t = traffic_of(s, p);
    return fmax(per_server(s, p) * (t.push + t.pull), fmax(t.push, t.pull));
}

/* ---- what it takes --------------------------------------------------------------------------- */

/* A model of as many equal layers as there are servers, params being the number. All that matters
 * of its gradients is that no element is 0, which top-k would not send. */
static egc_status open_model(egc_workload *w, const void *params,
                             const egc_workload_request *request, egc_error *err)
{
    (void)request, (void)err;
    w->n_layers = *(const size_t *)params;
    w->n_params = ELEMENTS;
    w->layers = egc_calloc(w->n_layers, sizeof *w->layers);
    assert_non_null(w->layers);
    for (size_t i = 0; i < w->n_layers; i++) {
        w->layers[i].count = w->layers[i].shape[0] = ELEMENTS / w->n_layers;
        snprintf(w->layers[i].name, sizeof w->layers[i].name, "layer%zu", i);
    }
    return EGC_OK;
}

static egc_status initialize(egc_workload *w, float *x, egc_error *err)
{
    (void)w, (void)err;
    memset(x, 0, ELEMENTS * sizeof *x);
    return EGC_OK;
}

static egc_status gradient(egc_workload *w, uint64_t step, size_t rank, const float *x, float *g,
                           double *loss, egc_error *err)
{
    (void)w, (void)step, (void)x, (void)err;
    for (size_t i = 0; i < ELEMENTS; i++)
        g[i] = (float)(1 + (i + 17 * rank) % 1009);
    *loss = 0;
    return EGC_OK;
}

static egc_status evaluate(egc_workload *w, const float *x, egc_evaluation *out, egc_error *err)
{
    (void)w, (void)x, (void)err;
    *out = (egc_evaluation){.loss = 0, .accuracy = NAN, .perplexity = NAN};
    return EGC_OK;
}

static void close_model(egc_workload *w)
{
    (void)w;
}

static const egc_workload_type model = {
    .name = "equal layers",
    .closed_loop = true,
    .state_size = 1,
    .open = open_model,
    .initialize = initialize,
    .gradient = gradient,
    .evaluate = evaluate,
    .close = close_model,
};

static void set_method(egc_method *method, const char *name)
{
    egc_error err = {0};
    const egc_scalar ratio = {.kind = EGC_SCALAR_NUMBER, .number = RATIO};
    const egc_scalar index = {.kind = EGC_SCALAR_TEXT, .text = "raw32"};
    assert_ok(egc_method_init(method, name, &err), err);
    if (strcmp(name, "topk") != 0)
        return;
    assert_ok(egc_method_set(method, "ratio", &ratio, &err), err);
    assert_ok(egc_method_set(method, "index", &index, &err), err);
}

static double trained_step_s(const scheme *s, int p, int network)
{
    egc_error err = {0};
    egc_ps_params params;
    run r;
    size_t servers = (size_t)(s->servers ? s->servers : p);
    run_init(&r, p, p + s->servers, networks[network].bandwidth_Bps, networks[network].latency_s);
    r.config.workload = &model;
    r.config.workload_params = &servers;
    assert_ok(egc_algorithm_find("ps", &r.config.algorithm, &err), err);
    egc_param_init(r.config.algorithm->params, &params);
    params.servers = (int64_t)servers;
    params.colocated = s->servers == 0;
    params.pull = (int)s->pull;
    r.config.algorithm_params = &params;
    r.config.options.steps = 1;
    r.config.options.bucket_bytes = EGC_BUCKET_LAYER;
    set_method(&r.config.method, s->method);
    double step_s = run_step_s(&r);
    run_fini(&r);
    return step_s;
}

static void compare(validation *v, const scheme *s, int p, int network)
{
    double simulated = trained_step_s(s, p, network);
    validation_case one = {
        .ladder = "closed form",
        .source = "the server's cost",
        .quantity = "step (s)",
        .workers = p,
        .bytes = 4. * ELEMENTS,
        .expected = closed_form(s, p, network),
        .simulated = simulated,
        .limit = LIMIT,
        .rate_share = least_bytes(s, p) / (simulated * networks[network].bandwidth_Bps),
    };
    snprintf(one.subject, sizeof one.subject, "%s", s->name);
    snprintf(one.network, sizeof one.network, "%s", networks[network].name);
    validation_add(v, &one);
}

/* A worker alone on its server's host has nothing to send. */
void validate_server(validation *v)
{
    const int workers[] = {1, 2, 3, 4, 8, 16};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++)
        for (size_t i = 0; i < sizeof workers / sizeof *workers; i++)
            for (int network = 0; network < N_NETWORKS; network++)
                if (schemes[s].servers > 0 || workers[i] > 1)
                    compare(v, &schemes[s], workers[i], network);
}
