/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the cases of the validation report.
 *
 *     validate PART REPORT.csv     judges one part, and compares it with the rows that are kept
 *     validate --write REPORT.csv  writes all parts, and judges them
 *     validate --fit               prints what published.c has fitted
 *
 * Ends 1 when a case is outside its limit, or inside though said to be outside, or not as kept. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "validation.h"

static void validate_forms(validation *v)
{
    validate_closed_forms(v);
    validate_server(v);
    validate_topologies(v);
}

static void validate_training(validation *v)
{
    validate_trainer(v);
    validate_published(v);
    validate_ddp(v);
}

static const struct {
    const char *name;
    void (*run)(validation *v);
} parts[] = {{"forms", validate_forms}, {"smpi", validate_smpi}, {"training", validate_training}};

enum { N_PARTS = sizeof parts / sizeof *parts, LINE = 512 };

static const char header[] =
    "part,ladder,source,subject,quantity,network,workers,bytes,expected,simulated,error_percent,"
    "limit_percent,share_of_rate,within\n";

/* Empty where there is none. */
static const char *number(char out[32], const char *format, double value, bool there)
{
    *out = '\0';
    if (there)
        snprintf(out, 32, format, value);
    return out;
}

static void format_case(char line[LINE], const char *part, const validation_case *one)
{
    char bytes[32], limit[32], share[32];
    double error = validation_error(one);
    const char *verdict = one->note ? one->note : validation_within(one) ? "yes" : "no";
    snprintf(line, LINE, "%s,%s,%s,%s,%s,\"%s\",%d,%s,%.9g,%.9g,%.4f,%s,%s,%s\n", part, one->ladder,
             one->source, one->subject, one->quantity, one->network, one->workers,
             number(bytes, "%.9g", one->bytes, one->bytes > 0), one->expected, one->simulated,
             fabs(error) < 5e-5 ? 0 : error,
             number(limit, "%.10g", 100 * one->limit, !isnan(one->limit)),
             number(share, "%.6f", one->rate_share, !isnan(one->rate_share)), verdict);
}

/* One line for each case that is not where it should be. */
static size_t judge(const validation *v)
{
    size_t wrong = 0, outside = 0;
    for (size_t i = 0; i < v->n; i++) {
        const validation_case *one = &v->cases[i];
        bool within = validation_within(one);
        outside += !within;
        if (within != one->known_outside)
            continue;
        wrong++;
        printf("%s: %s, %s, %s, %d workers: %g, expected %g, %+.3f %%, %g of the rate\n",
               within ? "inside, but said to be outside" : "outside", one->ladder, one->subject,
               one->network, one->workers, one->simulated, one->expected, validation_error(one),
               one->rate_share);
    }
    printf("%zu cases, %zu outside, of these %zu not known\n", v->n, outside, wrong);
    return wrong;
}

/* The next kept row of a part, or false. */
static bool next_kept(FILE *kept, const char *part, char line[LINE])
{
    while (fgets(line, LINE, kept))
        if (strncmp(line, part, strlen(part)) == 0 && line[strlen(part)] == ',')
            return true;
    return false;
}

static size_t compare(const validation *v, const char *part, FILE *kept)
{
    char now[LINE], then[LINE];
    size_t different = 0;
    for (size_t i = 0; i < v->n; i++) {
        format_case(now, part, &v->cases[i]);
        bool found = next_kept(kept, part, then);
        if (found && strcmp(now, then) == 0)
            continue;
        if (different++ == 0)
            printf(
                "not as kept (the target validation-rewrite writes it anew):\n  now  %s  kept %s",
                now, found ? then : "nothing\n");
    }
    bool more = next_kept(kept, part, then);
    if (more)
        printf("kept, but not there any more: %s", then);
    return different + more;
}

static int check_part(const char *part, const char *path)
{
    for (size_t i = 0; i < N_PARTS; i++) {
        if (strcmp(parts[i].name, part) != 0)
            continue;
        FILE *kept = fopen(path, "r");
        if (!kept) {
            fprintf(stderr, "validate: cannot read %s\n", path);
            return 2;
        }
        validation v = {0};
        parts[i].run(&v);
        size_t wrong = judge(&v) + compare(&v, part, kept);
        validation_fini(&v);
        fclose(kept);
        return wrong > 0;
    }
    fprintf(stderr, "validate: no part is called %s; there are forms, smpi, training\n", part);
    return 2;
}

static int write_report(const char *path)
{
    char line[LINE];
    size_t wrong = 0;
    FILE *out = fopen(path, "w");
    if (!out || fputs(header, out) < 0) {
        fprintf(stderr, "validate: cannot write %s\n", path);
        return 2;
    }
    for (size_t i = 0; i < N_PARTS; i++) {
        validation v = {0};
        parts[i].run(&v);
        for (size_t k = 0; k < v.n; k++) {
            format_case(line, parts[i].name, &v.cases[k]);
            fputs(line, out);
        }
        wrong += judge(&v);
        validation_fini(&v);
    }
    if (fclose(out) != 0) {
        fprintf(stderr, "validate: cannot write %s\n", path);
        return 2;
    }
    return wrong > 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--fit") == 0) {
        const published_fit got = fit_published();
        printf("%.3g s; by rings alone %.3g s; slowed %.3g s and %.4g times\n", got.latency_s,
               got.ring_latency_s, got.slowed_latency_s, got.slowdown);
        return 0;
    }
    if (argc == 3 && strcmp(argv[1], "--write") == 0)
        return write_report(argv[2]);
    if (argc == 3)
        return check_part(argv[1], argv[2]);
    fprintf(stderr, "usage: validate PART REPORT.csv | --write REPORT.csv | --fit\n");
    return 2;
}
