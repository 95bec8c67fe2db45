/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every method does to known inputs, to the byte: a row for each method, variant and family of
 * inputs, held against golden.csv. A change here is a change of results, to be looked at as a diff:
 *     cmake --build --preset dev --target golden-rewrite
 *
 *     golden FILE            prints what differs; exit 1 if anything does
 *     golden --write FILE    rewrites it */
#include <stdio.h>

#include "base/hash.h"
#include "support/inputs.h"
#include "support/team.h"
#include "support/test.h"

enum { N = 1000, P = 2, STEPS = 3 };

static const char *const families[N_FAMILIES] = {
    [GAUSSIAN] = "gaussian",         [HEAVY_TAIL] = "heavy-tail", [TIES] = "ties",
    [ALL_ZERO] = "all-zero",         [SPIKE] = "spike",           [TINY] = "tiny",
    [ALL_NEGATIVE] = "all-negative",
};

/* Beside the defaults of every method. A method of these settings must be valid. */
static const struct {
    const char *method, *settings;
} variants[] = {
#include "golden/variants.def"
};
enum { N_VARIANTS = sizeof variants / sizeof *variants };

static bool apply(egc_method *method, const char *settings)
{
    char copy[256];
    egc_error err = {0};
    snprintf(copy, sizeof copy, "%s", settings);
    for (char *item = strtok(copy, ";"); item; item = strtok(NULL, ";")) {
        char *value = strchr(item, '=');
        *value++ = '\0';
        egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = value};
        if (egc_method_set(method, item, &scalar, &err)) {
            fprintf(stderr, "%s %s: %s: %s\n", method->name, settings, item, err.message);
            return false;
        }
    }
    if (egc_method_check(method, &err)) {
        fprintf(stderr, "%s %s: %s\n", method->name, settings, err.message);
        return false;
    }
    return true;
}

/* Bytes of a worker and step, relative error of the last step's input, and a hash of every byte. */
static void write_row(FILE *out, const egc_method *method, const char *settings, int family)
{
    static const egc_unit unit = {.name = "layer", .count = N, .rows = 25};
    float g[P][N], average[N], *gradients[P] = {g[0], g[1]};
    double bytes = 0, error2 = 0, input2 = 0;
    uint64_t hash = EGC_HASH_START;
    test_team *team = team_new(method, P, &unit, 1);
    for (uint64_t step = 0; step < STEPS; step++) {
        for (size_t w = 0; w < P; w++)
            fill_input(g[w], N, family, 10 * step + w);
        team_step(team, step, 0.1, gradients, average);
        hash = egc_hash(hash, average, sizeof average);
        for (size_t r = 0; r < team->n_rounds; r++)
            for (size_t w = 0; w < P; w++)
                for (size_t owner = 0; owner < P; owner++) {
                    const egc_buf *wire = &team->wire[r][w][owner];
                    hash = egc_hash(hash, wire->data, wire->len);
                    bytes += (double)wire->len;
                }
    }
    for (size_t w = 0; w < P; w++) {
        error2 += egc_encoder_encoding(team->encoder[w], 0)->error_norm2;
        input2 += egc_encoder_encoding(team->encoder[w], 0)->input_norm2;
    }
    fprintf(out, "%s,%s,%s,%.6g,%.6g,%016llx\n", method->name, settings, families[family],
            bytes / P / STEPS, input2 > 0 ? sqrt(error2 / input2) : 0, (unsigned long long)hash);
    team_free(team);
}

static bool write_method(FILE *out, const char *name, const char *settings)
{
    egc_method method;
    egc_error err = {0};
    if (egc_method_init(&method, name, &err) || !apply(&method, settings)) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    for (int family = 0; family < N_FAMILIES; family++)
        write_row(out, &method, settings, family);
    return true;
}

static bool write_variants(FILE *out, const char *name)
{
    bool good = write_method(out, name, "");
    for (int v = 0; v < N_VARIANTS && good; v++)
        if (strcmp(variants[v].method, name) == 0)
            good = write_method(out, name, variants[v].settings);
    return good;
}

static bool write_table(FILE *out)
{
    bool good = true;
    fprintf(out, "method,settings,input,bytes,rel_error,checksum\n");
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type && good; type++)
        good = write_variants(out, (*type)->name);
    for (const egc_method_preset *const *preset = egc_method_presets(); *preset && good; preset++)
        good = write_variants(out, (*preset)->name);
    return good;
}

/* Prints the lines that differ, "-" wanted and "+" got, and returns how many pairs do. */
static int compare(FILE *wanted, FILE *got)
{
    char want[512], have[512];
    int differ = 0;
    for (;;) {
        char *a = fgets(want, sizeof want, wanted), *b = fgets(have, sizeof have, got);
        if (!a && !b)
            return differ;
        if (a && b && strcmp(a, b) == 0)
            continue;
        if (differ++ < 10)
            printf("- %s+ %s", a ? a : "\n", b ? b : "\n");
    }
}

int main(int argc, char **argv)
{
    bool rewrite = argc == 3 && strcmp(argv[1], "--write") == 0;
    if (!rewrite && argc != 2)
        return 2;
    const char *path = argv[argc - 1];
    FILE *file = fopen(path, rewrite ? "w" : "r"), *table = rewrite ? file : tmpfile();
    if (!file || !table) {
        perror(path);
        return 2;
    }
    if (!write_table(table))
        return 1;
    if (rewrite)
        return fclose(file) == 0 ? 0 : 2;
    rewind(table);
    int differ = compare(file, table);
    if (differ)
        printf("%d rows differ; if they should, rewrite them: target golden-rewrite\n", differ);
    fclose(file);
    fclose(table);
    return differ != 0;
}
