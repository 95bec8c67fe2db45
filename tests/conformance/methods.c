/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every method with every memory and value codec, over several steps and several units: what was
 * sent and what stays behind make up what came in, and the receiver gets what the sender thinks. */
#include "compressors/core/frame.h"
#include "support/inputs.h"
#include "support/team.h"

enum { N = 200, STEPS = 12 };
static const egc_unit units[] = {{.name = "a", .first = 0, .count = 1},
                                 {.name = "b", .first = 1, .count = 33},
                                 {.name = "c", .first = 34, .count = 166, .rows = 2}};
enum { N_UNITS = 3 };

static void make_gradient(float *g, uint64_t step, int family)
{
    for (int u = 0; u < N_UNITS; u++)
        fill_input(g + units[u].first, units[u].count, family, 100 + step);
}

static void step_alone(test_team *team, uint64_t step, float *g, float *average)
{
    team_step(team, step, NAN, &g, average);
}

/* The memory by the definitions of egc.md and of the papers, kept beside the encoder's. */
typedef struct reference {
    const char *error_feedback;
    float u[N]; /* velocity */
    float e[N]; /* residual; EF21's h */
    float p[N]; /* what there is to send */
} reference;

static void reference_compensate(const egc_method *method, const float *g, reference *r)
{
    r->error_feedback = egc_error_feedback_types()[method->options.error_feedback]->name;
    for (size_t i = 0; i < N; i++) {
        if (strcmp(r->error_feedback, "momentum") == 0) {
            bool nesterov = method->options.nesterov;
            r->u[i] = nesterov ? 0.9f * (r->u[i] + g[i]) : 0.9f * r->u[i] + g[i];
            r->p[i] = r->e[i] + (nesterov ? r->u[i] + g[i] : r->u[i]);
        } else if (strcmp(r->error_feedback, "ef21") == 0) {
            r->p[i] = g[i] - r->e[i];
        } else {
            r->p[i] = g[i] + r->e[i];
        }
    }
}

/* What the memory holds once `decoded` was sent. */
static float reference_left(const reference *r, size_t i, float decoded)
{
    const float b = 0.1f;
    if (strcmp(r->error_feedback, "none") == 0)
        return 0;
    if (strcmp(r->error_feedback, "ef21") == 0)
        return r->e[i] + decoded;
    if (strcmp(r->error_feedback, "lowpass") == 0)
        return (1 - b) * r->e[i] + b * (r->p[i] - decoded);
    return r->p[i] - decoded;
}

static bool value_is_exact(const egc_method *method)
{
    const egc_compressor_type *type = method->compressor;
    if (!type->select)
        return type->traits & EGC_TRAIT_EXACT;
    return strcmp(egc_codec_value_types()[method->options.value]->name, "fp32") == 0 &&
           !(type->traits & EGC_TRAIT_OWN_VALUES) && !type->gain;
}

/* Bit for bit when values are exact and nothing but a subtraction is made of them. */
static void check_left(const egc_method *method, const reference *r, size_t i, float left,
                       float decoded)
{
    float want = reference_left(r, i, decoded);
    bool subtracts =
        strcmp(r->error_feedback, "residual") == 0 || strcmp(r->error_feedback, "momentum") == 0;
    double scale = fabs((double)r->e[i]) + fabs((double)r->p[i]) + fabs((double)decoded);
    if (subtracts && value_is_exact(method))
        assert_true(left == want && (decoded == 0 || left == 0));
    else if (!(fabs((double)left - (double)want) <= 3e-7 * scale + 1e-43))
        fail_msg("%s, memory %s, element %zu: %g left, want %g", method->name, r->error_feedback, i,
                 (double)left, (double)want);
}

static bool is_sent_dense(const egc_method *method, size_t i)
{
    size_t u = 0;
    while (i >= units[u].first + units[u].count)
        u++;
    return egc_method_sends_dense(method, &units[u]);
}

static void check_conservation(const egc_method *method, int family)
{
    test_team *team = team_new(method, 1, units, N_UNITS);
    bool accumulates = egc_error_feedback_types()[method->options.error_feedback]->accumulates;
    static reference r;
    memset(&r, 0, sizeof r);
    float g[N], average[N], applied[N] = {0};
    for (uint64_t step = 0; step < STEPS; step++) {
        make_gradient(g, step, family);
        reference_compensate(method, g, &r);
        step_alone(team, step, g, average);
        const float *residual = egc_encoder_residual(team->encoder[0]);
        const float *velocity = egc_encoder_velocity(team->encoder[0]);
        for (size_t i = 0; i < N; i++) {
            float decoded = accumulates ? average[i] - applied[i] : average[i];
            applied[i] = average[i];
            if (residual)
                check_left(method, &r, i, residual[i], decoded);
            r.e[i] = residual ? residual[i] : 0;
            /* an element sent as 0 (fp16 of a tiny value) is masked, and cannot be told here */
            bool masked = velocity && decoded != 0 && method->options.masking &&
                          method->compressor->select && !is_sent_dense(method, i);
            if (velocity && !(velocity[i] == (masked ? 0 : r.u[i])))
                assert_true(velocity[i] == 0 && decoded == 0 && method->options.masking);
            r.u[i] = velocity ? velocity[i] : 0;
        }
    }
    team_free(team);
}

static void for_all_methods(void (*check)(const egc_method *, int))
{
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++)
        for (const egc_error_feedback_type *const *error_feedback = egc_error_feedback_types();
             *error_feedback; error_feedback++)
            for (const egc_value_codec *const *value = egc_codec_value_types(); *value; value++)
                for (int masking = 0; masking < 2; masking++) {
                    egc_method method;
                    egc_error err = {0};
                    assert_ok(egc_method_init(&method, (*type)->name, &err), err);
                    set_word(&method, "memory", (*error_feedback)->name);
                    set_word(&method, "value", (*value)->name);
                    set_word(&method, "masking", masking ? "true" : "false");
                    if (egc_method_check(&method, &err) != EGC_OK)
                        continue;
                    for (int family = 0; family < N_FAMILIES; family++)
                        check(&method, family);
                    if ((*error_feedback)->has_velocity) {
                        set_word(&method, "nesterov", "true");
                        check(&method, GAUSSIAN);
                    }
                }
}

static void methods__sent_and_residual_make_up_the_input(void **state)
{
    (void)state;
    for_all_methods(check_conservation);
}

/* Three workers, each replica on its own: the mean of what they sent is the mean of what left
 * their memories. */
static void check_team_conservation(const egc_method *method, int family)
{
    enum { P = 3 };
    const egc_error_feedback_type *error_feedback =
        egc_error_feedback_types()[method->options.error_feedback];
    if (strcmp(error_feedback->name, "residual") != 0)
        return;
    /* The sum of halves rounds at every addition, and nobody keeps what is lost. */
    egc_element element = egc_round_plan_at(method, egc_round_plan_count(method) - 1).element;
    double tolerance = element == EGC_ELEMENT_FP16   ? 1e-3
                       : element == EGC_ELEMENT_BF16 ? 1e-2
                                                     : 1e-6;
    test_team *team = team_new(method, P, units, N_UNITS);
    float g[P][N], before[P][N] = {{0}}, average[N], *gradients[P] = {g[0], g[1], g[2]};
    for (uint64_t step = 0; step < 4; step++) {
        for (size_t w = 0; w < P; w++)
            make_gradient(g[w], 10 * step + w, family);
        team_step(team, step, NAN, gradients, average);
        for (size_t i = 0; i < N; i++) {
            double left = 0, scale = 0;
            for (size_t w = 0; w < P; w++) {
                float after = egc_encoder_residual(team->encoder[w])[i];
                left += (double)before[w][i] + (double)g[w][i] - (double)after;
                scale += fabs((double)before[w][i]) + fabs((double)g[w][i]) + fabs((double)after);
                before[w][i] = after;
            }
            if (!(fabs(left / P - (double)average[i]) <= tolerance * scale + 1e-42))
                fail_msg("%s, step %d, element %zu: %g left the memories, %g was applied",
                         method->name, (int)step, i, left / P, (double)average[i]);
        }
    }
    team_free(team);
}

static void methods__teams_conserve(void **state)
{
    (void)state;
    for_all_methods(check_team_conservation);
}

/* What can be summed on its way gives the same mean as when it is gathered. */
static void methods__sums_are_sums(void **state)
{
    (void)state;
    enum { P = 4 };
    float g[P][N], *gradients[P] = {g[0], g[1], g[2], g[3]}, summed[N], gathered[N];
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++) {
        egc_method method;
        egc_error err = {0};
        assert_ok(egc_method_init(&method, (*type)->name, &err), err);
        size_t last = egc_round_plan_count(&method) - 1;
        egc_round round = egc_round_plan_at(&method, last);
        if (round.kind != EGC_COLLECTIVE_ALLGATHER || !round.element)
            continue;
        double tolerance = round.element == EGC_ELEMENT_FP32   ? 1e-6
                           : round.element == EGC_ELEMENT_FP16 ? 2e-3
                                                               : 2e-2;
        test_team *a = team_new(&method, P, units, N_UNITS);
        test_team *b = team_new(&method, P, units, N_UNITS);
        b->gathers = true;
        for (size_t w = 0; w < P; w++)
            make_gradient(g[w], w, GAUSSIAN);
        team_step(a, 0, NAN, gradients, summed);
        team_step(b, 0, NAN, gradients, gathered);
        for (size_t i = 0; i < N; i++)
            assert_true(fabs((double)summed[i] - (double)gathered[i]) <= tolerance * 4e-3);
        team_free(a);
        team_free(b);
    }
}

/* The statistics of an encoding are those of its bytes. */
static void check_statistics(const egc_method *method, int family)
{
    test_team *team = team_new(method, 1, units, N_UNITS);
    float g[N], decoded[N];
    make_gradient(g, 0, family);
    step_alone(team, 0, g, decoded);
    size_t framed = 0, total = 0, bytes = 0;
    for (size_t r = 0; r < team->n_rounds; r++) {
        framed += egc_round_plan_at(method, r).element == EGC_ELEMENT_NONE;
        total += team->wire[r][0][0].len;
    }
    for (size_t u = 0; u < N_UNITS; u++) {
        const egc_encoding *encoding = egc_encoder_encoding(team->encoder[0], u);
        size_t nonzero = 0;
        double sent2 = 0;
        for (size_t i = units[u].first; i < units[u].first + units[u].count; i++) {
            nonzero += decoded[i] != 0;
            sent2 += (double)decoded[i] * (double)decoded[i];
        }
        bytes += encoding->wire_bytes;
        assert_true(encoding->sent >= nonzero && encoding->sent <= units[u].count);
        assert_close(encoding->sent_norm2, sent2, 1e-12);
        assert_true(encoding->staleness == 0); /* nothing waited yet */
    }
    assert_int_equal(total, bytes + 2 * framed);
    team_free(team);
}

static void methods__statistics_are_those_of_the_bytes(void **state)
{
    (void)state;
    for_all_methods(check_statistics);
}

/* Another shape's message is refused, and so is every truncation, in every round. */
static void check_damage(const egc_method *method, int family)
{
    if (family != GAUSSIAN)
        return;
    float g[N], decoded[N];
    for (size_t round = 0; round < egc_round_plan_count(method); round++) {
        test_team *team = team_new(method, 1, units, N_UNITS);
        bool last = round + 1 == team->n_rounds;
        egc_error err = {0};
        make_gradient(g, 0, family);
        team_begin(team, 0, 0, NAN, g);
        for (size_t r = 0; r < round; r++) {
            team_speak(team, r, 0);
            assert_ok(team_listen(team, 0, r, 0, NULL, &err), err);
        }
        team_speak(team, round, 0);
        const egc_buf *wire = &team->wire[round][0][0];
        for (size_t len = 0; len < wire->len; len++) {
            egc_reader reader = egc_reader_of(wire->data, len);
            egc_decoder_input delivery = {
                .round = round, .count = N_UNITS, .messages = &reader, .n_messages = 1};
            assert_int_equal(
                egc_decoder_decode(team->replica[0], &delivery, last ? decoded : NULL, &err),
                EGC_ERROR_FORMAT);
        }
        if (!egc_round_plan_at(method, round).element) {
            egc_reader reader = egc_reader_of(wire->data, wire->len);
            egc_decoder_input delivery = {
                .round = round, .count = 2, .messages = &reader, .n_messages = 1};
            assert_int_equal(
                egc_decoder_decode(team->replica[0], &delivery, last ? decoded : NULL, &err),
                EGC_ERROR_FORMAT);
        }
        team_free(team);
    }
}

static void methods__damaged_messages_are_refused(void **state)
{
    (void)state;
    for_all_methods(check_damage);
}

/* An all-zero gradient gives a legal message that carries nothing. */
static void methods__empty_messages(void **state)
{
    (void)state;
    egc_method method;
    egc_error err = {0};
    float zeros[N] = {0}, average[N];
    assert_ok(egc_method_init(&method, "egc", &err), err);
    test_team *team = team_new(&method, 1, units, N_UNITS);
    step_alone(team, 0, zeros, average);
    assert_int_equal(team->wire[0][0][0].len, 2 + 2 * N_UNITS);
    for (int u = 0; u < N_UNITS; u++)
        assert_int_equal(egc_encoder_encoding(team->encoder[0], (size_t)u)->sent, 0);
    assert_memory_equal(average, zeros, sizeof zeros);
    team_free(team);
}

/* An element sent at step 3 for the first time waited (4 - 1) / 2 steps in the mean. */
static void methods__staleness_by_hand(void **state)
{
    (void)state;
    egc_method method;
    egc_error err = {0};
    assert_ok(egc_method_init(&method, "threshold", &err), err);
    egc_scalar tau = {.kind = EGC_SCALAR_NUMBER, .number = 3.5};
    assert_ok(egc_method_set(&method, "tau", &tau, &err), err);
    test_team *team = team_new(&method, 1, units, N_UNITS);
    const egc_encoding *e = egc_encoder_encoding(team->encoder[0], 0);
    float g[N] = {1}, average[N]; /* the residual passes 3.5 at the fourth step */
    for (uint64_t step = 0; step < 4; step++) {
        step_alone(team, step, g, average);
        assert_int_equal(e->sent, step == 3);
    }
    assert_true(e->sent_norm1 == 4 && e->staleness == 4 * 1.5);
    team_free(team);
}

static void methods__nonfinite_options(void **state)
{
    (void)state;
    egc_method method;
    egc_error err = {0};
    egc_gradient_check check;
    float g[N], average[N];
    const egc_step_input input = {.gradient = g};
    make_gradient(g, 0, GAUSSIAN);
    assert_ok(egc_method_init(&method, "egc", &err), err);

    test_team *team = team_new(&method, 1, units, N_UNITS);
    g[40] = NAN, g[41] = INFINITY, g[42] = -INFINITY;
    assert_fails(egc_encoder_step(team->encoder[0], &input, &check, &err), err, EGC_ERROR_NONFINITE,
                 "c: gradient has 1 NaN and 2 Inf among 166 elements");
    team_free(team);

    set_word(&method, "nonfinite", "zero");
    team = team_new(&method, 1, units, N_UNITS);
    assert_ok(egc_encoder_step(team->encoder[0], &input, &check, &err), err);
    assert_int_equal(check.nan_count, 1);
    assert_int_equal(check.inf_count, 2);
    step_alone(team, 0, g, average);
    assert_true(egc_encoder_residual(team->encoder[0])[40] == 0);
    assert_true(egc_encoder_encoding(team->encoder[0], 2)->sent > 0);
    team_free(team);

    set_word(&method, "nonfinite", "skip");
    team = team_new(&method, 1, units, N_UNITS);
    float clean[N], before[N];
    make_gradient(clean, 0, GAUSSIAN);
    step_alone(team, 0, clean, average);
    memcpy(before, egc_encoder_residual(team->encoder[0]), sizeof before);
    step_alone(team, 1, g, average);
    assert_int_equal(team->wire[0][0][0].len, 2 + 2 * N_UNITS);
    assert_memory_equal(egc_encoder_residual(team->encoder[0]), before, sizeof before);
    team_free(team);
}

/* A worker that sits a step out changes no memory, whatever the method, and the others go on. */
static void check_skip(const egc_method *wanted, int family)
{
    egc_method method = *wanted;
    method.options.nonfinite = EGC_NONFINITE_SKIP;
    egc_error err = {0};
    if (egc_method_check(&method, &err) != EGC_OK || family != GAUSSIAN)
        return;
    test_team *team = team_new(&method, 2, units, N_UNITS);
    float g[2][N], before[N], average[N], *gradients[2] = {g[0], g[1]};
    for (uint64_t step = 0; step < 3; step++) {
        make_gradient(g[0], step, family);
        make_gradient(g[1], 50 + step, family);
        if (step == 2)
            g[1][7] = NAN;
        const float *residual = egc_encoder_residual(team->encoder[1]);
        if (residual)
            memcpy(before, residual, sizeof before);
        team_step(team, step, NAN, gradients, average);
        if (residual && step == 2)
            assert_memory_equal(residual, before, sizeof before);
    }
    for (size_t i = 0; i < N; i++)
        assert_true(isfinite(average[i]));
    team_free(team);
}

static void methods__skipping_leaves_the_memory(void **state)
{
    (void)state;
    for_all_methods(check_skip);
}

/* Clipping: P workers share the limit, each taking 1/sqrt(P). A gradient of norm 5 and limit 2 for
 * 4 workers is scaled by 1/5. */
static void methods__clipping_shares_the_limit(void **state)
{
    (void)state;
    egc_method method;
    egc_error err = {0};
    float g[N] = {0}, average[N], *gradients[4] = {g, g, g, g};
    g[1] = 3, g[2] = -4;
    egc_scalar limit = {.kind = EGC_SCALAR_NUMBER, .number = 2};
    assert_ok(egc_method_init(&method, "none", &err), err);
    assert_ok(egc_method_set(&method, "clip", &limit, &err), err);
    test_team *team = team_new(&method, 4, units, N_UNITS);
    team_step(team, 0, NAN, gradients, average);
    assert_close(average[1], 0.6, 1e-6);
    assert_close(average[2], -0.8, 1e-6);
    team_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods__sent_and_residual_make_up_the_input),
        cmocka_unit_test(methods__teams_conserve),
        cmocka_unit_test(methods__sums_are_sums),
        cmocka_unit_test(methods__statistics_are_those_of_the_bytes),
        cmocka_unit_test(methods__damaged_messages_are_refused),
        cmocka_unit_test(methods__empty_messages),
        cmocka_unit_test(methods__staleness_by_hand),
        cmocka_unit_test(methods__nonfinite_options),
        cmocka_unit_test(methods__skipping_leaves_the_memory),
        cmocka_unit_test(methods__clipping_shares_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
