/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/file/atomic_file.h"
#include "base/mem.h"
#include "cli/bench/library.h"
#include "cli/bench/simulator.h"
#include "cli/table.h"
#include "cli/versions.h"
#include "experiment/results/csv.h"
#include "experiment/spec/cost_file.h"

/* But for the compressors, which give a table of costs. */
static const struct {
    const char *name;
    egc_status (*run)(const egc_bench_sink *sink, egc_error *err);
} sections[] = {
    {"codecs", egc_bench_codecs},
    {"kernels", egc_bench_kernels},
    {"simulator", egc_bench_simulator},
};

enum { N_SECTIONS = sizeof sections / sizeof *sections };

/* ---- the command line ------------------------------------------------------------------------ */

enum { OPTION_CSV, OPTION_METHOD, OPTION_ELEMENTS, OPTION_SEED };

static const egc_option options[] = {
    [OPTION_CSV] = {"csv", "FILE", "write the figures; the compressors' are a table of costs"},
    [OPTION_METHOD] = {"method", "NAME[:KEY=VALUE,...]",
                       "a method to measure, not every compressor; may be given again"},
    [OPTION_ELEMENTS] = {"elements", "N",
                         "elements to compress, not 10^4, 10^5, 10^6; may be given again"},
    [OPTION_SEED] = {"seed", "S", "of the gradients that are compressed (default: 1)"},
    {0},
};

static const egc_usage usage = {
    .command = "bench",
    .arguments = "[compressors|codecs|kernels|simulator|all] [options]",
    .summary = "Measures this machine: what compressing takes (an experiment charges it with "
               "cost = \"table\"), codecs,\ninner loops, and how fast it simulates. Times are "
               "medians of several calls",
    .options = options,
    .example = "egc-sim bench compressors --method topk --method topk:ratio=0.001 --csv costs.csv",
};

typedef struct bench_request {
    const char *section; /* "all" */
    const char *csv;     /* NULL: none */
    egc_method *methods; /* room for every compressor */
    size_t n_methods;
    size_t *elements;
    size_t n_elements;
    uint64_t seed;
} bench_request;

/* Sets "KEY=VALUE,KEY=VALUE"; semicolons, as in results, will do too. */
static egc_status set_params(egc_method *method, char *text, egc_error *err)
{
    egc_status status = EGC_OK;
    char *rest = NULL;
    for (char *key = strtok_r(text, ",;", &rest); key && !status;
         key = strtok_r(NULL, ",;", &rest)) {
        char *equals = strchr(key, '=');
        if (!equals)
            return egc_fail(err, EGC_ERROR_FORMAT, "must be KEY=VALUE, got \"%s\"", key);
        *equals = '\0';
        const egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = equals + 1};
        if (egc_method_set(method, key, &value, err))
            status = egc_error_prefix(err, "%s", key);
    }
    return status ? status : egc_method_check(method, err);
}

/* A table that says something twice would be refused. */
static egc_status check_new(const bench_request *request, const egc_method *method, egc_error *err)
{
    egc_buf mine = {0}, other = {0};
    egc_status status = egc_method_describe(method, &mine, err);
    for (const egc_method *m = request->methods; m < method && !status; m++) {
        egc_buf_clear(&other);
        status = egc_method_describe(m, &other, err);
        bool is_same = !status && strcmp(m->name, method->name) == 0 && mine.len == other.len &&
                       (mine.len == 0 || memcmp(mine.data, other.data, mine.len) == 0);
        if (is_same)
            status = egc_fail(err, EGC_ERROR_UNSUPPORTED,
                              "%s is there already with these parameters", method->name);
    }
    egc_buf_fini(&mine);
    egc_buf_fini(&other);
    return status;
}

static egc_status add_method(bench_request *request, const char *value, egc_error *err)
{
    char *text = egc_strdup(value);
    if (!text)
        return egc_fail_memory(err, strlen(value));
    char *colon = strchr(text, ':');
    if (colon)
        *colon = '\0';
    egc_method *method = &request->methods[request->n_methods++];
    egc_status status = egc_method_init(method, text, err);
    if (!status)
        status = set_params(method, colon ? colon + 1 : text + strlen(text), err);
    if (!status)
        status = check_new(request, method, err);
    egc_free(text);
    return status ? egc_error_prefix(err, "--method") : EGC_OK;
}

static egc_status parse_count(const char *name, const char *text, double least, double most,
                              uint64_t *out, egc_error *err)
{
    const egc_param count = {.name = name, .kind = EGC_PARAM_INT, .min = least, .max = most};
    const egc_scalar value = {.kind = EGC_SCALAR_TEXT, .text = text};
    int64_t number;
    if (egc_param_set(&count, &number, &value, err))
        return egc_error_prefix(err, "--%s", name);
    *out = (uint64_t)number;
    return EGC_OK;
}

static egc_status add_elements(bench_request *request, const char *value, egc_error *err)
{
    uint64_t n;
    egc_status status = parse_count("elements", value, 1, 1 << 30, &n, err);
    for (size_t i = 0; i < request->n_elements && !status; i++)
        if (request->elements[i] == n)
            status = egc_fail(err, EGC_ERROR_UNSUPPORTED, "--elements: %s is there already", value);
    if (!status)
        request->elements[request->n_elements++] = n;
    return status;
}

static egc_status set_option(bench_request *request, int option, const char *value, egc_error *err)
{
    switch (option) {
    case OPTION_CSV:
        request->csv = value;
        break;
    case OPTION_METHOD:
        return add_method(request, value, err);
    case OPTION_ELEMENTS:
        return add_elements(request, value, err);
    case OPTION_SEED:
        return parse_count("seed", value, 0, 0x1p53, &request->seed, err);
    }
    return EGC_OK;
}

static bool is_wanted(const bench_request *request, const char *section)
{
    return strcmp(request->section, "all") == 0 || strcmp(request->section, section) == 0;
}

static egc_status check_section(const bench_request *request, egc_error *err)
{
    bool is_known = strcmp(request->section, "all") == 0 || is_wanted(request, "compressors");
    char valid[128] = "compressors";
    for (size_t i = 0; i < N_SECTIONS; i++) {
        is_known |= is_wanted(request, sections[i].name);
        strcat(strcat(valid, ", "), sections[i].name);
    }
    if (!is_known)
        return egc_fail(err, EGC_ERROR_NAME, "unknown section \"%s\"; valid: %s, all",
                        request->section, valid);
    if (is_wanted(request, "compressors") || (!request->n_methods && !request->n_elements))
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "--method and --elements are for section compressors, got section %s",
                    request->section);
}

/* ---- what comes out -------------------------------------------------------------------------- */

typedef struct report {
    const char *section; /* under way: a heading has been printed */
    egc_buf csv;
    char machine[128];
} report;

/* The CPU, where the system tells; otherwise its kind. */
static void name_machine(char *out, size_t room)
{
    struct utsname host;
    char line[256];
    snprintf(out, room, "%s", uname(&host) == 0 ? host.machine : "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(out, room, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (file)
        fclose(file);
}

static egc_status append_texts(egc_buf *row, const char *const *texts, size_t n, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = egc_csv_text(row, texts[i], err);
    return status;
}

/* The columns after those of a table of costs. */
static egc_status end_row(report *out, egc_error *err)
{
    const char *const texts[] = {out->machine, egc_versions_get()->kernels, EGC_SIM_VERSION};
    egc_status status = append_texts(&out->csv, texts, 3, err);
    return status ? status : egc_csv_end(&out->csv, err);
}

static egc_status begin_csv(report *out, egc_error *err)
{
    static const char *const before[] = {"section", "name", "setting", "unit", "value"};
    static const char *const after[] = {"machine", "kernels", "version"};
    name_machine(out->machine, sizeof out->machine);
    egc_status status = append_texts(&out->csv, before, 5, err);
    for (const char *const *column = egc_cost_file_columns; *column && !status; column++)
        status = egc_csv_text(&out->csv, *column, err);
    if (!status)
        status = append_texts(&out->csv, after, 3, err);
    return status ? status : egc_csv_end(&out->csv, err);
}

static void head(report *out, const char *section, const char *columns)
{
    if (out->section && strcmp(out->section, section) == 0)
        return;
    printf("%s%s\n", out->section ? "\n" : "", section);
    out->section = section;
    if (*columns)
        puts(columns);
}

static egc_status on_row(void *arg, const egc_bench_row *row, egc_error *err)
{
    report *out = arg;
    head(out, row->section, "");
    printf("  %-16s %-26s %10.4g %s\n", row->name, row->setting, row->value, row->unit);
    egc_note_flush_stdout();
    const char *const texts[] = {row->section, row->name, row->setting, row->unit};
    egc_status status = append_texts(&out->csv, texts, 4, err);
    if (!status)
        status = egc_csv_real(&out->csv, row->value, err);
    for (const char *const *column = egc_cost_file_columns; *column && !status; column++)
        status = egc_csv_empty(&out->csv, err);
    return status ? status : end_row(out, err);
}

static egc_status on_cost(void *arg, const egc_bench_cost *cost, egc_error *err)
{
    report *out = arg;
    double n = (double)cost->elements;
    head(out, "compressors",
         "  method           params                   elements   encode s   decode s  ns/element  "
         "ns/element");
    printf("  %-16s %-20s %12zu %10.4g %10.4g %11.4g %11.4g\n", cost->method, cost->params,
           cost->elements, cost->encode_s, cost->decode_s, 1e9 * cost->encode_s / n,
           1e9 * cost->decode_s / n);
    egc_note_flush_stdout();
    const char *const texts[] = {"compressors", "", "", "", "", cost->method, cost->params};
    egc_status status = append_texts(&out->csv, texts, 7, err);
    if (!status)
        status = egc_csv_int(&out->csv, (int64_t)cost->elements, err);
    if (!status)
        status = egc_csv_real(&out->csv, cost->encode_s, err);
    if (!status)
        status = egc_csv_real(&out->csv, cost->decode_s, err);
    return status ? status : end_row(out, err);
}

/* ---------------------------------------------------------------------------------------------- */

static egc_status bench_compressors(bench_request *request, report *out, egc_error *err)
{
    static const size_t usual[] = {10000, 100000, 1000000};
    egc_status status = EGC_OK;
    bool is_all = request->n_methods == 0;
    for (const egc_compressor_type *const *type = egc_compressor_types();
         is_all && *type && !status; type++)
        status = add_method(request, (*type)->name, err);
    const egc_bench_request compressors = {
        .methods = request->methods,
        .n_methods = request->n_methods,
        .elements = request->n_elements ? request->elements : usual,
        .n_elements = request->n_elements ? request->n_elements : sizeof usual / sizeof *usual,
        .seed = request->seed,
    };
    return status ? status : egc_bench_compressors(&compressors, on_cost, out, err);
}

static egc_status bench(bench_request *request, egc_error *err)
{
    report out = {0};
    const egc_bench_sink sink = {.arg = &out, .row = on_row};
    egc_status status = begin_csv(&out, err);
    if (!status && request->csv)
        status = egc_atomic_file_try(request->csv, err); /* before minutes are spent */
    if (!status && is_wanted(request, "compressors"))
        status = bench_compressors(request, &out, err);
    for (size_t i = 0; i < N_SECTIONS && !status; i++)
        if (is_wanted(request, sections[i].name))
            status = sections[i].run(&sink, err);
    if (!status && request->csv)
        status = egc_atomic_file_save(request->csv, out.csv.data, out.csv.len, err);
    egc_buf_fini(&out.csv);
    return status;
}

static size_t count_compressors(void)
{
    size_t n = 0;
    while (egc_compressor_types()[n])
        n++;
    return n;
}

/* Returns an egc_exit. */
static int parse(bench_request *request, int argc, char **argv, bool *stop)
{
    egc_options args = {.usage = &usage, .argc = argc, .argv = argv};
    egc_error err = {0};
    egc_status status = EGC_OK;
    const char *value;
    int n;
    *stop = true;
    for (int option; !status && (option = egc_options_next(&args, &value)) >= 0;)
        status = set_option(request, option, value, &err);
    if (status)
        return egc_options_fail(&usage, "%s", err.message);
    char **rest = egc_options_rest(&args, 0, 1, &n);
    if (args.stop)
        return args.exit;
    request->section = n ? rest[0] : "all";
    if (check_section(request, &err))
        return egc_options_fail(&usage, "%s", err.message);
    *stop = false;
    return EGC_EXIT_DONE;
}

int egc_cmd_bench(int argc, char **argv)
{
    size_t room = count_compressors() + (size_t)argc;
    bench_request request = {
        .methods = egc_calloc(room, sizeof *request.methods),
        .elements = egc_calloc(room, sizeof *request.elements),
        .seed = 1,
    };
    egc_error err = {0};
    int exit_code = EGC_EXIT_FAILED;
    bool stop = true;
    if (request.methods && request.elements)
        exit_code = parse(&request, argc, argv, &stop);
    else
        egc_note("out of memory");
    if (!stop && bench(&request, &err))
        exit_code = egc_note_error(&err);
    egc_free(request.methods);
    egc_free(request.elements);
    return exit_code;
}
