/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quantisers: bytes worked out by hand from each definition, and bytes that nobody could have
 * written. */
#include "support/coder.h"
#include "support/team.h"

enum { MAX_KNOWN = 5, MAX_BYTES = 24 };

typedef struct known {
    const char *name, *settings;
    size_t n, rows;
    float x[MAX_KNOWN];
    size_t len;
    uint8_t wire[MAX_BYTES];
    float decoded[MAX_KNOWN];
} known;

/* Inputs of the stochastic ones lie on a level, where there is nothing to draw. 1 is 0x3f800000, 2
 * 0x40000000, 3 0x40400000, 5 0x40a00000, -2 0xc0000000, -3 0xc0400000, -4 0xc0800000, 4/3
 * 0x3faaaaab. */
static const known answers[] = {
    /* host order: the low byte first */
    {"fp16", "", 2, 0, {1, -2}, 4, {0x00, 0x3c, 0x00, 0xc0}, {1, -2}},
    {"fp16", "", 2, 0, {1e6f, -1e-9f}, 4, {0xff, 0x7b, 0x00, 0x80}, {65504, 0}},
    {"bf16", "", 2, 0, {1, -2}, 4, {0x80, 0x3f, 0x00, 0xc0}, {1, -2}},
    /* 0.5 lies between 0.1 + 0.9 * 28/64 = 0.49375 and 0.5078125; m = 64 + 27 */
    {"int8", "", 3, 0, {1, -0.5f, 0}, 7, {0x3f, 0x80, 0, 0, 0x7f, 0xdb, 0x00}, {1, -0.49375f, 0}},
    /* the smallest magnitude keeps its sign, and what rounds to zero has none; N = 1 */
    {"int8",
     "",
     3,
     0,
     {1, -1e-6f, -4e-7f},
     7,
     {0x3f, 0x80, 0, 0, 0x7f, 0x81, 0x00},
     {1, -1e-6f, 0}},
    /* step 5/255, zero at 153, 2 = 102 steps */
    {"int8",
     "code=affine",
     3,
     0,
     {2, -3, 0},
     11,
     {0xc0, 0x40, 0, 0, 0x40, 0x00, 0, 0, 0xff, 0x00, 0x99},
     {2, -3, 0}},
    /* two buckets of two elements, and no more */
    {"int8",
     "bucket=2",
     4,
     0,
     {1, -1, 2, 0},
     12,
     {0x3f, 0x80, 0, 0, 0x7f, 0xff, 0x40, 0, 0, 0, 0x7f, 0x00},
     {1, -1, 2, 0}},
    /* norm 5, levels 3 and 4 of 5: 0 011, 1 100 */
    {"qsgd", "levels=5", 2, 0, {3, -4}, 5, {0x40, 0xa0, 0, 0, 0x3c}, {3, -4}},
    /* largest 4, levels 2 and 4 of 4: 0 010, 1 100 */
    {"qsgd", "levels=4;norm=max", 2, 0, {2, -4}, 5, {0x40, 0x80, 0, 0, 0x2c}, {2, -4}},
    /* delta(3) = 0101, the norm, delta(1) 0 delta(3) = 1 0 0101, delta(1) 1 delta(4) = 1 1 01100 */
    {"qsgd",
     "levels=5;code=elias",
     2,
     0,
     {3, -4},
     7,
     {0x54, 0x0a, 0x00, 0x00, 0x09, 0x76, 0x00},
     {3, -4}},
    /* digits 1 0 2 1 from the lowest, base 3 */
    {"terngrad", "clip=0", 4, 0, {2, 0, -2, 2}, 5, {0x40, 0, 0, 0, 0x2e}, {2, 0, -2, 2}},
    {"terngrad", "clip=0;code=bits", 4, 0, {2, 0, -2, 2}, 5, {0x40, 0, 0, 0, 0x49}, {2, 0, -2, 2}},
    /* fields 127, 128, 0: 0 01111111 1 10000000 0 00000000 */
    {"natural", "", 3, 0, {1, -2, 0}, 4, {0x3f, 0xe0, 0x00, 0x00}, {1, -2, 0}},
    {"onebit",
     "",
     5,
     0,
     {1, 3, -2, -6, 0},
     9,
     {0x3f, 0xaa, 0xaa, 0xab, 0xc0, 0x80, 0, 0, 0x30},
     {4 / 3.f, 4 / 3.f, -4, -4, 4 / 3.f}},
    /* nothing is below zero: its mean is 0 */
    {"onebit", "", 2, 0, {1, 3}, 9, {0x40, 0, 0, 0, 0, 0, 0, 0, 0x00}, {2, 2}},
    /* columns 1, -2 and 3, -6 */
    {"onebit",
     "columns=true",
     4,
     2,
     {1, 3, -2, -6},
     18,
     {2, 0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0, 0x40, 0x40, 0, 0, 0xc0, 0xc0, 0, 0, 0x30},
     {1, 3, -2, -6}},
    /* 11 10 00 11 00 */
    {"twobit", "", 5, 0, {0.5f, -0.7f, 0.1f, 3, -0.4f}, 2, {0xe3, 0x00}, {0.5f, -0.5f, 0, 0.5f, 0}},
    {"efsign",
     "",
     3,
     0,
     {1, -3, 0},
     5,
     {0x3f, 0xaa, 0xaa, 0xab, 0x40},
     {4 / 3.f, -4 / 3.f, 4 / 3.f}},
    /* steps of 2^-9: 0, 1, 256 and too many; tags 00 01 10 11, 1 0000000, 0 000000001111111 */
    {"inceptionn",
     "",
     4,
     0,
     {0.0005f, -0x1p-9f, 0.5f, 100},
     8,
     {0x1b, 0x80, 0x00, 0x7f, 0x42, 0xc8, 0x00, 0x00},
     {0, -0x1p-9f, 0.5f, 100}},
};

static void quantisers__bytes_by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        const known *k = &answers[i];
        coder c = coder_open(k->name, k->settings, k->n, k->rows);
        egc_buf wire = {0};
        egc_error err = {0};
        float out[MAX_KNOWN];
        coder_encode(&c, k->x, 0, &wire);
        print_message("%s %s\n", k->name, k->settings);
        assert_int_equal(wire.len, k->len);
        assert_memory_equal(wire.data, k->wire, k->len);
        assert_ok(coder_decode(&c, wire.data, wire.len, out, &err), err);
        for (size_t j = 0; j < k->n; j++)
            assert_close((double)out[j], (double)k->decoded[j], 1e-7);
        egc_buf_fini(&wire);
        coder_close(&c);
    }
}

/* Bytes that no encoder writes. */
static void quantisers__impossible_bytes(void **state)
{
    (void)state;
    const struct {
        const char *name, *settings;
        size_t n, len;
        uint8_t wire[MAX_BYTES];
        const char *message;
    } rows[] = {
        {"fp16", "", 1, 2, {0x00, 0x7c}, "a value among elements 0 to 0 is not finite"},
        {"bf16", "", 1, 2, {0xc0, 0x7f}, "a value among elements 0 to 0 is not finite"},
        {"int8", "", 1, 5, {0x3f, 0x80, 0, 0, 0x80}, "code 0x80 is a zero with a sign"},
        {"int8",
         "",
         1,
         5,
         {0xbf, 0x80, 0, 0, 0x01},
         "scale -1 is not a finite number in [0, 3.40282e+38]"},
        {"int8",
         "code=affine",
         1,
         9,
         {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0},
         "scale 1 is not a finite number in [-3.40282e+38, 0]"},
        {"qsgd", "levels=5", 1, 5, {0x3f, 0x80, 0, 0, 0x60}, "level 6 is above 5"},
        {"qsgd",
         "levels=5",
         1,
         5,
         {0x7f, 0xc0, 0, 0, 0x00},
         "scale nan is not a finite number in [0, 3.40282e+38]"},
        /* delta(3), two levels of one element */
        {"qsgd", "code=elias", 1, 6, {0x53, 0xf8, 0, 0, 0, 0}, "3 is above 2"},
        /* delta(2), norm 1, delta(2): beyond the only element */
        {"qsgd", "code=elias", 1, 6, {0x43, 0xf8, 0, 0, 0x04, 0}, "2 is above 1"},
        /* delta(3), norm 1, the first element at level 1, delta(2): beyond the second */
        {"qsgd", "code=elias", 2, 6, {0x53, 0xf8, 0, 0, 0x0a, 0x80}, "2 is above 1"},
        {"terngrad", "", 5, 5, {0, 0, 0, 0, 243}, "a byte is not made of ternary digits"},
        {"terngrad", "", 1, 5, {0, 0, 0, 0, 3}, "a byte is not made of ternary digits"},
        {"terngrad", "code=bits", 1, 5, {0, 0, 0, 0, 0xc0}, "11 is no ternary code"},
        {"natural", "", 1, 2, {0x7f, 0x80}, "the exponent of an element is not that of a number"},
        {"onebit",
         "",
         1,
         9,
         {0, 0, 0, 0, 0x3f, 0x80, 0, 0, 0},
         "scale 1 is not a finite number in [-3.40282e+38, 0]"},
        {"onebit", "columns=true", 4, 2, {3, 0}, "4 elements do not make 3 columns"},
        {"onebit", "columns=true", 4, 2, {0, 0}, "4 elements do not make 0 columns"},
        /* of one row: longer than bound */
        {"onebit", "columns=true", 2, 18, {2}, "2 elements do not make 2 columns"},
        {"twobit", "", 1, 1, {0x40}, "01 is no code"},
        {"efsign",
         "",
         1,
         5,
         {0x7f, 0x80, 0, 0, 0},
         "scale inf is not a finite number in [0, 3.40282e+38]"},
        /* 1.0 in 32 bits: 11, then 0x3f800000 */
        {"inceptionn", "", 1, 5, {0xcf, 0xe0, 0, 0, 0}, "1 is not sent in 32 bits"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        coder c = coder_open(rows[i].name, rows[i].settings, rows[i].n, 0);
        egc_error err = {0};
        float out[MAX_KNOWN];
        assert_fails(coder_decode(&c, rows[i].wire, rows[i].len, out, &err), err, EGC_ERROR_FORMAT,
                     rows[i].message);
        coder_close(&c);
    }
}

/* What saturates is not lost from sight: it is the measured error, and stays in a residual. */
static void quantisers__saturation_is_measured(void **state)
{
    (void)state;
    float gradient[] = {1e5f, 1}, average[2], *gradients[] = {gradient};
    test_team *team = team_of_one("fp16", "memory=residual", 2);
    team_step(team, 0, 0.1, gradients, average);
    assert_true(average[0] == 65504 && average[1] == 1);
    assert_close(egc_encoder_encoding(team->encoder[0], 0)->error_norm2, pow(1e5 - 65504, 2),
                 1e-12);
    assert_true(egc_encoder_residual(team->encoder[0])[0] == 1e5f - 65504);
    team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantisers__bytes_by_hand),
        cmocka_unit_test(quantisers__impossible_bytes),
        cmocka_unit_test(quantisers__saturation_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
