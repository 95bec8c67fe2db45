/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plays methods over gradients, for oracle.py to compare with definitions of its own. Reads jobs
 * from stdin until its end, each a line and then raw floats, N for each worker of each step:
 *
 *     METHOD SETTINGS WORKERS STEPS ROWS N        SETTINGS: key=value;key=value, or - for none
 *
 * The one unit has N elements, and ROWS rows where that is not 0. Writes for each step the average
 * (N floats), worker 0's residual (N floats, zeros where there is none) and the bytes of all
 * messages (a double). Momentum 0.9, learning rate 0.1, seed 1. */
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

static bool play_step(test_team *team, uint64_t step, float *gradients, float *out)
{
    size_t n = team->n;
    float *of_worker[TEAM_MAX];
    for (size_t w = 0; w < team->n_workers; w++)
        of_worker[w] = gradients + w * n;
    team_step(team, step, 0.1, of_worker, out);
    const float *residual = egc_encoder_residual(team->encoder[0]);
    memset(out + n, 0, n * sizeof *out);
    if (residual)
        memcpy(out + n, residual, n * sizeof *out);
    double bytes = bytes_of(team);
    return fwrite(out, sizeof *out, 2 * n, stdout) == 2 * n &&
           fwrite(&bytes, sizeof bytes, 1, stdout) == 1;
}

/* All gradients are read before anything is written: the other side does not read meanwhile. */
static bool play(const egc_method *method, const egc_unit *unit, size_t workers, size_t steps)
{
    size_t n = unit->count, total = steps * workers * n;
    float *gradients = malloc(total * sizeof *gradients), *out = malloc(2 * n * sizeof *out);
    bool good = gradients && out && fread(gradients, sizeof(float), total, stdin) == total;
    test_team *team = team_new(method, workers, unit, 1);
    for (uint64_t step = 0; step < steps && good; step++)
        good = play_step(team, step, gradients + step * workers * n, out);
    team_free(team);
    free(gradients);
    free(out);
    return good && fflush(stdout) == 0;
}

int main(void)
{
    char line[512], name[64], settings[256];
    while (fgets(line, sizeof line, stdin)) {
        size_t workers, steps, rows, n;
        if (sscanf(line, "%63s %255s %zu %zu %zu %zu", name, settings, &workers, &steps, &rows,
                   &n) != 6 ||
            workers < 1 || workers > TEAM_MAX || steps < 1 || n < 1) {
            fprintf(stderr, "play: not a job: %s", line);
            return 2;
        }
        egc_method method;
        egc_error err = {0};
        if (egc_method_init(&method, name, &err) ||
            !apply(&method, strcmp(settings, "-") == 0 ? "" : settings, &err)) {
            fprintf(stderr, "play: %s %s: %s\n", name, settings, err.message);
            return 2;
        }
        const egc_unit unit = {.name = "unit", .rows = rows, .count = n};
        if (!play(&method, &unit, workers, steps))
            return 1;
    }
    return 0;
}
