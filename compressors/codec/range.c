/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The coder keeps the interval [low, low + range) of 32-bit numbers that continues the bytes put
 * out. A bit whose probability of being 1 is p / 2^16 takes the lower p / 2^16 of it when it is 1,
 * the rest when it is 0. When range falls below 2^24, the top byte of low is final, except for a
 * carry, and is written. A carry goes back into the bytes already put out; it cannot run past the
 * first, because the whole number they stand for is below 1. At the end come as many bytes, 0 to 4,
 * as name a number in the interval, zeros following. The decoder computes the same low and range,
 * and with them the number and the values of the bytes that must have been written. */
#include "codec/range.h"

#include <stdbool.h>
#include <string.h>

/* ---- the model ----------------------------------------------------------------------------- */

/* Probabilities are in units of 2^-16, logits in units of 1/256, weights in units of 2^-16. With
 * the bounds below every product and sum fits 32 bits. Negative numbers are shifted right too,
 * which rounds down with every compiler this is built by. */
enum {
    LOGIT_MAX = 2047,
    STRETCH_BITS = 12, /* bits of a probability that index its logit */
    PERIOD = 4,
    COUNT_MAX = 255, /* an estimate never adapts more slowly than by 1 / (COUNT_MAX + 2) */
    WEIGHT_START = 23000,
    WEIGHT_MAX = 1 << 19,
    WEIGHT_RATE = 4,
};

typedef struct estimate {
    uint16_t p;
    uint16_t count;
} estimate;

/* A byte is a path of 8 bits down a tree of 255 nodes, the root being node 1. */
typedef struct model {
    estimate any[256];
    estimate place[PERIOD][256];
    int32_t weight[PERIOD][2];
    uint16_t rate[COUNT_MAX + 1];
    uint16_t squash[2 * LOGIT_MAX + 1]; /* the probability of each logit, the least first */
    int16_t stretch[1 << STRETCH_BITS]; /* the logit of each probability */
} model;

/* The nodes, weights and logits behind the probability of one bit. */
typedef struct prediction {
    estimate *any, *place;
    int32_t *weight;
    int32_t logit_any, logit_place;
    uint32_t p;
} prediction;

/* 2^16 / (1 + exp(-x / 256)) for |x| <= 2047, from the straight lines between every 128th x. */
static uint32_t logistic(int32_t x)
{
    static const uint16_t at[] = {22,    36,    60,    98,    162,   267,   439,   720,   1179,
                                  1921,  3108,  4971,  7812,  11955, 17625, 24743, 32768, 40793,
                                  47911, 53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097,
                                  65269, 65374, 65438, 65476, 65500, 65514};
    uint32_t place = (uint32_t)(x + LOGIT_MAX + 1), step = place % 128;
    return (at[place / 128] * (128 - step) + at[place / 128 + 1] * step) / 128;
}

static void init(model *m)
{
    for (size_t i = 0; i < 256; i++)
        m->any[i] = (estimate){.p = 1 << 15};
    for (size_t i = 0; i < PERIOD; i++) {
        memcpy(m->place[i], m->any, sizeof m->any);
        m->weight[i][0] = m->weight[i][1] = WEIGHT_START;
    }
    for (uint32_t count = 0; count <= COUNT_MAX; count++)
        m->rate[count] = (uint16_t)(65536 / (count + 2));
    uint32_t next = 0;
    for (int32_t x = -LOGIT_MAX; x <= LOGIT_MAX; x++) {
        m->squash[x + LOGIT_MAX] = (uint16_t)logistic(x);
        for (; next <= logistic(x) >> (16 - STRETCH_BITS); next++)
            m->stretch[next] = (int16_t)x;
    }
    for (; next < 1 << STRETCH_BITS; next++)
        m->stretch[next] = LOGIT_MAX;
}

static inline prediction predict(model *m, size_t place, unsigned node)
{
    prediction it = {&m->any[node], &m->place[place][node], m->weight[place], 0, 0, 0};
    it.logit_any = m->stretch[it.any->p >> (16 - STRETCH_BITS)];
    it.logit_place = m->stretch[it.place->p >> (16 - STRETCH_BITS)];
    int32_t logit = (it.weight[0] * it.logit_any + it.weight[1] * it.logit_place) >> 16;
    logit = logit > LOGIT_MAX ? LOGIT_MAX : logit < -LOGIT_MAX ? -LOGIT_MAX : logit;
    it.p = m->squash[logit + LOGIT_MAX];
    return it;
}

static inline void adapt(estimate *e, const uint16_t *rate, unsigned bit)
{
    int32_t target = (int32_t)bit * UINT16_MAX;
    e->p = (uint16_t)(e->p + ((target - e->p) * rate[e->count] >> 16));
    e->count += e->count < COUNT_MAX;
}

static inline void adapt_weight(int32_t *weight, int32_t logit, int32_t error)
{
    int32_t w = *weight + (logit * error * WEIGHT_RATE >> 16);
    *weight = w > WEIGHT_MAX ? WEIGHT_MAX : w < -WEIGHT_MAX ? -WEIGHT_MAX : w;
}

static inline void learn(model *m, const prediction *it, unsigned bit)
{
    int32_t error = (int32_t)bit * UINT16_MAX - (int32_t)it->p;
    adapt_weight(&it->weight[0], it->logit_any, error);
    adapt_weight(&it->weight[1], it->logit_place, error);
    adapt(it->any, m->rate, bit);
    adapt(it->place, m->rate, bit);
}

/* ---- the interval -------------------------------------------------------------------------- */

static const uint32_t BYTE_IS_FINAL = 1u << 24;

/* The share of range that a 1 takes: neither nothing nor all. */
static inline uint32_t share(uint32_t range, uint32_t p)
{
    return (uint32_t)((uint64_t)range * p >> 16);
}

/* The number in [low, low + range) that the fewest upper bytes name; *bytes becomes how many. */
static uint64_t shortest(uint32_t low, uint32_t range, unsigned *bytes)
{
    for (*bytes = 0;; ++*bytes) {
        uint64_t unit = 1ull << (32 - 8 * *bytes);
        uint64_t number = (low + unit - 1) / unit * unit;
        if (number - low < range) /* at the latest with 4 bytes, number being low */
            return number;
    }
}

typedef struct encoder {
    uint32_t low, range;
    uint8_t *bytes;
    size_t len;
    size_t room;
} encoder;

static void carry(encoder *e)
{
    for (size_t i = e->len; ++e->bytes[--i] == 0;)
        ;
}

static void add_to_low(encoder *e, uint64_t more)
{
    uint64_t low = e->low + more;
    if (low >> 32)
        carry(e);
    e->low = (uint32_t)low;
}

static void put_byte(encoder *e)
{
    e->bytes[e->len++] = (uint8_t)(e->low >> 24);
    e->low <<= 8;
}

/* False if it does not fit into the room. */
static bool encode_byte(encoder *e, model *m, size_t place, unsigned byte)
{
    unsigned node = 1;
    for (int i = 7; i >= 0; i--) {
        unsigned bit = byte >> i & 1;
        prediction it = predict(m, place, node);
        uint32_t ones = share(e->range, it.p);
        uint32_t zero = bit - 1; /* all ones for a 0: bits cannot be foreseen, so no branches */
        add_to_low(e, ones & zero);
        e->range = (ones & ~zero) | ((e->range - ones) & zero);
        for (; e->range < BYTE_IS_FINAL; e->range <<= 8) {
            if (e->len == e->room)
                return false;
            put_byte(e);
        }
        learn(m, &it, bit);
        node = 2 * node + bit;
    }
    return true;
}

/* False if the code of all bytes does not fit into the room. */
static bool encode_all(encoder *e, const uint8_t *in, size_t len)
{
    model m;
    init(&m);
    for (size_t i = 0; i < len; i++)
        if (!encode_byte(e, &m, i % PERIOD, in[i]))
            return false;
    unsigned bytes;
    uint64_t last = shortest(e->low, e->range, &bytes);
    if (e->room - e->len < bytes)
        return false;
    add_to_low(e, last - e->low);
    while (bytes-- > 0)
        put_byte(e);
    return true;
}

enum { STORED, CODED };

egc_status egc_range_encode(const void *in, size_t len, egc_buf *out, egc_error *err)
{
    if (len == 0)
        return EGC_OK;
    egc_status status = egc_buf_reserve(out, 1 + len, err);
    if (status)
        return status;
    uint8_t *code = out->data + out->len;
    encoder e = {.range = UINT32_MAX, .bytes = code + 1, .room = len - 1};
    bool shorter = encode_all(&e, in, len);
    code[0] = shorter ? CODED : STORED;
    if (!shorter)
        memcpy(code + 1, in, len);
    out->len += 1 + (shorter ? e.len : len);
    return EGC_OK;
}

/* ---- decoding ------------------------------------------------------------------------------ */

typedef struct decoder {
    uint32_t low, range;
    uint32_t offset; /* the number read, counted from low; < range */
    egc_reader *reader;
    unsigned beyond; /* zeros read after the end */
} decoder;

static uint32_t take_byte(decoder *d)
{
    if (d->reader->next < d->reader->end)
        return *d->reader->next++;
    d->beyond++;
    return 0;
}

static unsigned decode_byte(decoder *d, model *m, size_t place)
{
    unsigned node = 1;
    while (node < 256) {
        prediction it = predict(m, place, node);
        uint32_t ones = share(d->range, it.p);
        unsigned bit = d->offset < ones;
        uint32_t zero = bit - 1;
        d->low += ones & zero;
        d->offset -= ones & zero;
        d->range = (ones & ~zero) | ((d->range - ones) & zero);
        for (; d->range < BYTE_IS_FINAL; d->range <<= 8) {
            d->low <<= 8;
            d->offset = d->offset << 8 | take_byte(d);
        }
        learn(m, &it, bit);
        node = 2 * node + bit;
    }
    return node - 256;
}

static egc_status decode_all(egc_reader *reader, uint8_t *out, size_t len, egc_error *err)
{
    enum { WINDOW = 4 };
    decoder d = {.range = UINT32_MAX, .reader = reader};
    for (int i = 0; i < WINDOW; i++)
        d.offset = d.offset << 8 | take_byte(&d);
    if (d.offset == d.range)
        return egc_fail(err, EGC_ERROR_FORMAT, "range code starts outside its interval");
    model m;
    init(&m);
    for (size_t i = 0; i < len && d.beyond <= WINDOW; i++)
        out[i] = (uint8_t)decode_byte(&d, &m, i % PERIOD);
    unsigned bytes;
    uint64_t last = shortest(d.low, d.range, &bytes);
    if (egc_reader_left(reader) || d.beyond + bytes != WINDOW || last - d.low != d.offset)
        return egc_fail(err, EGC_ERROR_FORMAT, "range code is not that of %zu bytes", len);
    return EGC_OK;
}

egc_status egc_range_decode(egc_reader *reader, uint8_t *out, size_t len, egc_error *err)
{
    const uint8_t *stored, *kind;
    size_t left = egc_reader_left(reader);
    if (len == 0)
        return left ? egc_fail(err, EGC_ERROR_FORMAT, "%zu bytes left of an empty code", left)
                    : EGC_OK;
    egc_status status = egc_reader_take(reader, 1, &kind, err);
    if (status)
        return status;
    if (*kind == CODED && left <= len)
        return decode_all(reader, out, len, err);
    if (*kind != STORED || left != 1 + len)
        return egc_fail(err, EGC_ERROR_FORMAT, "no code of kind %u takes %zu bytes for %zu", *kind,
                        left, len);
    status = egc_reader_take(reader, len, &stored, err);
    if (!status)
        memcpy(out, stored, len);
    return status;
}
