/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory runs out at every place where it can: the k-th allocation fails, for k = 1, 2, ... until
 * nothing fails any more. What was under way says MEMORY or, where it could do without, does what
 * it always does; and all of it can be freed, leaving nothing behind (which the preset `asan`
 * sees). Over every compressor, codec and memory. */
#include "support/test.h"

#include "base/hash.h"
#include "base/mem.h"
#include "codec/range.h"
#include "support/core.h"
#include "support/inputs.h"

/* ---- the k-th allocation --------------------------------------------------------------------- */

/* Does something with arg; *hash takes in what came out of it. */
typedef egc_status (*attempt)(const void *arg, uint64_t *hash, egc_error *err);

/* Runs it until nothing fails; returns how many allocations it makes. */
static long exhaust(const char *name, const char *setting, attempt try, const void *arg)
{
    uint64_t wanted = EGC_HASH_START;
    egc_error err = {0};
    if (try(arg, &wanted, &err) != EGC_OK)
        fail_msg("%s %s: %s", name, setting, err.message);
    for (long k = 0;; k++) {
        uint64_t hash = EGC_HASH_START;
        egc_mem_fail_after(k);
        egc_status status = try(arg, &hash, &err);
        bool failed = egc_mem_fail_after(-1) < 0;
        bool refused = failed && status == EGC_ERROR_MEMORY, same = !status && hash == wanted;
        if (!refused && !same)
            fail_msg("%s %s: status %d when allocation %ld fails: %s", name, setting, status, k,
                     status ? err.message : "with another result");
        if (!failed)
            return k;
    }
}

/* ---- two workers and what they say to each other --------------------------------------------- */

enum { P = 2, N = 120 + 7, STEPS = 2 };

static const egc_unit units[] = {{.name = "matrix", .count = 120, .rows = 12},
                                 {.name = "vector", .first = 120, .count = 7}};

typedef struct pair {
    const egc_method *method;
    egc_workspace *workspace;
    egc_encoder *encoder[P];
    egc_decoder *replica[P];
    egc_buf wire[P][P]; /* from, for */
} pair;

static egc_status make(pair *p, egc_error *err)
{
    egc_status status = egc_workspace_new(120, &p->workspace, err);
    const egc_coder_config config = {
        .method = p->method,
        .momentum = 0.9,
        .n_workers = P,
        .seed = 1,
        .units = units,
        .n_units = 2,
        .workspace = p->workspace,
    };
    for (size_t w = 0; w < P && !status; w++) {
        status = egc_decoder_new(&config, &p->replica[w], err);
        if (!status)
            status = egc_encoder_new(&config, w, p->replica[w], &p->encoder[w], err);
    }
    return status;
}

static void unmake(pair *p)
{
    for (size_t w = 0; w < P; w++) {
        egc_encoder_free(p->encoder[w]);
        egc_decoder_free(p->replica[w]);
        for (size_t owner = 0; owner < P; owner++)
            egc_buf_fini(&p->wire[w][owner]);
    }
    egc_workspace_free(p->workspace);
}

static egc_status begin(pair *p, uint64_t step, egc_error *err)
{
    static float gradient[P][N];
    egc_status status = EGC_OK;
    for (size_t w = 0; w < P && !status; w++) {
        egc_gradient_check found;
        fill_input(gradient[w], N, GAUSSIAN, step * P + w);
        const egc_step_input input = {.step = step, .lr = 0.1, .gradient = gradient[w]};
        status = egc_encoder_step(p->encoder[w], &input, &found, err);
    }
    return status;
}

static egc_status speak(pair *p, size_t round, uint64_t *hash, egc_error *err)
{
    bool scatters = egc_round_plan_at(p->method, round).kind == EGC_COLLECTIVE_ALLTOALL;
    egc_status status = EGC_OK;
    for (size_t w = 0; w < P; w++)
        for (size_t owner = 0; owner < (scatters ? P : 1) && !status; owner++) {
            egc_buf_clear(&p->wire[w][owner]);
            status =
                egc_encoder_message(p->encoder[w], round, 0, 2, owner, &p->wire[w][owner], err);
            *hash = egc_hash(*hash, p->wire[w][owner].data, p->wire[w][owner].len);
        }
    return status;
}

/* Worker w gets what the exchange would give it. A sum is made in a copy on the stack: it is not
 * what is tested. */
static egc_status listen(pair *p, uint64_t step, size_t round, size_t w, uint64_t *hash,
                         egc_error *err)
{
    egc_round at = egc_round_plan_at(p->method, round);
    bool scatters = at.kind == EGC_COLLECTIVE_ALLTOALL,
         last = round + 1 == egc_round_plan_count(p->method);
    uint8_t sum[16 * N];
    float average[N];
    egc_reader readers[P];
    egc_decoder_input delivery = {
        .step = step, .round = round, .count = 2, .shard = w, .messages = readers, .n_messages = P};
    for (size_t from = 0; from < P; from++) {
        const egc_buf *wire = &p->wire[from][scatters ? w : 0];
        readers[from] = egc_reader_of(wire->data, wire->len);
    }
    if (at.kind == EGC_COLLECTIVE_BROADCAST) {
        readers[0] = readers[step % P];
        delivery.n_messages = 1;
    } else if (at.element) {
        size_t len = egc_reader_left(&readers[0]);
        assert_true(len <= sizeof sum && len == egc_reader_left(&readers[1]));
        if (len)
            memcpy(sum, readers[0].next, len);
        egc_element_add(at.element, sum, readers[1].next, len / egc_element_bytes(at.element));
        readers[0] = egc_reader_of(sum, len);
        delivery.n_messages = 1;
        delivery.reduced = true;
    }
    egc_status status = egc_decoder_decode(p->replica[w], &delivery, last ? average : NULL, err);
    if (!status && last)
        *hash = egc_hash(*hash, average, sizeof average);
    return status;
}

static egc_status step_once(pair *p, uint64_t step, uint64_t *hash, egc_error *err)
{
    egc_status status = begin(p, step, err);
    for (size_t round = 0; round < egc_round_plan_count(p->method) && !status; round++) {
        status = speak(p, round, hash, err);
        for (size_t w = 0; w < P && !status; w++)
            status = listen(p, step, round, w, hash, err);
    }
    for (size_t w = 0; w < P && !status; w++)
        status = egc_encoder_finish(p->encoder[w], 0, 2, err);
    return status;
}

static egc_status run_method(const void *method, uint64_t *hash, egc_error *err)
{
    pair p = {.method = method};
    egc_status status = make(&p, err);
    for (uint64_t step = 0; step < STEPS && !status; step++)
        status = step_once(&p, step, hash, err);
    unmake(&p);
    return status;
}

/* ---- every method ---------------------------------------------------------------------------- */

/* The method with one setting, if that is valid. */
static long exhaust_setting(const egc_compressor_type *type, const char *key, const char *value)
{
    egc_method method;
    egc_error err = {0};
    char setting[64] = "";
    assert_ok(egc_method_init(&method, type->name, &err), err);
    if (key) {
        egc_scalar scalar = {.kind = EGC_SCALAR_TEXT, .text = value};
        snprintf(setting, sizeof setting, "%s=%s", key, value);
        assert_ok(egc_method_set(&method, key, &scalar, &err), err);
    }
    if (egc_method_check(&method, NULL) != EGC_OK)
        return 0;
    return exhaust(type->name, setting, run_method, &method);
}

static void methods__every_method(void **state)
{
    (void)state;
    static const char *const keys[] = {"index", "value", "memory", "entropy", "lr_correction"};
    for (const egc_compressor_type *const *type = egc_compressor_types(); *type; type++) {
        long allocations = exhaust_setting(*type, NULL, NULL);
        assert_true(allocations > 0);
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            const egc_param *row = egc_param_find(egc_method_option_params, keys[i]);
            for (size_t word = 0; row->choices[word]; word++)
                exhaust_setting(*type, keys[i], row->choices[word]);
        }
    }
}

/* ---- messages that are merged ---------------------------------------------------------------- */

typedef struct merged_pair {
    egc_workspace *workspace;
    egc_encoder *encoder[P];
    egc_decoder *replica;
    egc_merger *merger;
    egc_buf wire, opened[P], sum, kept[P], joined;
} merged_pair;

static egc_status make_merged(merged_pair *p, const egc_method *method, egc_error *err)
{
    egc_status status = egc_workspace_new(120, &p->workspace, err);
    const egc_coder_config config = {
        .method = method,
        .momentum = 0.9,
        .n_workers = P,
        .seed = 1,
        .units = units,
        .n_units = 2,
        .workspace = p->workspace,
        .merge = EGC_MERGE_ABOVE,
    };
    if (!status)
        status = egc_decoder_new(&config, &p->replica, err);
    if (!status)
        status = egc_merger_new(&config, 0, 2, &p->merger, err);
    for (size_t w = 0; w < P && !status; w++)
        status = egc_encoder_new(&config, w, p->replica, &p->encoder[w], err);
    return status;
}

static void unmake_merged(merged_pair *p)
{
    for (size_t w = 0; w < P; w++) {
        egc_encoder_free(p->encoder[w]);
        egc_buf_fini(&p->opened[w]);
        egc_buf_fini(&p->kept[w]);
    }
    egc_buf_fini(&p->wire);
    egc_buf_fini(&p->sum);
    egc_buf_fini(&p->joined);
    egc_merger_free(p->merger);
    egc_decoder_free(p->replica);
    egc_workspace_free(p->workspace);
}

static egc_status speak_merged(merged_pair *p, size_t w, egc_error *err)
{
    float gradient[N];
    egc_gradient_check found;
    const egc_step_input input = {.lr = 0.1, .gradient = gradient};
    fill_input(gradient, N, GAUSSIAN, w);
    egc_buf_clear(&p->wire);
    egc_status status = egc_encoder_step(p->encoder[w], &input, &found, err);
    if (!status)
        status = egc_encoder_message(p->encoder[w], 0, 0, 2, 0, &p->wire, err);
    return status ? status : egc_merger_open(p->merger, &p->wire, &p->opened[w], err);
}

static egc_status merge_parts(merged_pair *p, egc_error *err)
{
    egc_status status = egc_merger_sum(p->merger, &p->opened[0], &p->opened[1], &p->sum, err);
    for (int part = 0; part < P && !status; part++) {
        egc_buf_clear(&p->wire);
        status = egc_merger_cut(p->merger, &p->sum, part, P, &p->wire, err);
        if (!status)
            status = egc_merger_keep(p->merger, 0, &p->wire, &p->kept[part], err);
    }
    return status ? status : egc_merger_join(p->merger, 0, p->kept, P, &p->joined, err);
}

static egc_status run_merged(const void *method, uint64_t *hash, egc_error *err)
{
    merged_pair p = {0};
    float average[N];
    egc_status status = make_merged(&p, method, err);
    for (size_t w = 0; w < P && !status; w++)
        status = speak_merged(&p, w, err);
    if (!status)
        status = merge_parts(&p, err);
    egc_reader reader = egc_reader_of(p.joined.data, p.joined.len);
    const egc_decoder_input delivery = {
        .count = 2, .messages = &reader, .n_messages = 1, .reduced = true};
    if (!status)
        status = egc_decoder_decode(p.replica, &delivery, average, err);
    if (!status)
        *hash = egc_hash(*hash, average, sizeof average);
    for (size_t w = 0; w < P && !status; w++)
        status = egc_encoder_finish(p.encoder[w], 0, 2, err);
    unmake_merged(&p);
    return status;
}

static void methods__merged_messages(void **state)
{
    (void)state;
    egc_method method;
    egc_error err = {0};
    assert_ok(egc_method_init(&method, "topk", &err), err);
    method.options.dense_vectors = true;
    assert_true(exhaust("topk", "merged", run_merged, &method) > 0);
}

/* The copy of a gradient that has NaN in it is made late. */
static egc_status clean_nan(const void *arg, uint64_t *hash, egc_error *err)
{
    pair p = {.method = arg};
    egc_status status = make(&p, err);
    float gradient[N] = {[3] = NAN};
    egc_gradient_check found;
    const egc_step_input input = {.lr = 0.1, .gradient = gradient};
    if (!status)
        status = egc_encoder_step(p.encoder[0], &input, &found, err);
    *hash = status ? 0 : found.nan_count;
    unmake(&p);
    return status;
}

static void methods__gradients_with_nan(void **state)
{
    (void)state;
    egc_method method;
    egc_error err = {0};
    assert_ok(egc_method_init(&method, "topk", &err), err);
    method.options.nonfinite = EGC_NONFINITE_ZERO;
    exhaust("topk", "nonfinite=zero", clean_nan, &method);
}

/* ---- every codec by itself ------------------------------------------------------------------- */

typedef struct codecs {
    const egc_index_codec *index;
    const egc_value_codec *value;
} codecs;

/* Long enough for buffers and scratch space to grow more than once. */
static egc_status write_and_read(const void *arg, uint64_t *hash, egc_error *err)
{
    enum { LONG = 3000 };
    static uint32_t index[LONG], index_back[LONG];
    static float x[LONG], value[LONG], value_back[LONG], decoded[LONG];
    const codecs *codec = arg;
    egc_selection sent = {index, value, 0}, read = {index_back, value_back, 0};
    egc_arena scratch = {0};
    gsl_rng *rng = gsl_rng_alloc(egc_rng_splitmix64);
    egc_codec_context coding = {.rng = rng, .scratch = &scratch};
    egc_buf wire = {0};
    fill_input(x, LONG, GAUSSIAN, 9);
    for (size_t i = 0; i < LONG; i += 1 + i % 5)
        index[sent.count++] = (uint32_t)i;
    egc_status status = egc_sparse_message_write(codec->index, codec->value, &coding, x, &sent,
                                                 LONG, &wire, decoded, err);
    egc_reader reader = egc_reader_of(wire.data, wire.len);
    if (!status)
        status = egc_sparse_message_read(&reader, &read, LONG, err);
    *hash = egc_hash(*hash, wire.data, wire.len);
    egc_buf_clear(&wire);
    if (!status)
        status =
            egc_sparse_message_write_values(codec->value, &coding, x, LONG, &wire, decoded, err);
    reader = egc_reader_of(wire.data, wire.len);
    if (!status)
        status = egc_sparse_message_read_values(codec->value, &reader, value, LONG, err);
    *hash = egc_hash(*hash, wire.data, wire.len);
    egc_buf_fini(&wire);
    egc_arena_fini(&scratch);
    gsl_rng_free(rng);
    return status;
}

static void methods__every_codec(void **state)
{
    (void)state;
    for (const egc_index_codec *const *index = egc_codec_index_types(); *index; index++)
        for (const egc_value_codec *const *value = egc_codec_value_types(); *value; value++) {
            const codecs both = {*index, *value};
            assert_true(exhaust((*index)->name, (*value)->name, write_and_read, &both) > 0);
        }
}

static egc_status squeeze(const void *arg, uint64_t *hash, egc_error *err)
{
    (void)arg;
    static const uint8_t plain[5000];
    static uint8_t back[sizeof plain];
    egc_buf code = {0};
    egc_status status = egc_range_encode(plain, sizeof plain, &code, err);
    egc_reader reader = egc_reader_of(code.data, code.len);
    if (!status)
        status = egc_range_decode(&reader, back, sizeof back, err);
    *hash = egc_hash(*hash, code.data, code.len);
    egc_buf_fini(&code);
    return status;
}

static void methods__the_entropy_coder(void **state)
{
    (void)state;
    assert_true(exhaust("range", "", squeeze, NULL) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods__every_method),       cmocka_unit_test(methods__merged_messages),
        cmocka_unit_test(methods__gradients_with_nan), cmocka_unit_test(methods__every_codec),
        cmocka_unit_test(methods__the_entropy_coder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
