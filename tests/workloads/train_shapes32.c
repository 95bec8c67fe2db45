/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generated images: always the same, all classes, and what their settings must refuse. */
#include "base/hash.h"
#include "base/rng.h"
#include "train_folder.h"

enum { IMAGE = 3 * 32 * 32 };

#define TRAINING_HASH 0x9cb6a50700f23e5full
#define TEST_HASH 0x5449b204b47c2f0dull

static void load(size_t training, size_t test, egc_dataset *out)
{
    assert_ok(egc_dataset_load(dataset_type("shapes32"), "", training, test, out, &err), err);
}

static uint64_t hash_of(const egc_examples *examples)
{
    uint64_t hash = egc_hash(EGC_HASH_START, examples->labels.data, examples->labels.len);
    return egc_hash(hash, examples->values.data, examples->values.len);
}

/* No independent implementation: the values are those of the first version, so that results stay
 * comparable. */
static void train_shapes32__same_bytes(void **state)
{
    (void)state;
    egc_dataset dataset;
    load(100, 50, &dataset);
    if (hash_of(&dataset.training) != TRAINING_HASH || hash_of(&dataset.test) != TEST_HASH)
        fail_msg("got %#llx and %#llx", (unsigned long long)hash_of(&dataset.training),
                 (unsigned long long)hash_of(&dataset.test));
    egc_dataset_fini(&dataset);
}

/* Fewer examples are the first of more; the test set is another one. */
static void train_shapes32__limits(void **state)
{
    (void)state;
    egc_dataset few, more;
    load(10, 20, &few);
    load(20, 10, &more);
    assert_int_equal(few.training.count, 10);
    assert_int_equal(few.training.values.len, 10 * IMAGE);
    assert_int_equal(few.test.count, 20);
    assert_memory_equal(few.training.values.data, more.training.values.data, 10 * IMAGE);
    assert_memory_equal(few.test.labels.data, more.test.labels.data, 10);
    assert_memory_not_equal(few.training.values.data, few.test.values.data, IMAGE);
    egc_dataset_fini(&few);
    egc_dataset_fini(&more);
}

/* 3000 examples: 300 of each class, within five deviations; mean and deviation as they are said. */
static void train_shapes32__statistics(void **state)
{
    (void)state;
    egc_dataset dataset;
    load(3000, 1, &dataset);
    int seen[10] = {0};
    double sum = 0, squares = 0;
    static float values[IMAGE];
    for (size_t i = 0; i < dataset.training.count; i++) {
        seen[egc_dataset_get(&dataset, &dataset.training, i, values)]++;
        for (int j = 0; j < IMAGE; j++) {
            sum += (double)values[j];
            squares += (double)values[j] * (double)values[j];
        }
    }
    for (int i = 0; i < 10; i++)
        assert_in_range(seen[i], 300 - 82, 300 + 82);
    assert_true(fabs(sum / (3000.0 * IMAGE)) < 0.03);
    assert_close(squares / (3000.0 * IMAGE), 1, 0.03);
    egc_dataset_fini(&dataset);
}

static void train_shapes32__path(void **state)
{
    (void)state;
    egc_dataset dataset;
    assert_fails(egc_dataset_load(dataset_type("shapes32"), "here", 1, 1, &dataset, &err), err,
                 EGC_ERROR_RANGE, "path must be empty for shapes32, which is generated");
}

/* Of 25 the last two, of which one is used: they leave the training set. */
static void train_shapes32__hold_out(void **state)
{
    (void)state;
    egc_dataset whole, dataset;
    load(25, 4, &whole);
    load(25, 4, &dataset);
    assert_ok(egc_dataset_hold_out(&dataset, 1, &err), err);
    assert_int_equal(dataset.training.count, 23);
    assert_int_equal(dataset.test.count, 1);
    assert_int_equal(dataset.test.labels.data[0], whole.training.labels.data[23]);
    assert_memory_equal(dataset.test.values.data, whole.training.values.data + 23 * IMAGE, IMAGE);
    egc_dataset_fini(&dataset);
    load(9, 4, &dataset);
    assert_fails(egc_dataset_hold_out(&dataset, 1, &err), err, EGC_ERROR_RANGE,
                 "evaluate_on = \"validation\" holds out a tenth of the training examples: "
                 "train_examples must be at least 10, got 9");
    egc_dataset_fini(&dataset);
    egc_dataset_fini(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(train_shapes32__same_bytes), cmocka_unit_test(train_shapes32__limits),
        cmocka_unit_test(train_shapes32__statistics), cmocka_unit_test(train_shapes32__path),
        cmocka_unit_test(train_shapes32__hold_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
