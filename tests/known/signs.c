/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 1-bit SGD, MXNet's two bits and EF-signSGD, and what public code got wrong in them. */
#include "support/coder.h"
#include "support/inputs.h"
#include "support/team.h"

/* Public code reads signs 32 at a time; here messages end where their last sign does. */
static void signs__are_not_read_past_the_end(void **state)
{
    (void)state;
    float x[100], out[100];
    const char *names[] = {"onebit", "efsign"};
    const size_t scales[] = {8, 4};
    for (int t = 0; t < 2; t++)
        for (size_t n = 1; n <= 100; n++) {
            fill_input(x, n, GAUSSIAN, n);
            coder c = coder_open(names[t], "", n, 0);
            egc_buf wire = {0};
            egc_error err = {0};
            coder_encode(&c, x, 0, &wire);
            assert_int_equal(wire.len, scales[t] + (n + 7) / 8);
            uint8_t *message = guarded(wire.len);
            memcpy(message, wire.data, wire.len);
            assert_ok(coder_decode(&c, message, wire.len, out, &err), err);
            for (size_t i = 0; i < n; i++)
                assert_true((out[i] < 0) == (x[i] < 0));
            free_guarded(message, wire.len);
            egc_buf_fini(&wire);
            coder_close(&c);
        }
}

/* Columns of a matrix of three rows against sums written out; a unit that is no matrix is one
 * column. */
static void signs__onebit_by_columns(void **state)
{
    (void)state;
    enum { ROWS = 3, COLUMNS = 37 };
    float x[ROWS * COLUMNS], out[ROWS * COLUMNS];
    fill_input(x, ROWS * COLUMNS, GAUSSIAN, 2);
    coder c = coder_open("onebit", "columns=true", ROWS * COLUMNS, ROWS);
    coder_round_trip(&c, x, 0, out);
    for (size_t j = 0; j < COLUMNS; j++)
        for (size_t r = 0; r < ROWS; r++) {
            double sum = 0, count = 0;
            for (size_t i = j; i < ROWS * COLUMNS; i += COLUMNS)
                if ((x[i] < 0) == (x[r * COLUMNS + j] < 0))
                    sum += (double)x[i], count++;
            assert_close((double)out[r * COLUMNS + j], sum / count, 1e-6);
        }
    coder_close(&c);
    const size_t no_matrix[] = {0, 1, 2}; /* 111 elements do not make two rows */
    for (size_t r = 0; r < 3; r++) {
        coder whole = coder_open("onebit", "columns=true", ROWS * COLUMNS, no_matrix[r]);
        egc_buf wire = {0};
        coder_encode(&whole, x, 0, &wire);
        assert_int_equal(wire.len, 1 + 8 + (ROWS * COLUMNS + 7) / 8);
        egc_buf_fini(&wire);
        coder_close(&whole);
    }
}

/* A message is as long as its codes: public code adds four where they fill their words. */
static void signs__twobit_adds_no_codes(void **state)
{
    (void)state;
    float x[64] = {0};
    for (size_t n = 1; n <= 64; n++) {
        coder c = coder_open("twobit", "", n, 0);
        egc_buf wire = {0};
        coder_encode(&c, x, 0, &wire);
        assert_int_equal(wire.len, (n + 3) / 4);
        egc_buf_fini(&wire);
        coder_close(&c);
    }
}

/* What a worker sends over several steps of one gradient. */
static void send_steps(const char *name, float *gradient, size_t n, size_t steps, float *sent,
                       float *residual)
{
    test_team *team = team_of_one(name, "", n);
    for (size_t step = 0; step < steps; step++)
        team_step(team, step, 0.1, &gradient, sent + step * n);
    memcpy(residual, egc_encoder_residual(team->encoder[0]), n * sizeof *residual);
    team_free(team);
}

/* 2, 0.25 and -1.25 with tau = 0.5: at most one tau leaves at a step, and the rest piles up. */
static void signs__twobit_sends_one_tau_a_step(void **state)
{
    (void)state;
    float gradient[] = {2, 0.25f, -1.25f};
    const float want[] = {0.5f, 0, -0.5f, 0.5f, 0.5f, -0.5f, 0.5f, 0, -0.5f, 0.5f, 0.5f, -0.5f};
    float sent[12], residual[3];
    send_steps("twobit", gradient, 3, 4, sent, residual);
    assert_memory_equal(sent, want, sizeof want);
    assert_true(residual[0] == 4 * 1.5f && residual[1] == 0 && residual[2] == -4 * 0.75f);
}

/* The first step is as long as the others: 1, -3 have the mean magnitude 2. Public code leaves lr
 * out of the first step and divides by it all the same. Then e = -1, -1, and p = 0, -4 has the
 * mean magnitude 2 as well. */
static void signs__efsign_starts_at_the_right_scale(void **state)
{
    (void)state;
    float gradient[] = {1, -3};
    const float want[] = {2, -2, 2, -2};
    float sent[4], residual[2];
    send_steps("efsign", gradient, 2, 2, sent, residual);
    assert_memory_equal(sent, want, sizeof want);
    assert_true(residual[0] == -2 && residual[1] == -2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs__are_not_read_past_the_end),
        cmocka_unit_test(signs__onebit_by_columns),
        cmocka_unit_test(signs__twobit_adds_no_codes),
        cmocka_unit_test(signs__twobit_sends_one_tau_a_step),
        cmocka_unit_test(signs__efsign_starts_at_the_right_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
