/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts: words and their numbers, files whole and missing, and who reads what. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/test.h"
#include "workloads/train/corpus.h"
#include "workloads/train/streams.h"
#include "workloads/train/vocabulary.h"

static char folder[] = "language-text-XXXXXX";
static egc_error err;

/* ---- vocabulary ------------------------------------------------------------------------------ */

static void count(egc_vocabulary *vocabulary, const char *const *words, size_t n)
{
    assert_ok(egc_vocabulary_init(vocabulary, &err), err);
    for (size_t i = 0; i < n; i++)
        assert_ok(egc_vocabulary_count(vocabulary, words[i], strlen(words[i]), &err), err);
}

static uint32_t find(const egc_vocabulary *vocabulary, const char *word)
{
    return egc_vocabulary_find(vocabulary, word, strlen(word));
}

/* c thrice; b, a and ab twice, in the order of their bytes; d once. */
static const char *const WORDS[] = {"c", "b", "a", "ab", "c", "d", "a", "c", "b", "ab"};
enum { N_WORDS = sizeof WORDS / sizeof *WORDS };

static void language_text__order_of_numbers(void **state)
{
    (void)state;
    egc_vocabulary vocabulary;
    count(&vocabulary, WORDS, N_WORDS);
    egc_vocabulary_number(&vocabulary, SIZE_MAX);
    assert_int_equal(vocabulary.size, 7);
    const char *const sorted[] = {"<unk>", "<eos>", "c", "a", "ab", "b", "d"};
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(find(&vocabulary, sorted[i]), i);
    assert_int_equal(find(&vocabulary, "e"), EGC_WORD_UNKNOWN);
    assert_int_equal(find(&vocabulary, ""), EGC_WORD_UNKNOWN);
    assert_int_equal(find(&vocabulary, "abc"), EGC_WORD_UNKNOWN);
    egc_vocabulary_fini(&vocabulary);
}

static void language_text__limit(void **state)
{
    (void)state;
    egc_vocabulary vocabulary;
    count(&vocabulary, WORDS, N_WORDS);
    egc_vocabulary_number(&vocabulary, 4);
    assert_int_equal(vocabulary.size, 4);
    assert_int_equal(find(&vocabulary, "c"), 2);
    assert_int_equal(find(&vocabulary, "a"), 3);
    assert_int_equal(find(&vocabulary, "ab"), EGC_WORD_UNKNOWN);
    assert_int_equal(find(&vocabulary, "<eos>"), EGC_WORD_END);
    egc_vocabulary_fini(&vocabulary);
}

/* More words than the first table has room for, each counted as often as its number says. */
static void language_text__many_words(void **state)
{
    (void)state;
    enum { MANY = 5000 };
    static char words[MANY][16];
    egc_vocabulary vocabulary;
    assert_ok(egc_vocabulary_init(&vocabulary, &err), err);
    for (int i = 0; i < MANY; i++)
        snprintf(words[i], sizeof words[i], "w%d", i);
    for (int copy = 0; copy < 3; copy++)
        for (int i = copy; i < MANY; i += copy + 1)
            assert_ok(egc_vocabulary_count(&vocabulary, words[i], strlen(words[i]), &err), err);
    egc_vocabulary_number(&vocabulary, SIZE_MAX);
    assert_int_equal(vocabulary.size, MANY + 2);
    for (uint32_t i = 2; i + 1 < vocabulary.size; i++)
        assert_true(vocabulary.words[i].count >= vocabulary.words[i + 1].count);
    assert_int_equal(vocabulary.words[find(&vocabulary, "w5")].count,
                     3); /* 5 = 1 + 2 * 2 = 2 + 3 */
    assert_int_equal(vocabulary.words[find(&vocabulary, "w4")].count, 1);
    egc_vocabulary_fini(&vocabulary);
}

/* ---- files ----------------------------------------------------------------------------------- */

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *name, const char *bytes, size_t len)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text)
{
    write_bytes(name, text, strlen(text));
}

static const egc_dataset_type *type_of(const char *name)
{
    size_t i = 0;
    while (strcmp(egc_dataset_names[i], name) != 0)
        i++;
    return egc_dataset_types()[i];
}

static void expect_numbers(const egc_corpus *corpus, egc_corpus_part part, const uint32_t *want,
                           size_t n)
{
    assert_int_equal(egc_corpus_count(corpus, part), n);
    assert_memory_equal(egc_corpus_numbers(corpus, part), want, n * sizeof *want);
}

/* As Mikolov's files are: a space at both ends of a line, <unk> and N among the words. */
static int write_ptb(void **state)
{
    (void)state;
    write_text("ptb.train.txt", " the <unk> of the N \n the end \n");
    write_text("ptb.valid.txt", " the start \n");
    write_text("ptb.test.txt", " N <unk> \n of \n");
    return 0;
}

static int remove_ptb(void **state)
{
    (void)state;
    unlink(path_of("ptb.train.txt"));
    unlink(path_of("ptb.valid.txt"));
    unlink(path_of("ptb.test.txt"));
    return 0;
}

/* the 2 (three times), then N 3, end 4, of 5. */
static void language_text__ptb(void **state)
{
    (void)state;
    egc_corpus corpus;
    assert_ok(egc_corpus_load(type_of("ptb"), folder, 10000, &corpus, &err), err);
    assert_int_equal(corpus.vocabulary, 6);
    expect_numbers(&corpus, EGC_CORPUS_TRAINING, (uint32_t[]){2, 0, 5, 2, 3, 1, 2, 4, 1}, 9);
    expect_numbers(&corpus, EGC_CORPUS_VALIDATION, (uint32_t[]){2, 0, 1}, 3);
    expect_numbers(&corpus, EGC_CORPUS_TEST, (uint32_t[]){3, 0, 1, 5, 1}, 5);
    egc_corpus_fini(&corpus);
    assert_ok(egc_corpus_load(type_of("ptb"), folder, 4, &corpus, &err), err);
    assert_int_equal(corpus.vocabulary, 4);
    expect_numbers(&corpus, EGC_CORPUS_TEST, (uint32_t[]){3, 0, 1, 0, 1}, 5);
    egc_corpus_fini(&corpus);
}

static void language_text__missing_file(void **state)
{
    (void)state;
    egc_corpus corpus;
    char expected[EGC_ERROR_LENGTH];
    unlink(path_of("ptb.valid.txt"));
    snprintf(expected, sizeof expected,
             "ptb.valid.txt is not in %s: set path to a folder with ptb.train.txt, ptb.valid.txt "
             "and ptb.test.txt as Mikolov et al. prepared them: a sentence in each line, words "
             "separated by spaces",
             folder);
    assert_fails(egc_corpus_load(type_of("ptb"), folder, 100, &corpus, &err), err, EGC_ERROR_IO,
                 expected);
    assert_fails(egc_corpus_load(type_of("kjv"), "/nowhere", 100, &corpus, &err), err, EGC_ERROR_IO,
                 "kjv.train.txt is not in /nowhere: run scripts/make_kjv_text.sh FOLDER, which "
                 "makes it from the Debian packages bible-kjv and bible-kjv-text, and set path to "
                 "FOLDER");
    assert_fails(egc_corpus_load(type_of("text"), "/nowhere", 100, &corpus, &err), err,
                 EGC_ERROR_IO,
                 "train.txt is not in /nowhere: set path to a text file, or to a folder with "
                 "train.txt, valid.txt and test.txt");
}

static void language_text__not_a_text(void **state)
{
    (void)state;
    egc_corpus corpus;
    char expected[EGC_ERROR_LENGTH];
    write_bytes("ptb.valid.txt", "a b\0c\n", 6);
    snprintf(expected, sizeof expected, "%s: not a text: byte 3 is 0", path_of("ptb.valid.txt"));
    assert_fails(egc_corpus_load(type_of("ptb"), folder, 100, &corpus, &err), err, EGC_ERROR_FORMAT,
                 expected);
    write_text("ptb.valid.txt", " \n\t\r\n");
    snprintf(expected, sizeof expected, "%s: the validation part has no words", folder);
    assert_fails(egc_corpus_load(type_of("ptb"), folder, 100, &corpus, &err), err, EGC_ERROR_FORMAT,
                 expected);
    write_text("ptb.valid.txt", "");
    assert_fails(egc_corpus_load(type_of("ptb"), folder, 100, &corpus, &err), err, EGC_ERROR_FORMAT,
                 expected);
}

/* A file that cannot be read is not one that is missing. */
static void language_text__unreadable(void **state)
{
    (void)state;
    egc_corpus corpus;
    char expected[EGC_ERROR_LENGTH];
    unlink(path_of("ptb.valid.txt"));
    mkdir(path_of("ptb.valid.txt"), 0700);
    snprintf(expected, sizeof expected, "%s: cannot read: Is a directory",
             path_of("ptb.valid.txt"));
    assert_fails(egc_corpus_load(type_of("ptb"), folder, 100, &corpus, &err), err, EGC_ERROR_IO,
                 expected);
    rmdir(path_of("ptb.valid.txt"));
}

/* Any white space separates; Windows line ends, empty lines and a missing last line end are fine;
 * bytes beyond ASCII are parts of words. */
static void language_text__white_space(void **state)
{
    (void)state;
    egc_corpus corpus;
    write_text("ptb.train.txt", "\r\n\n\xc3\xa9t\xc3\xa9\t x\r\n\n\n  x\v\fx  y");
    assert_ok(egc_corpus_load(type_of("ptb"), folder, 100, &corpus, &err), err);
    expect_numbers(&corpus, EGC_CORPUS_TRAINING, (uint32_t[]){4, 2, 1, 2, 2, 3, 1}, 7);
    egc_corpus_fini(&corpus);
}

/* 40 lines: 36 to train, 2 to validate, 2 to test. */
static void language_text__one_file(void **state)
{
    (void)state;
    egc_corpus corpus;
    char text[40 * 4 + 1] = "", *next = text;
    for (int i = 0; i < 40; i++)
        next += sprintf(next, "%s\n", i < 36 ? "a b" : i < 38 ? "a" : "b");
    write_text("all", text);
    char path[256];
    snprintf(path, sizeof path, "%s", path_of("all"));
    assert_ok(egc_corpus_load(type_of("text"), path, 100, &corpus, &err), err);
    assert_int_equal(egc_corpus_count(&corpus, EGC_CORPUS_TRAINING), 36 * 3);
    expect_numbers(&corpus, EGC_CORPUS_VALIDATION, (uint32_t[]){2, 1, 2, 1}, 4);
    expect_numbers(&corpus, EGC_CORPUS_TEST, (uint32_t[]){3, 1, 3, 1}, 4);
    egc_corpus_fini(&corpus);
    write_text("all", "one line only\n");
    char expected[EGC_ERROR_LENGTH];
    snprintf(expected, sizeof expected, "%s: the validation part has no words", path);
    assert_fails(egc_corpus_load(type_of("text"), path, 100, &corpus, &err), err, EGC_ERROR_FORMAT,
                 expected);
    unlink(path);
}

/* ---- streams --------------------------------------------------------------------------------- */

/* 26 words, two workers of 13, two streams of 6 each: one step of 4, and the word behind it. */
static void language_text__streams(void **state)
{
    (void)state;
    uint32_t words[26];
    for (uint32_t i = 0; i < 26; i++)
        words[i] = i;
    egc_streams streams;
    assert_ok(egc_streams_init(&streams, words, 26, 2, 2, 4, &err), err);
    assert_int_equal(egc_streams_steps(&streams), 1);
    float inputs[8];
    int labels[8];
    assert_int_equal(egc_streams_read(&streams, 1, 0, inputs, labels), 8);
    const float want[] = {13, 19, 14, 20, 15, 21, 16, 22};
    for (int i = 0; i < 8; i++) {
        assert_true(inputs[i] == want[i]);
        assert_int_equal(labels[i], (int)want[i] + 1);
    }
    /* the last word of a stream is only a label */
    assert_int_equal(egc_streams_read(&streams, 0, 4, inputs, labels), 2);
    assert_true(inputs[0] == 4 && inputs[1] == 10 && labels[0] == 5 && labels[1] == 11);
    for (int i = 2; i < 8; i++)
        assert_true(inputs[i] == 0);
}

static void language_text__too_few_words(void **state)
{
    (void)state;
    const uint32_t words[20] = {0};
    egc_streams streams;
    assert_ok(egc_streams_init(&streams, words, 20, 2, 2, 4, &err), err);
    assert_fails(egc_streams_init(&streams, words, 19, 2, 2, 4, &err), err, EGC_ERROR_RANGE,
                 "2 streams of one step of 4 words for each of 2 workers need a text of 20 words, "
                 "got 19");
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

#define TEST_WITH_FILES(test) cmocka_unit_test_setup_teardown(test, write_ptb, remove_ptb)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(language_text__order_of_numbers),
        cmocka_unit_test(language_text__limit),
        cmocka_unit_test(language_text__many_words),
        TEST_WITH_FILES(language_text__ptb),
        TEST_WITH_FILES(language_text__missing_file),
        TEST_WITH_FILES(language_text__not_a_text),
        TEST_WITH_FILES(language_text__unreadable),
        TEST_WITH_FILES(language_text__white_space),
        cmocka_unit_test(language_text__one_file),
        cmocka_unit_test(language_text__streams),
        cmocka_unit_test(language_text__too_few_words),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
