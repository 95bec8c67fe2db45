/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `egc-sim bench`: runs the sections of cli/bench, prints their figures as they come, and collects
 * them as CSV. The rows of the compressors are a table of costs (experiment/spec/cost_file.h). */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/file/atomic_file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/bench/bench.h"
#include "cli/options.h"
#include "cli/versions.h"
#include "experiment/spec/cost_file.h"
#include "experiment/spec/index.h"

static const struct {
    const char *name;
    egc_status (*run)(const egc_bench_sink *sink, egc_error *err); /* NULL: the compressors */
} sections[] = {
    {"compressors", NULL},
    {"codecs", egc_bench_codecs},
    {"kernels", egc_bench_kernels},
    {"simulator", egc_bench_simulator},
};

enum { N_SECTIONS = sizeof sections / sizeof *sections, N_COST_COLUMNS = 5 };

typedef struct bench_request {
    egc_texts section;
    const char *csv; /* NULL: none */
    egc_texts methods;
    egc_texts elements;
    int64_t seed;
} bench_request;

static const egc_option options[] = {
    {"csv", "FILE", "write the figures; those of the compressors are a table of costs",
     EGC_OPTION(bench_request, csv, TEXT)},
    {"method", "NAME[:KEY=VALUE,...]",
     "measure this method instead of every compressor; may be repeated",
     EGC_OPTION(bench_request, methods, TEXTS)},
    {"elements", "N", "vector length instead of 10^4, 10^5, 10^6; may be repeated",
     EGC_OPTION(bench_request, elements, TEXTS)},
    {"seed", "S", "seed of the gradients to compress (default: 1)",
     EGC_OPTION(bench_request, seed, INT), .max = 0x1p53},
    {0},
};

/* ---- methods and lengths --------------------------------------------------------------------- */

typedef struct selection {
    egc_method *methods;
    size_t *elements;
    egc_index known; /* the methods as texts */
    egc_bench_request request;
} selection;

/* Sets "KEY=VALUE,KEY=VALUE"; semicolons, as in runs.csv, are accepted too. */
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

/* A table of costs must not describe a method twice. */
static egc_status check_new(selection *s, const egc_method *method, egc_error *err)
{
    egc_buf text = {0};
    size_t i = s->request.n_methods - 1;
    egc_text_put(&text, "%s ", method->name);
    egc_status status = egc_method_describe(method, &text, err);
    if (!status && egc_index_add(&s->known, egc_text_get(&text), i) != i)
        status = egc_fail(err, EGC_ERROR_UNSUPPORTED, "%s with these parameters is given twice",
                          method->name);
    egc_buf_fini(&text);
    return status ? status : egc_index_check(&s->known, err);
}

static egc_status add_method(selection *s, const char *value, egc_error *err)
{
    char *text = egc_strdup(value);
    if (!text)
        return egc_fail_memory(err, strlen(value));
    char *colon = strchr(text, ':');
    if (colon)
        *colon = '\0';
    egc_method *method = &s->methods[s->request.n_methods++];
    egc_status status = egc_method_init(method, text, err);
    if (!status)
        status = set_params(method, colon ? colon + 1 : text + strlen(text), err);
    if (!status)
        status = check_new(s, method, err);
    egc_free(text);
    return status ? egc_error_prefix(err, "--method") : EGC_OK;
}

static egc_status add_elements(selection *s, const char *value, egc_error *err)
{
    const egc_param length = {.name = "elements", .kind = EGC_PARAM_INT, .min = 1, .max = 1 << 30};
    const egc_scalar text = {.kind = EGC_SCALAR_TEXT, .text = value};
    int64_t n;
    if (egc_param_set(&length, &n, &text, err))
        return egc_error_prefix(err, "--elements");
    for (size_t i = 0; i < s->request.n_elements; i++)
        if (s->elements[i] == (size_t)n)
            return egc_fail(err, EGC_ERROR_UNSUPPORTED, "--elements: %s is given twice", value);
    s->elements[s->request.n_elements++] = (size_t)n;
    return EGC_OK;
}

/* Without --method every compressor, without --elements the usual lengths. */
static egc_status select_all(selection *s, const bench_request *request, egc_error *err)
{
    static const size_t usual[] = {10000, 100000, 1000000};
    egc_status status = EGC_OK;
    for (size_t i = 0; i < request->methods.n && !status; i++)
        status = add_method(s, request->methods.items[i], err);
    for (const egc_compressor_type *const *type = egc_compressor_types();
         !request->methods.n && *type && !status; type++)
        status = add_method(s, (*type)->name, err);
    for (size_t i = 0; i < request->elements.n && !status; i++)
        status = add_elements(s, request->elements.items[i], err);
    s->request.methods = s->methods;
    s->request.elements = request->elements.n ? s->elements : usual;
    if (!request->elements.n)
        s->request.n_elements = sizeof usual / sizeof *usual;
    s->request.seed = (uint64_t)request->seed;
    return status;
}

static egc_status selection_init(selection *s, const bench_request *request, egc_error *err)
{
    size_t n = request->methods.n;
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++)
        n++;
    *s = (selection){.methods = egc_calloc(n, sizeof *s->methods),
                     .elements = egc_calloc(request->elements.n + 1, sizeof *s->elements)};
    if (!s->methods || !s->elements)
        return egc_fail_memory(err, n * sizeof *s->methods);
    return select_all(s, request, err);
}

static void selection_fini(selection *s)
{
    egc_free(s->methods);
    egc_free(s->elements);
    egc_index_fini(&s->known);
}

/* ---- sections -------------------------------------------------------------------------------- */

static bool is_wanted(const char *section, const char *name)
{
    return strcmp(section, "all") == 0 || strcmp(section, name) == 0;
}

static egc_status check_section(const bench_request *request, const char *section, egc_error *err)
{
    bool is_known = strcmp(section, "all") == 0;
    char valid[128] = "";
    for (size_t i = 0; i < N_SECTIONS; i++) {
        is_known |= is_wanted(section, sections[i].name);
        strcat(strcat(valid, sections[i].name), ", ");
    }
    if (!is_known)
        return egc_fail(err, EGC_ERROR_NAME, "unknown section \"%s\"; valid: %sall", section,
                        valid);
    if (is_wanted(section, "compressors") || (!request->methods.n && !request->elements.n))
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_UNSUPPORTED,
                    "--method and --elements need section compressors, got section %s", section);
}

/* ---- output ---------------------------------------------------------------------------------- */

typedef struct report {
    const char *section; /* the last heading */
    egc_buf csv;
    char machine[128];
} report;

/* The CPU's model name where /proc/cpuinfo has one, otherwise its architecture. */
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

static void put_texts(egc_buf *row, const char *const *texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        egc_text_put_field(row, texts[i]);
}

static void begin_csv(report *out)
{
    name_machine(out->machine, sizeof out->machine);
    put_texts(&out->csv, (const char *[]){"section", "name", "setting", "unit", "value"}, 5);
    put_texts(&out->csv, egc_cost_file_columns, N_COST_COLUMNS);
    put_texts(&out->csv, (const char *[]){"machine", "kernels", "version"}, 3);
    egc_text_end_row(&out->csv);
}

/* Appends the columns after those of a table of costs. */
static egc_status end_row(report *out, egc_error *err)
{
    put_texts(&out->csv,
              (const char *[]){out->machine, egc_versions_get()->kernels, EGC_SIM_VERSION}, 3);
    egc_text_end_row(&out->csv);
    egc_note_flush_stdout();
    return egc_buf_check(&out->csv, err);
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
    put_texts(&out->csv, (const char *[]){row->section, row->name, row->setting, row->unit}, 4);
    egc_text_put_real_field(&out->csv, row->value);
    for (size_t i = 0; i < N_COST_COLUMNS; i++)
        egc_text_put_field(&out->csv, "");
    return end_row(out, err);
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
    put_texts(&out->csv,
              (const char *[]){"compressors", "", "", "", "", cost->method, cost->params}, 7);
    egc_text_put_int_field(&out->csv, (int64_t)cost->elements);
    egc_text_put_real_field(&out->csv, cost->encode_s);
    egc_text_put_real_field(&out->csv, cost->decode_s);
    return end_row(out, err);
}

/* ---- the command ----------------------------------------------------------------------------- */

static egc_status bench(const char *section, const char *csv, const selection *s, egc_error *err)
{
    report out = {0};
    const egc_bench_sink sink = {.arg = &out, .row = on_row};
    begin_csv(&out);
    egc_status status = csv ? egc_atomic_file_try(csv, err) : EGC_OK; /* before minutes are spent */
    for (size_t i = 0; i < N_SECTIONS && !status; i++)
        if (is_wanted(section, sections[i].name))
            status = sections[i].run ? sections[i].run(&sink, err)
                                     : egc_bench_compressors(&s->request, on_cost, &out, err);
    if (!status && csv)
        status = egc_atomic_file_save(csv, out.csv.data, out.csv.len, err);
    egc_buf_fini(&out.csv);
    return status;
}

static int run(void *arg)
{
    const bench_request *request = arg;
    const char *section = request->section.n ? request->section.items[0] : "all";
    selection s = {0};
    egc_error err;
    int exit = EGC_EXIT_DONE;
    if (check_section(request, section, &err) || selection_init(&s, request, &err))
        exit = egc_options_fail(&egc_cmd_bench, "%s", err.message);
    else if (bench(section, request->csv, &s, &err))
        exit = egc_note_error(&err);
    selection_fini(&s);
    return exit;
}

const egc_command egc_cmd_bench = {
    .name = "bench",
    .brief = "measure this machine: the time of compression, and of simulation",
    .arguments = "[compressors|codecs|kernels|simulator|all] [options]",
    .summary = "Measures this machine: the time of compression (which experiments use with "
               "cost = \"table\"), codecs,\ninner loops, and the speed of simulation. Times are "
               "medians of several calls",
    .example = "egc-sim bench compressors --method topk --method topk:ratio=0.001 --csv costs.csv",
    .options = options,
    .most = 1,
    .request_size = sizeof(bench_request),
    .defaults = &(const bench_request){.seed = 1},
    .run = run,
};
