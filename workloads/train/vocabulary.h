/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of a text by number.
 *
 * Words are counted first; then the most frequent ones get numbers, and all others become one word,
 * <unk>. Number 0 is <unk>, number 1 the end of a line, <eos>; the others follow by decreasing
 * frequency, equally frequent ones in the order of their bytes. */
#ifndef EGC_WORKLOADS_TRAIN_VOCABULARY_H
#define EGC_WORKLOADS_TRAIN_VOCABULARY_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { EGC_WORD_UNKNOWN, EGC_WORD_END, EGC_WORDS_RESERVED };

/* A word, whose bytes are borrowed. */
typedef struct egc_word {
    const char *text;
    size_t len;
    uint64_t count;
    uint32_t number; /* set by egc_vocabulary_number */
} egc_word;

typedef struct egc_vocabulary {
    egc_word *words; /* the two reserved ones first */
    size_t n_words;
    size_t capacity;
    uint32_t *slots; /* hash table: index of a word + 1, 0 where there is none */
    size_t n_slots;  /* a power of two */
    size_t size;     /* number of words with a number, the reserved ones included */
} egc_vocabulary;

/* In place. On failure too, egc_vocabulary_fini is due. MEMORY. */
egc_status egc_vocabulary_init(egc_vocabulary *vocabulary, egc_error *err) EGC_MUST_CHECK;
void egc_vocabulary_fini(egc_vocabulary *vocabulary);

/* Counts a word once more. Its bytes must stay valid and in place. MEMORY. */
egc_status egc_vocabulary_count(egc_vocabulary *vocabulary, const char *text, size_t len,
                                egc_error *err) EGC_MUST_CHECK;

/* Numbers at most `limit` words, the reserved ones included. No words can be counted afterwards. */
void egc_vocabulary_number(egc_vocabulary *vocabulary, size_t limit);

/* The number of a word; EGC_WORD_UNKNOWN if it has none. */
uint32_t egc_vocabulary_find(const egc_vocabulary *vocabulary, const char *text, size_t len);

#endif
