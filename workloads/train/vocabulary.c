/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hash table with open addressing, at most half full. Numbering sorts by frequency. */
#include "workloads/train/vocabulary.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"

enum { FIRST_CAPACITY = 1024 };

/* ---- the hash table: open addressing, at most half full -------------------------------------- */

/* The slot of the word, or the free slot for it. */
static size_t slot_of(const egc_vocabulary *v, const char *text, size_t len)
{
    size_t slot = (size_t)egc_hash(EGC_HASH_START, text, len) & (v->n_slots - 1);
    for (; v->slots[slot]; slot = (slot + 1) & (v->n_slots - 1)) {
        const egc_word *word = &v->words[v->slots[slot] - 1];
        if (word->len == len && memcmp(word->text, text, len) == 0)
            break;
    }
    return slot;
}

static void fill_slots(egc_vocabulary *v)
{
    memset(v->slots, 0, v->n_slots * sizeof *v->slots);
    for (size_t i = 0; i < v->n_words; i++)
        v->slots[slot_of(v, v->words[i].text, v->words[i].len)] = (uint32_t)i + 1;
}

static egc_status grow(egc_vocabulary *v, size_t capacity, egc_error *err)
{
    egc_word *words = egc_calloc(capacity, sizeof *words);
    uint32_t *slots = egc_calloc(2 * capacity, sizeof *slots);
    if (!words || !slots) {
        egc_free(words);
        egc_free(slots);
        return egc_fail_memory(err, capacity * (sizeof *words + 2 * sizeof *slots));
    }
    if (v->n_words)
        memcpy(words, v->words, v->n_words * sizeof *words);
    egc_free(v->words);
    egc_free(v->slots);
    v->words = words;
    v->slots = slots;
    v->capacity = capacity;
    v->n_slots = 2 * capacity;
    fill_slots(v);
    return EGC_OK;
}

/* ---- counting -------------------------------------------------------------------------------- */

egc_status egc_vocabulary_init(egc_vocabulary *vocabulary, egc_error *err)
{
    *vocabulary = (egc_vocabulary){0};
    egc_status status = grow(vocabulary, FIRST_CAPACITY, err);
    if (status)
        return status;
    vocabulary->words[EGC_WORD_UNKNOWN] = (egc_word){.text = "<unk>", .len = 5};
    vocabulary->words[EGC_WORD_END] = (egc_word){.text = "<eos>", .len = 5};
    vocabulary->n_words = EGC_WORDS_RESERVED;
    fill_slots(vocabulary);
    return EGC_OK;
}

void egc_vocabulary_fini(egc_vocabulary *vocabulary)
{
    egc_free(vocabulary->words);
    egc_free(vocabulary->slots);
    *vocabulary = (egc_vocabulary){0};
}

egc_status egc_vocabulary_count(egc_vocabulary *vocabulary, const char *text, size_t len,
                                egc_error *err)
{
    assert(vocabulary->size == 0);
    size_t slot = slot_of(vocabulary, text, len);
    if (!vocabulary->slots[slot] && vocabulary->n_words == vocabulary->capacity) {
        egc_status status = grow(vocabulary, 2 * vocabulary->capacity, err);
        if (status)
            return status;
        slot = slot_of(vocabulary, text, len);
    }
    if (!vocabulary->slots[slot]) {
        vocabulary->words[vocabulary->n_words++] = (egc_word){.text = text, .len = len};
        vocabulary->slots[slot] = (uint32_t)vocabulary->n_words;
    }
    vocabulary->words[vocabulary->slots[slot] - 1].count++;
    return EGC_OK;
}

/* ---- numbering ------------------------------------------------------------------------------- */

/* No two words are equal, so the order is total and does not depend on the sort. */
static int compare(const void *left, const void *right)
{
    const egc_word *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    int order = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
    return order ? order : (a->len > b->len) - (a->len < b->len);
}

void egc_vocabulary_number(egc_vocabulary *vocabulary, size_t limit)
{
    assert(limit >= EGC_WORDS_RESERVED);
    qsort(vocabulary->words + EGC_WORDS_RESERVED, vocabulary->n_words - EGC_WORDS_RESERVED,
          sizeof *vocabulary->words, compare);
    fill_slots(vocabulary);
    vocabulary->size = vocabulary->n_words < limit ? vocabulary->n_words : limit;
    for (size_t i = 0; i < vocabulary->n_words; i++)
        vocabulary->words[i].number = i < vocabulary->size ? (uint32_t)i : EGC_WORD_UNKNOWN;
}

uint32_t egc_vocabulary_find(const egc_vocabulary *vocabulary, const char *text, size_t len)
{
    uint32_t index = vocabulary->slots[slot_of(vocabulary, text, len)];
    return index ? vocabulary->words[index - 1].number : EGC_WORD_UNKNOWN;
}
