/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plays a method over gradients from stdin, for oracle.py to compare with definitions of its own.
 *
 *     play METHOD SETTINGS WORKERS STEPS ROWS N
 *
 * One unit of N elements, of ROWS rows where that is not 0. Reads WORKERS x N raw floats a step,
 * and writes for each step the average (N floats), worker 0's residual (N floats, zeros where there
 * is none) and the bytes of all messages (a double). Momentum 0.9, learning rate 0.1, seed 1. */
#include <stdio.h>

#include "support/team.h"
#include "support/test.h"

static bool apply(egc_method *method, const char *settings, egc_error *err)
{
    char copy[256];
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *item = strtok(copy, ";"); item; item = strtok(NULL, ";")) {
        char *value = strchr(item, '=');
        if (!value)
            return false;
        *value++ = '\0';
        egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = value};
        if (egc_method_set(method, item, &scalar, err))
            return false;
    }
    return !egc_method_check(method, err);
}

static double bytes_of(const test_team *team)
{
    double bytes = 0;
    for (size_t r = 0; r < team->n_rounds; r++)
        for (size_t w = 0; w < team->n_workers; w++)
            for (size_t owner = 0; owner < team->n_workers; owner++)
                bytes += (double)team->wire[r][w][owner].len;
    return bytes;
}

static bool play_step(test_team *team, uint64_t step, float **gradients, float *out)
{
    size_t n = team->n;
    for (size_t w = 0; w < team->n_workers; w++)
        if (fread(gradients[w], sizeof(float), n, stdin) != n)
            return false;
    team_step(team, step, 0.1, gradients, out);
    const float *residual = egc_encoder_residual(team->encoder[0]);
    memset(out + n, 0, n * sizeof *out);
    if (residual)
        memcpy(out + n, residual, n * sizeof *out);
    double bytes = bytes_of(team);
    return fwrite(out, sizeof *out, 2 * n, stdout) == 2 * n &&
           fwrite(&bytes, sizeof bytes, 1, stdout) == 1;
}

int main(int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: play METHOD SETTINGS WORKERS STEPS ROWS N\n");
        return 2;
    }
    size_t workers = strtoull(argv[3], NULL, 10), steps = strtoull(argv[4], NULL, 10);
    egc_unit unit = {
        .name = "unit", .rows = strtoull(argv[5], NULL, 10), .count = strtoull(argv[6], NULL, 10)};
    egc_method method;
    egc_error err = {0};
    if (workers < 1 || workers > TEAM_MAX || unit.count < 1 ||
        egc_method_init(&method, argv[1], &err) || !apply(&method, argv[2], &err)) {
        fprintf(stderr, "play: %s %s: %s\n", argv[1], argv[2], err.message);
        return 2;
    }
    float *gradients[TEAM_MAX], *out = malloc(2 * unit.count * sizeof *out);
    for (size_t w = 0; w < workers; w++)
        gradients[w] = malloc(unit.count * sizeof *gradients[w]);
    test_team *team = team_new(&method, workers, &unit, 1);
    bool good = out;
    for (uint64_t step = 0; step < steps && good; step++)
        good = play_step(team, step, gradients, out);
    team_free(team);
    for (size_t w = 0; w < workers; w++)
        free(gradients[w]);
    free(out);
    return good ? 0 : 1;
}
