/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Training as others measured it, simulated: HKBU ddl-benchmarks (results of 2020-05-29; Shi et
 * al., Communication-efficient distributed deep learning, arXiv 2005.13247). ResNet-50, batch 64 a
 * GPU, 4 Tesla V100 (PCIe) a node, all-reduce by NCCL 2.4 under Horovod.
 *
 * A GPU alone makes 253.1 samples/s: that is the device. How its time is shared among layers is
 * what their FLOPs say. What the networks give is an input, see `networks`. NCCL has a ring and a
 * double binary tree, and takes the one that should be faster for the length of a message; so do
 * we, by their closed forms. NCCL lays out both so that a message enters and leaves a node once,
 * and they move at the speed of its card. A ring in the order of ranks does so on nodes of GPUs,
 * our double tree does not; so where both are used the network is a star of GPUs with a card each.
 *
 * One number is fitted: the latency of a message, on one figure, WFBP's with 8 GPUs on 10GbE, which
 * depends on it most. Rows that are shown and not judged have other models: rings alone; and rings
 * alone whose bytes take longer while the backward pass runs, with that slowdown fitted as well, on
 * MG-WFBP's figure of the same column. */
#include "validation.h"

#include "step.h"
#include "support/test.h"

/* Ratios of figures that are nearer to 1 are ties. */
#define TIE 0.02

enum { BATCH = 64, GPUS = 4, N_COLUMNS = 4 };

static const double alone_samples_per_s = 253.1;
static const int columns[N_COLUMNS] = {4, 8, 16, 32};

/* validate --fit; see the top. The second is for all-reduce by rings alone, the others for rings
 * that computing slows down. */
static const double fitted_latency_s = 30.9e-6, fitted_ring_latency_s = 25.2e-6,
                    fitted_slowed_latency_s = 12.2e-6, fitted_slowdown = 1.205;

/* Where nothing is fitted: of BSP, at most 1 % of a step, and inside a node. Assumed. */
static const double bsp_latency_s = 50e-6, node_latency_s = 5e-6;

typedef enum schedule {
    BSP,
    WFBP,
    MG_WFBP,
    MG_WFBP_AS_RUN,
    WFBP_RING,
    WFBP_SLOWED,
    MG_WFBP_SLOWED,
    N_SCHEDULES
} schedule;

static const struct {
    const char *name;
    schedule published_as;
    bool by_layer, merges; /* buckets; neither: the whole model after the backward pass */
    bool rings;            /* alone, on nodes of GPUs */
    bool shown;            /* and not judged */
} schedules[N_SCHEDULES] = {
    [BSP] = {"BSP", BSP, .rings = true},
    [WFBP] = {"WFBP", WFBP, .by_layer = true},
    [MG_WFBP] = {"MG-WFBP", MG_WFBP, .merges = true},
    [MG_WFBP_AS_RUN] = {"MG-WFBP as run", MG_WFBP, .merges = true},
    [WFBP_RING] = {"WFBP rings only", WFBP, .by_layer = true, .rings = true, .shown = true},
    [WFBP_SLOWED] = {"WFBP slowed", WFBP, .by_layer = true, .rings = true, .shown = true},
    [MG_WFBP_SLOWED] = {"MG-WFBP slowed", MG_WFBP, .merges = true, .rings = true, .shown = true},
};

/* Samples/s. */
typedef struct measured {
    const char *name;
    double nominal_Bps; /* NAN: what its BSP rows imply */
    double published[MG_WFBP + 1][N_COLUMNS];
    struct {
        double startup_s, byte_s;
    } as_run[N_COLUMNS]; /* which their code merges by: hv_distributed_optimizer.py */
} measured;

static const measured networks[] = {
    {"10GbE TCP",
     1.25e9,
     {{925.020, 1282.280, 2485.120, 4920.820},
      {1015.400, 1795.740, 3146.780, 5113.180},
      {1003.180, 1980.580, 3784.980, 6883.600}},
     {{4.204298980348825e-05, 2.0589360830118177e-10},
      {0.0005230272768511732, 8.570746975492128e-10},
      {0.0009080981007148093, 7.395651186836712e-10},
      {3 * 0.0013476410788581382, 8.643300782166769e-10}}},
    {"100GbE TCP",
     NAN,
     {{926.000, 1601.360, 3087.160, 5744.760},
      {1015.100, 1985.740, 3650.740, 6141.380},
      {1002.680, 1990.680, 3945.960, 7540.940}},
     {{4.204298980348825e-05, 2.0589360830118177e-10},
      {9.75367204301171e-05, 3.0568230536676206e-10},
      {3 * 0.00023583677659915685, 4.0594787739537565e-10},
      {0.00040632079996292579, 1.5 * 3.2713239529771973e-10}}},
};

enum { N_NETWORKS = sizeof networks / sizeof *networks };

/* ---- what is simulated ----------------------------------------------------------------------- */

typedef struct setting {
    const measured *network;
    int column;
    schedule how;
    double latency_s; /* of a message to another node */
    double slowdown;  /* of its bytes */
} setting;

static double model_bytes(const egc_workload *model)
{
    return 4 * (double)model->n_params;
}

/* What a ring of the model's gradients gets when they are exchanged after the computation. */
static double implied_Bps(const measured *network, int column, const egc_workload *model)
{
    int p = columns[column];
    double step_s = p * BATCH / network->published[BSP][column];
    return 2 * (p - 1.0) / p * model_bytes(model) / (step_s - BATCH / alone_samples_per_s);
}

/* Bytes/s of what GPUs reach each other by: inside the one node, or through cards. */
static double link_Bps(const setting *s, const egc_workload *model)
{
    bool inside = columns[s->column] == GPUS;
    double rate_Bps = inside || isnan(s->network->nominal_Bps)
                          ? implied_Bps(s->network, s->column, model)
                          : s->network->nominal_Bps;
    return rate_Bps / s->slowdown;
}

static double link_latency_s(const setting *s)
{
    return columns[s->column] == GPUS ? node_latency_s : s->latency_s;
}

/* Of the two that the library has. */
static const egc_exchange_type *faster(const setting *s, const egc_workload *model, double bytes,
                                       double *time_s)
{
    egc_error err;
    const egc_exchange_type *ring, *tree;
    int p = columns[s->column];
    double alpha = link_latency_s(s), beta = 1 / link_Bps(s, model);
    assert_ok(egc_exchange_find("ring", &ring, &err), err);
    assert_ok(egc_exchange_find("double-tree", &tree, &err), err);
    double ring_s = egc_tuning_closed_form(ring, p, bytes, alpha, beta, 0);
    double tree_s =
        schedules[s->how].rings ? INFINITY : egc_tuning_closed_form(tree, p, bytes, alpha, beta, 0);
    *time_s = fmin(ring_s, tree_s);
    return tree_s < ring_s ? tree : ring;
}

/* Buckets of the schedule. Merging is planned by a startup and a time a byte: of this network's
 * exchanges, or those that the authors' code has. */
static void plan_buckets(const setting *s, const egc_workload *model, double speed_flops,
                         egc_partition *plan)
{
    const double few = 4, many = 0x1p26;
    double few_s, many_s;
    egc_error err = {0};
    egc_partition_options options = {.granularity = EGC_GRANULARITY_LAYER,
                                     .bucket_bytes = schedules[s->how].by_layer ? EGC_BUCKET_LAYER
                                                     : schedules[s->how].merges ? EGC_BUCKET_MERGE
                                                                                : EGC_BUCKET_MODEL,
                                     .first_bucket_bytes = 1,
                                     .speed_flops = speed_flops};
    faster(s, model, few, &few_s);
    faster(s, model, many, &many_s);
    options.startup_s = few_s;
    options.byte_s = (many_s - few_s) / many;
    if (s->how == MG_WFBP_AS_RUN) {
        options.startup_s = s->network->as_run[s->column].startup_s;
        options.byte_s = s->network->as_run[s->column].byte_s;
    }
    assert_ok(egc_partition_init(plan, model, &options, &err), err);
}

/* Rings run on nodes of GPUs with one card each. */
static void make_nodes(const setting *s, const egc_workload *model, test_cluster *out)
{
    egc_error err = {0};
    char settings[256];
    snprintf(settings, sizeof settings,
             "nodes=%d gpus=%d bandwidth=%.17g latency=%.17g gpu_bandwidth=%.17g gpu_latency=%.17g",
             columns[s->column] / GPUS, GPUS, link_Bps(s, model), s->latency_s - node_latency_s,
             implied_Bps(s->network, 0, model), node_latency_s);
    assert_ok(make_cluster("hierarchical", settings, out, &err), err);
}

static double step_time_s(const setting *s, const egc_workload *model)
{
    step taken = {.overlap = s->how != BSP};
    double unused;
    plan_buckets(s, model, step_speed_flops(model, BATCH / alone_samples_per_s), &taken.plan);
    for (size_t b = 0; b < taken.plan.n_buckets; b++)
        taken.exchange[b] = faster(s, model, 4 * (double)taken.plan.buckets[b].count, &unused);
    bool rings = schedules[s->how].rings;
    test_cluster nodes;
    if (rings)
        make_nodes(s, model, &nodes);
    double time_s = step_time(&taken, columns[s->column], link_Bps(s, model), link_latency_s(s),
                              rings ? &nodes : NULL);
    if (rings)
        free_cluster(&nodes);
    egc_partition_fini(&taken.plan);
    return time_s;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static setting setting_of(const measured *network, int column, schedule how)
{
    setting s = {network, column, how, fitted_latency_s, 1};
    if (how == BSP)
        s.latency_s = bsp_latency_s;
    if (how == WFBP_RING)
        s.latency_s = fitted_ring_latency_s;
    if (how == WFBP_SLOWED || how == MG_WFBP_SLOWED) {
        s.latency_s = fitted_slowed_latency_s;
        s.slowdown = fitted_slowdown;
    }
    return s;
}

/* BSP is predicted where the bandwidth is nominal, and the others' was read from it. The row that
 * was fitted says that it was. Rings alone show what the tree does. */
static void set_limit(validation_case *one, const setting *s)
{
    bool inside = columns[s->column] == GPUS, nominal = !isnan(s->network->nominal_Bps);
    bool fitted = s->how == WFBP && columns[s->column] == 2 * GPUS && nominal;
    one->limit = s->how == BSP ? 0.03 : 0.1;
    if (fitted) {
        one->note = "fitted";
        one->limit = 1e-3;
    }
    if (schedules[s->how].shown)
        one->note = "shown";
    if (s->how == BSP && (inside || !nominal))
        one->note = "input";
    if (one->note && !fitted)
        one->limit = NAN;
}

/* The report says what is known of why. */
static bool is_known(const setting *s)
{
    bool merges = s->how == MG_WFBP || s->how == MG_WFBP_AS_RUN;
    return merges && columns[s->column] == 32 && !isnan(s->network->nominal_Bps);
}

static double add_row(validation *v, const setting *s, const egc_workload *model)
{
    int p = columns[s->column];
    double step_s = step_time_s(s, model);
    double least = egc_tuning_least_bytes(EGC_COLLECTIVE_ALLREDUCE, p, model_bytes(model));
    validation_case one = {
        .ladder = "published",
        .source = "HKBU ddl-benchmarks",
        .quantity = "samples/s",
        .workers = p,
        .bytes = model_bytes(model),
        .expected = s->network->published[schedules[s->how].published_as][s->column],
        .simulated = p * BATCH / step_s,
        .rate_share = least / (step_s * link_Bps(s, model)),
    };
    snprintf(one.subject, sizeof one.subject, "%s", schedules[s->how].name);
    snprintf(one.network, sizeof one.network, "%s", s->network->name);
    set_limit(&one, s);
    one.known_outside = is_known(s);
    validation_add(v, &one);
    return one.simulated;
}

/* Which of two is faster; or that they tie. */
static void add_order(validation *v, const setting *s, schedule slow, schedule fast,
                      const double simulated[N_SCHEDULES])
{
    validation_case one = {
        .ladder = "order",
        .source = "HKBU ddl-benchmarks",
        .quantity = "ratio of samples/s",
        .workers = columns[s->column],
        .expected = s->network->published[fast][s->column] / s->network->published[slow][s->column],
        .simulated = simulated[fast] / simulated[slow],
        .limit = NAN,
        .rate_share = NAN,
    };
    one.same_side = fabs(one.expected - 1) > TIE;
    if (!one.same_side)
        one.limit = TIE;
    snprintf(one.subject, sizeof one.subject, "%s / %s", schedules[fast].name,
             schedules[slow].name);
    snprintf(one.network, sizeof one.network, "%s", s->network->name);
    validation_add(v, &one);
}

void validate_published(validation *v)
{
    egc_workload model;
    step_open_model(&model, BATCH);
    for (int n = 0; n < N_NETWORKS; n++)
        for (int column = 0; column < N_COLUMNS; column++) {
            double simulated[N_SCHEDULES];
            setting s = setting_of(&networks[n], column, BSP);
            for (int m = 0; m < N_SCHEDULES; m++) {
                s = setting_of(&networks[n], column, (schedule)m);
                simulated[m] = add_row(v, &s, &model);
            }
            add_order(v, &s, BSP, WFBP, simulated);
            add_order(v, &s, WFBP, MG_WFBP, simulated);
        }
    step_close_model(&model);
}

/* ---- what is fitted -------------------------------------------------------------------------- */

/* Sets *value, of which more is slower and which is part of *s, so that a step with 8 GPUs on 10GbE
 * takes as long as published. */
static void fit(setting *s, double *value, double low, double high, const egc_workload *model)
{
    const double exact = 1e-6;
    schedule as = schedules[s->how].published_as;
    double want_s = columns[s->column] * BATCH / s->network->published[as][s->column];
    while (high / low > 1 + exact) {
        *value = sqrt(low * high);
        if (step_time_s(s, model) < want_s)
            low = *value;
        else
            high = *value;
    }
}

published_fit fit_published(void)
{
    enum { ROUNDS = 8 }; /* in turn, until neither changes */
    const double least_s = 1e-6, most_s = 1e-3;
    egc_workload model;
    step_open_model(&model, BATCH);
    setting tree = setting_of(&networks[0], 1, WFBP), ring = setting_of(&networks[0], 1, WFBP_RING);
    setting slowed = setting_of(&networks[0], 1, WFBP_SLOWED);
    fit(&tree, &tree.latency_s, least_s, most_s, &model);
    fit(&ring, &ring.latency_s, least_s, most_s, &model);
    for (int round = 0; round < ROUNDS; round++) {
        slowed.how = WFBP_SLOWED;
        fit(&slowed, &slowed.latency_s, least_s, most_s, &model);
        slowed.how = MG_WFBP_SLOWED;
        fit(&slowed, &slowed.slowdown, 1, 2, &model);
    }
    step_close_model(&model);
    return (published_fit){tree.latency_s, ring.latency_s, slowed.latency_s, slowed.slowdown};
}
