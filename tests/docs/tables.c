/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of compressors/README.md are made from the descriptors, so that they cannot grow old:
 *
 *     tables FILE            exit 1 if a table is not what the descriptors say
 *     tables --write FILE    rewrites them, between <!-- NAME --> and <!-- end --> */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "support/core.h"

/* ---- the tables ------------------------------------------------------------------------------ */

/* Columns of a Markdown table may hold no bar. */
static void cell(egc_buf *out, const char *text)
{
    egc_text_put(out, "| ");
    for (; *text; text++)
        egc_text_put(out, *text == '|' ? "\\%c" : "%c", *text);
    egc_text_put(out, " ");
}

static void row(egc_buf *out, const char *name, const char *const *cells, size_t n)
{
    egc_text_put(out, "| `%s` ", name);
    for (size_t i = 0; i < n; i++)
        cell(out, cells[i] ? cells[i] : "");
    egc_text_put(out, "|\n");
}

static const char *round_of(const egc_method *method)
{
    size_t n = egc_round_plan_count(method);
    egc_round last = egc_round_plan_at(method, n - 1);
    static const char *const kinds[] = {"summed", "gathered", "broadcast", "scattered"};
    static char text[128];
    text[0] = '\0';
    for (size_t r = 0; r < n; r++) {
        bool may_sum = r + 1 == n && last.kind == EGC_COLLECTIVE_ALLGATHER && last.element;
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", r ? ", then " : "",
                 may_sum ? "summed or gathered" : kinds[egc_round_plan_at(method, r).kind]);
    }
    return text;
}

static const char *traits_of(const egc_compressor_type *type)
{
    static const char *const names[] = {"exact",      "linear", "unbiased",   "contraction",
                                        "scale-free", "shared", "own values", "momentum",
                                        "unscaled",   "matrix"};
    static char text[128];
    text[0] = '\0';
    for (size_t t = 0; t < sizeof names / sizeof *names; t++)
        if (type->traits & 1u << t)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "",
                     names[t]);
    return text;
}

static egc_status compressors(egc_buf *out, egc_error *err)
{
    egc_text_put(out, "| compressor | sends | wire size of a unit of n elements | "
                      "messages are | traits | source |\n"
                      "| --- | --- | --- | --- | --- | --- |\n");
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++) {
        egc_method method;
        egc_status status = egc_method_init(&method, (*type)->name, err);
        if (status)
            return status;
        const char *const cells[] = {(*type)->summary, (*type)->size, round_of(&method),
                                     traits_of(*type), (*type)->reference};
        row(out, (*type)->name, cells, 5);
    }
    return EGC_OK;
}

static egc_status index_codecs(egc_buf *out, egc_error *err)
{
    (void)err;
    egc_text_put(out, "| index codec | | bits |\n| --- | --- | --- |\n");
    for (const egc_index_codec *const *codec = egc_codec_index_types(); *codec; codec++)
        row(out, (*codec)->name, (const char *[]){(*codec)->summary, (*codec)->size}, 2);
    return EGC_OK;
}

static egc_status value_codecs(egc_buf *out, egc_error *err)
{
    (void)err;
    egc_text_put(out, "| value codec | | bits |\n| --- | --- | --- |\n");
    for (const egc_value_codec *const *codec = egc_codec_value_types(); *codec; codec++)
        row(out, (*codec)->name, (const char *[]){(*codec)->summary, (*codec)->size}, 2);
    return EGC_OK;
}

static egc_status memories(egc_buf *out, egc_error *err)
{
    (void)err;
    egc_text_put(out, "| memory | | |\n| --- | --- | --- |\n");
    for (const egc_error_feedback_type *const *memory = egc_error_feedback_types(); *memory;
         memory++)
        row(out, (*memory)->name, (const char *[]){(*memory)->summary, (*memory)->formula}, 2);
    return EGC_OK;
}

static const struct {
    const char *marker;
    egc_status (*make)(egc_buf *out, egc_error *err);
} tables[] = {
    {"<!-- compressors -->\n", compressors},
    {"<!-- index codecs -->\n", index_codecs},
    {"<!-- value codecs -->\n", value_codecs},
    {"<!-- memories -->\n", memories},
};
static const char end_marker[] = "<!-- end -->";

/* ---- the file -------------------------------------------------------------------------------- */

static egc_status read_file(const char *path, egc_buf *out, egc_error *err)
{
    char piece[4096];
    size_t n;
    FILE *file = fopen(path, "r");
    egc_status status = file ? EGC_OK : egc_fail_errno(err, "open", path);
    while (!status && (n = fread(piece, 1, sizeof piece, file)) > 0)
        status = egc_buf_append(out, piece, n, err);
    if (file)
        fclose(file);
    return status ? status : egc_buf_append(out, "", 1, err);
}

/* text with every table as the descriptors say. */
static egc_status render(const char *text, egc_buf *out, egc_error *err)
{
    egc_status status = EGC_OK;
    for (size_t t = 0; t < sizeof tables / sizeof *tables && !status; t++) {
        const char *marker = strstr(text, tables[t].marker);
        const char *end = marker ? strstr(marker, end_marker) : NULL;
        if (!end)
            return egc_fail(err, EGC_ERROR_FORMAT, "no %.*s ... %s, in this order",
                            (int)strlen(tables[t].marker) - 1, tables[t].marker, end_marker);
        const char *inside = marker + strlen(tables[t].marker);
        status = egc_buf_append(out, text, (size_t)(inside - text), err);
        if (!status)
            status = tables[t].make(out, err);
        text = end;
    }
    return status ? status : egc_buf_append(out, text, strlen(text), err);
}

int main(int argc, char **argv)
{
    bool rewrite = argc == 3 && strcmp(argv[1], "--write") == 0;
    if (!rewrite && argc != 2)
        return 2;
    const char *path = argv[argc - 1];
    egc_error err = {0};
    egc_buf is = {0}, should = {0};
    FILE *file = NULL;
    egc_status status = read_file(path, &is, &err);
    if (!status)
        status = render((const char *)is.data, &should, &err);
    bool same =
        !status && should.len + 1 == is.len && memcmp(is.data, should.data, should.len) == 0;
    if (!status && rewrite && !(file = fopen(path, "w")))
        status = egc_fail_errno(&err, "write", path);
    if (file) {
        same = fwrite(should.data, 1, should.len, file) == should.len;
        same = fclose(file) == 0 && same;
    }
    if (status)
        fprintf(stderr, "%s: %s\n", path, err.message);
    else if (!same)
        fprintf(stderr,
                "%s: a table is not what the descriptors say; run the target "
                "tables-rewrite\n",
                path);
    egc_buf_fini(&is);
    egc_buf_fini(&should);
    return !same;
}
