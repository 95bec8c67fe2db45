/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program of a user in C: three workers in one process train on random gradients with methods of
 * every kind of round, over the full interface. It also compiles as C++. */
#include <egc/egc.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { P = 3, BUCKETS = 2, N = 700, STEPS = 5, ROUNDS_MAX = 4 };

static const egc_model_layer layers[] = {
    {"embedding", 300, 30, 0},
    {"weight", 384, 24, 1},
    {"bias", 16, 0, 1},
};
static const size_t first[BUCKETS] = {0, 300};

static egc_error err;

static void check(int ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "%s: %s\n", what, err.message);
    exit(1);
}

static float noise(void)
{
    static unsigned state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / (float)(1 << 24) - 0.5f;
}

/* Sums messages of equal length, as an all-reduce does. The caller frees the result. */
static egc_message sum_of(const egc_message *messages, egc_element element)
{
    size_t len = messages[0].len, n = len / egc_element_bytes(element);
    void *sum = malloc(len);
    check(sum != NULL, "malloc");
    memcpy(sum, messages[0].data, len);
    for (int w = 1; w < P; w++)
        egc_element_add(element, sum, messages[w].data, n);
    egc_message result = {sum, len};
    return result;
}

/* out[w][rank]: the messages that worker w made. Hands worker `rank` those that the round's
 * exchange would bring it. */
static void exchange(egc_worker *worker, size_t rank, size_t bucket, size_t round, unsigned step,
                     egc_message out[P][P], float *average)
{
    egc_round_info info = egc_worker_round(worker, round);
    egc_message in[P];
    size_t leader = step % P, shard = info.collective == EGC_COLLECTIVE_ALLTOALL ? rank : 0;
    for (int w = 0; w < P; w++)
        in[w] = out[w][shard];
    if (info.collective == EGC_COLLECTIVE_ALLREDUCE || info.element != EGC_ELEMENT_NONE) {
        egc_message sum = sum_of(in, info.element);
        check(!egc_step_absorb_sum(worker, bucket, round, &sum, average, &err), "absorb_sum");
        free((void *)sum.data);
        return;
    }
    int one = info.collective == EGC_COLLECTIVE_BROADCAST;
    check(
        !egc_step_absorb(worker, bucket, round, one ? &in[leader] : in, one ? 1 : P, average, &err),
        "absorb");
}

/* All rounds of one bucket; all replicas must agree on the average. */
static void play_bucket(egc_worker *const *worker, size_t bucket, unsigned step,
                        float gradient[P][N], float average[P][N])
{
    egc_message out[P][P];
    for (int w = 0; w < P; w++)
        check(!egc_step_gradient(worker[w], bucket, gradient[w] + first[bucket], &err), "gradient");
    for (size_t round = 0; round < egc_worker_rounds(worker[0]); round++) {
        for (int w = 0; w < P; w++)
            check(!egc_step_message(worker[w], bucket, round, out[w], &err), "message");
        for (int w = 0; w < P; w++)
            exchange(worker[w], (size_t)w, bucket, round, step, out, average[w] + first[bucket]);
    }
    size_t bytes = egc_worker_elements(worker[0], bucket) * sizeof(float);
    for (int w = 1; w < P; w++)
        check(!memcmp(average[0] + first[bucket], average[w] + first[bucket], bytes),
              "replicas differ");
}

static void play_step(egc_worker *const *worker, unsigned step, double *handed_in, double *applied)
{
    static float gradient[P][N], average[P][N];
    for (int w = 0; w < P; w++) {
        for (int i = 0; i < N; i++) {
            gradient[w][i] = noise();
            handed_in[i] += (double)gradient[w][i];
        }
        check(!egc_step_begin(worker[w], step, 0.1, &err), "begin");
    }
    for (size_t bucket = BUCKETS; bucket-- > 0;) /* the last layers' gradients are ready first */
        play_bucket(worker, bucket, step, gradient, average);
    for (int i = 0; i < N; i++)
        applied[i] += P * (double)average[0][i];
}

/* Under plain error feedback nothing is lost: applied + residuals = handed in. */
static void check_conservation(egc_worker *const *worker, const double *handed_in,
                               const double *applied)
{
    for (int i = 0; i < N; i++) {
        double kept = 0;
        for (int w = 0; w < P; w++) {
            const float *residual = egc_worker_residual(worker[w]);
            kept += residual ? (double)residual[i] : 0;
        }
        check(fabs(applied[i] + kept - handed_in[i]) < 1e-4, "a gradient was lost");
    }
}

static void play(const char *method, const char *parameters, int conserves)
{
    double handed_in[N] = {0}, applied[N] = {0};
    egc_setup *setup;
    egc_worker *worker[P];
    check(!egc_setup_new(method, parameters, &setup, &err), method);
    check(!egc_setup_workers(setup, P, 7, &err), "workers");
    check(!egc_setup_layers(setup, layers, sizeof layers / sizeof *layers, &err), "layers");
    for (size_t w = 0; w < P; w++)
        check(!egc_worker_new(setup, w, w ? worker[0] : NULL, &worker[w], &err), method);
    egc_setup_free(setup);
    for (unsigned step = 0; step < STEPS; step++)
        play_step(worker, step, handed_in, applied);
    if (conserves)
        check_conservation(worker, handed_in, applied);
    egc_bucket_metrics metrics;
    check(!egc_step_metrics(worker[1], 1, &metrics, &err), "metrics");
    printf("%-10s %zu rounds, %zu bytes carry %zu elements of %zu\n", method,
           egc_worker_rounds(worker[0]), metrics.bytes, metrics.sent,
           egc_worker_elements(worker[1], 1));
    check(metrics.bytes > 0 && metrics.bytes < 5 * egc_worker_elements(worker[1], 1), "metrics");
    for (int w = 0; w < P; w++)
        egc_worker_free(worker[w]);
}

int main(void)
{
    check(egc_version() == EGC_VERSION_NUMBER, "another version");
    play("none", NULL, 1);
    play("topk", "ratio=0.05;value=q8;index=raw", 1);
    play("egc", "", 0);
    play("randomk", "ratio=0.1;value=bf16", 0);
    play("powersgd", "rank=2", 0);     /* two all-reduces */
    play("cltk", "ratio=0.05", 0);     /* a broadcast, then values */
    play("signsgd", "memory=none", 0); /* shards of votes */
    egc_setup *setup;
    check(egc_setup_new("topk", "ratio=2", &setup, &err) == EGC_ERROR_RANGE, "ratio=2");
    check(!strcmp(err.message, "ratio: must be in (0, 1], got \"2\""), "message");
    return 0;
}
