/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two passes over the text: the first counts the words of the training part, the second writes the
 * numbers of all words. */
#include "workloads/train/corpus.h"

#include <string.h>
#include <sys/stat.h>

#include "workloads/train/datasets/locate.h"
#include "workloads/train/vocabulary.h"

/* ---- words ----------------------------------------------------------------------------------- */

/* A part of a file, read from its start to its end. */
typedef struct cursor {
    const char *next, *end;
    bool in_line; /* a word was read since the last end of a line */
} cursor;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Reads the next word, or "<eos>" after the last one of a line. False at the end. */
static bool next_word(cursor *c, const char **text, size_t *len)
{
    while (c->next < c->end && (is_space(*c->next) || (*c->next == '\n' && !c->in_line)))
        c->next++;
    if (c->next == c->end || *c->next == '\n') {
        bool ends_line = c->in_line;
        c->in_line = false;
        *text = "<eos>";
        *len = strlen(*text);
        return ends_line;
    }
    *text = c->next;
    while (c->next < c->end && !is_space(*c->next) && *c->next != '\n')
        c->next++;
    *len = (size_t)(c->next - *text);
    c->in_line = true;
    return true;
}

static egc_status count_words(cursor part, egc_vocabulary *vocabulary, egc_error *err)
{
    const char *text;
    size_t len;
    egc_status status = EGC_OK;
    while (!status && next_word(&part, &text, &len))
        status = egc_vocabulary_count(vocabulary, text, len, err);
    return status;
}

static egc_status number_words(cursor part, const egc_vocabulary *vocabulary, egc_buf *out,
                               egc_error *err)
{
    const char *text;
    size_t len;
    egc_status status = EGC_OK;
    while (!status && next_word(&part, &text, &len)) {
        uint32_t number = egc_vocabulary_find(vocabulary, text, len);
        status = egc_buf_append(out, &number, sizeof number, err);
    }
    return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

typedef struct sources {
    egc_buf files[EGC_CORPUS_PARTS];
    cursor parts[EGC_CORPUS_PARTS];
} sources;

/* FORMAT if the bytes of a file contain a zero, which no text does. */
static egc_status check_text(const egc_buf *file, const char *path, egc_error *err)
{
    const uint8_t *zero = file->len ? memchr(file->data, 0, file->len) : NULL;
    if (!zero)
        return EGC_OK;
    return egc_fail(err, EGC_ERROR_FORMAT, "%s: not a text: byte %zu is 0", path,
                    (size_t)(zero - file->data));
}

static cursor cursor_of(const egc_buf *file, size_t first, size_t end)
{
    const char *bytes = (const char *)file->data;
    return file->len ? (cursor){bytes + first, bytes + end, false} : (cursor){"", "", false};
}

static egc_status read_folder(const egc_dataset_type *type, const char *folder, sources *out,
                              egc_error *err)
{
    for (int i = 0; i < EGC_CORPUS_PARTS; i++) {
        char path[PATH_MAX];
        egc_buf *file = &out->files[i];
        egc_status status = egc_locate_path(folder, type->text_files[i], path, err);
        if (!status)
            status = egc_locate_read(folder, type->text_files[i], type->remedy, file, err);
        if (!status)
            status = check_text(file, path, err);
        if (status)
            return status;
        out->parts[i] = cursor_of(file, 0, file->len);
    }
    return EGC_OK;
}

static size_t count_lines(const egc_buf *file)
{
    size_t lines = 0;
    for (size_t i = 0; i < file->len; i++)
        lines += file->data[i] == '\n';
    return lines;
}

/* Offset of the start of a line. */
static size_t find_line(const egc_buf *file, size_t line)
{
    size_t i = 0;
    for (; i < file->len && line > 0; i++)
        line -= file->data[i] == '\n';
    return i;
}

static egc_status split_file(const char *path, sources *out, egc_error *err)
{
    egc_buf *file = &out->files[0];
    egc_status status = egc_buf_read_file(file, path, err);
    if (!status)
        status = check_text(file, path, err);
    if (status)
        return status;
    size_t lines = count_lines(file);
    size_t first[] = {0, find_line(file, lines - lines / 20 * 2),
                      find_line(file, lines - lines / 20), file->len};
    for (int i = 0; i < EGC_CORPUS_PARTS; i++)
        out->parts[i] = cursor_of(file, first[i], first[i + 1]);
    return EGC_OK;
}

static egc_status read_sources(const egc_dataset_type *type, const char *where, sources *out,
                               egc_error *err)
{
    struct stat info;
    if (stat(where, &info) == 0 && !S_ISDIR(info.st_mode))
        return split_file(where, out, err);
    return read_folder(type, where, out, err);
}

static egc_status make_corpus(const sources *from, const char *where, size_t limit, egc_corpus *out,
                              egc_error *err)
{
    static const char *const names[] = {"training", "validation", "test"};
    egc_vocabulary vocabulary;
    egc_status status = egc_vocabulary_init(&vocabulary, err);
    if (!status)
        status = count_words(from->parts[EGC_CORPUS_TRAINING], &vocabulary, err);
    if (!status)
        egc_vocabulary_number(&vocabulary, limit);
    for (int i = 0; i < EGC_CORPUS_PARTS && !status; i++) {
        status = number_words(from->parts[i], &vocabulary, &out->numbers[i], err);
        if (!status && out->numbers[i].len == 0)
            status =
                egc_fail(err, EGC_ERROR_FORMAT, "%s: the %s part has no words", where, names[i]);
    }
    out->vocabulary = vocabulary.size;
    egc_vocabulary_fini(&vocabulary);
    return status;
}

egc_status egc_corpus_load(const egc_dataset_type *type, const char *where, size_t limit,
                           egc_corpus *out, egc_error *err)
{
    sources from = {0};
    *out = (egc_corpus){0};
    egc_status status = read_sources(type, where, &from, err);
    if (!status)
        status = make_corpus(&from, where, limit, out, err);
    for (int i = 0; i < EGC_CORPUS_PARTS; i++)
        egc_buf_fini(&from.files[i]);
    if (status)
        egc_corpus_fini(out);
    return status;
}

void egc_corpus_fini(egc_corpus *corpus)
{
    for (int i = 0; i < EGC_CORPUS_PARTS; i++)
        egc_buf_fini(&corpus->numbers[i]);
    *corpus = (egc_corpus){0};
}

size_t egc_corpus_count(const egc_corpus *corpus, egc_corpus_part part)
{
    return corpus->numbers[part].len / sizeof(uint32_t);
}

const uint32_t *egc_corpus_numbers(const egc_corpus *corpus, egc_corpus_part part)
{
    return (const uint32_t *)(const void *)corpus->numbers[part].data;
}
