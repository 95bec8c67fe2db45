/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program for the workload `process`, written after README.md alone: offsets, no headers of ours.
 * Parameters are 6 (2 x 3) and 1; the loss is half the distance from worker + 1, squared. What it
 * does wrong is its argument; with none it does nothing wrong. */
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 7 };

static const char *fault = "";
static float parameters[N];

static bool faulty(const char *name)
{
    return strcmp(fault, name) == 0;
}

static void put(const void *bytes, size_t len)
{
    if (fwrite(bytes, 1, len, stdout) != len)
        exit(9);
}

static void frame(const char *kind, uint64_t bytes)
{
    uint32_t zero = 0;
    put(kind, 4);
    put(&zero, 4);
    put(&bytes, 8);
}

static void put_layer(const char *name, uint64_t rows, uint64_t columns)
{
    char padded[64] = {0};
    uint64_t shape[4] = {rows, columns};
    double costs[4] = {2, 4, NAN, 0.5};
    snprintf(padded, sizeof padded, "%s", name);
    if (faulty("shape"))
        shape[3] = 1;
    if (faulty("huge"))
        shape[1] = UINT64_MAX / 4;
    if (faulty("flops"))
        costs[1] = -1;
    put(padded, sizeof padded);
    put(shape, sizeof shape);
    put(costs, sizeof costs);
}

static void answer_hello(void)
{
    uint32_t version = faulty("version") ? 2 : 1, n = faulty("count") ? 3 : 2, schedule = 0,
             lr_warmup = 5;
    double optimizer[3] = {faulty("lr") ? 0 : 0.5, 0, 0};
    char name[64] = "quadratic";
    if (faulty("silent"))
        exit(3);
    if (faulty("prints"))
        puts("Training for 10 epochs on cpu");
    if (faulty("says")) {
        frame("FAIL", 13);
        put("no\ndata: /a/b", 13);
        fflush(stdout);
        exit(1);
    }
    frame("LAYR", 104 + 2 * 128);
    put(&version, 4);
    put(&n, 4);
    put(optimizer, sizeof optimizer);
    put(&schedule, 4);
    put(&lr_warmup, 4);
    put(name, sizeof name);
    put_layer(faulty("name") ? "" : "w", 2, 3);
    if (faulty("half"))
        exit(4);
    put_layer("b", 1, 0);
}

static void answer_gradient(uint64_t worker)
{
    float gradient[N];
    double loss = 0;
    for (int i = 0; i < N; i++) {
        gradient[i] = parameters[i] - (float)(worker + 1);
        loss += 0.5 * (double)gradient[i] * (double)gradient[i];
    }
    if (faulty("hangs"))
        pause();
    if (faulty("crashes"))
        raise(SIGKILL);
    if (faulty("nan"))
        gradient[3] = NAN;
    size_t n = faulty("small") ? N - 1 : N;
    frame("GRAD", 8 + n * 4);
    put(&loss, 8);
    put(gradient, faulty("cut") ? 12 : n * 4);
    if (faulty("cut"))
        exit(0);
}

static void answer(const char *kind, const char *body, uint64_t bytes)
{
    const float start[N] = {faulty("start") ? INFINITY : 1, 1, 1, 1, 1, 1, 1};
    uint64_t head = 0, worker = 0;
    if (strcmp(kind, "GRAD") == 0) {
        head = 16;
        memcpy(&worker, body + 8, sizeof worker);
    }
    if (bytes == head + sizeof parameters && strcmp(kind, "HELO") != 0)
        memcpy(parameters, body + head, sizeof parameters);
    if (strcmp(kind, "HELO") == 0) {
        answer_hello();
    } else if (strcmp(kind, "INIT") == 0) {
        frame("PARM", sizeof start);
        put(start, sizeof start);
    } else if (strcmp(kind, "GRAD") == 0) {
        answer_gradient(worker);
    } else {
        const double quality[3] = {parameters[0], faulty("accuracy") ? 1.5 : 0.25, NAN};
        frame("EVAL", sizeof quality);
        put(quality, sizeof quality);
    }
}

int main(int argc, char **argv)
{
    char head[16], body[64], kind[5] = {0};
    fault = argc > 1 ? argv[1] : "";
    while (fread(head, 1, sizeof head, stdin) == sizeof head) {
        uint64_t bytes;
        memcpy(kind, head, 4);
        memcpy(&bytes, head + 8, sizeof bytes);
        if (bytes > sizeof body || fread(body, 1, bytes, stdin) != bytes)
            return 8;
        answer(kind, body, bytes);
        fflush(stdout);
    }
    if (faulty("stays"))
        pause();
    return 0;
}
