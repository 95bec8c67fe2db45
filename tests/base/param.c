/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameter tables: defaults, every kind of value, ranges with open ends, words, and text. */
#include "support/test.h"

#include "base/param.h"
#include "base/text.h"

typedef struct part {
    double weight;
    char name[8];
} part;

typedef struct thing {
    double real;
    double size; /* bytes, or a word */
    int64_t count;
    bool flag;
    int choice;
    int toggle;
    char text[EGC_TEXT_LENGTH];
    char word[8];
    egc_param_list parts;
} thing;

static const char *const words[] = {"layer", "model", NULL};
static const char *const choices[] = {"one", "two", "three", NULL};
static const char *const toggles[] = {"none", "layer", NULL};
static const egc_param part_table[] = {
    EGC_PARAM(part, weight, REAL, "weight", "", .def = 1, .max = 9),
    EGC_PARAM(part, name, TEXT, "name", "", .def_text = ""),
    EGC_PARAM_END,
};
static const egc_param_item part_item = {part_table, sizeof(part)};
static const egc_param table[] = {
    EGC_PARAM(thing, real, REAL, "real", "", .def = NAN, .max = 1, .flags = EGC_PARAM_OPEN_MIN),
    EGC_PARAM(thing, size, REAL, "size", "", .quantity = EGC_QUANTITY_BYTES, .def = 100, .min = 1,
              .max = INFINITY, .choices = words),
    EGC_PARAM(thing, count, INT, "count", "", .def = 3, .min = 1, .max = 16),
    EGC_PARAM(thing, flag, BOOL, "flag", "", .def = 1),
    EGC_PARAM(thing, choice, CHOICE, "choice", "", .def = 1, .choices = choices),
    EGC_PARAM(thing, toggle, CHOICE, "toggle", "", .def = 0, .flags = EGC_PARAM_SWITCH,
              .choices = toggles),
    EGC_PARAM(thing, text, TEXT, "text", "", .def_text = "t"),
    EGC_PARAM(thing, word, TEXT, "word", "", .def_text = ""),
    EGC_PARAM(thing, parts, LIST, "parts", "", .choices = EGC_PARAM_ITEMS(&part_item)),
    EGC_PARAM_END,
};

static egc_scalar number(double value)
{
    return (egc_scalar){.kind = EGC_SCALAR_NUMBER, .number = value};
}

static egc_scalar text(const char *value)
{
    return (egc_scalar){.kind = EGC_SCALAR_TEXT, .text = value};
}

static egc_scalar boolean(bool value)
{
    return (egc_scalar){.kind = EGC_SCALAR_BOOL, .boolean = value};
}

static egc_status set(thing *t, const char *name, egc_scalar value, egc_error *err)
{
    return egc_param_set(egc_param_find(table, name), t, &value, err);
}

static void assert_printed(const thing *t, const char *want)
{
    egc_buf out = {0};
    egc_error err = {0};
    egc_param_format_all(table, t, true, &out);
    assert_ok(egc_buf_check(&out, &err), err);
    assert_string_equal(egc_text_get(&out), want);
    egc_buf_fini(&out);
}

static void param__values_are_set_and_printed(void **state)
{
    (void)state;
    thing t;
    egc_error err = {0};
    egc_param_init(table, &t);
    assert_true(isnan(t.real) && t.size == 100 && t.count == 3 && t.flag && t.choice == 1);
    assert_string_equal(t.text, "t");
    assert_printed(&t, "");

    assert_ok(set(&t, "real", number(2.3e-308), &err), err);
    assert_ok(set(&t, "real", number(0.5), &err), err);
    assert_ok(set(&t, "size", text("64KiB"), &err), err);
    assert_ok(set(&t, "count", text("16"), &err), err);
    assert_ok(set(&t, "flag", text("false"), &err), err);
    assert_ok(set(&t, "choice", text("three"), &err), err);
    assert_ok(set(&t, "toggle", boolean(true), &err), err);
    assert_ok(set(&t, "text", text("a b"), &err), err);
    assert_printed(&t,
                   "real=0.5;size=65536;count=16;flag=false;choice=three;toggle=layer;text=a b");
    assert_ok(set(&t, "size", text("model"), &err), err);
    assert_true(t.size == -2);
    assert_printed(&t,
                   "real=0.5;size=model;count=16;flag=false;choice=three;toggle=layer;text=a b");
}

static void param__wrong_values_are_refused(void **state)
{
    (void)state;
    thing t, before;
    egc_error err;
    egc_param_init(table, &t);
    before = t;
    assert_fails(set(&t, "real", number(0), &err), err, EGC_ERROR_RANGE,
                 "must be in (0, 1], got 0");
    assert_fails(set(&t, "real", number(NAN), &err), err, EGC_ERROR_RANGE,
                 "must be in (0, 1], got nan");
    assert_fails(set(&t, "real", number(1e-320), &err), err, EGC_ERROR_RANGE,
                 "must be at least 2.3e-308 when it is not 0, got 9.99988867182683e-321");
    assert_fails(set(&t, "real", text("1e-308"), &err), err, EGC_ERROR_RANGE,
                 "must be at least 2.3e-308 when it is not 0, got 1e-308");
    assert_fails(set(&t, "real", boolean(true), &err), err, EGC_ERROR_RANGE,
                 "must be in (0, 1], got true");
    assert_fails(set(&t, "size", number(-1), &err), err, EGC_ERROR_RANGE,
                 "must be >= 1 or \"layer\" or \"model\", got -1");
    assert_fails(set(&t, "count", number(17), &err), err, EGC_ERROR_RANGE,
                 "must be a whole number in [1, 16], got 17");
    assert_fails(set(&t, "flag", number(1), &err), err, EGC_ERROR_RANGE,
                 "must be true or false, got 1");
    assert_fails(set(&t, "choice", boolean(true), &err), err, EGC_ERROR_RANGE,
                 "must be \"one\", \"two\" or \"three\", got true");
    assert_fails(set(&t, "toggle", text("maybe"), &err), err, EGC_ERROR_RANGE,
                 "must be true, false, \"none\" or \"layer\", got \"maybe\"");
    assert_fails(set(&t, "text", number(1), &err), err, EGC_ERROR_RANGE, "must be text, got 1");
    char longer[EGC_TEXT_LENGTH + 1];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    assert_fails(set(&t, "text", text(longer), &err), err, EGC_ERROR_RANGE,
                 "must be shorter than 512 bytes, got 512");
    assert_fails(set(&t, "word", text("12345678"), &err), err, EGC_ERROR_RANGE,
                 "must be shorter than 8 bytes, got 8");
    assert_fails(set(&t, "parts", number(3), &err), err, EGC_ERROR_RANGE,
                 "must be a list of tables, got 3");
    assert_int_equal(t.count, before.count);
    assert_int_equal(t.choice, before.choice);
    assert_true(isnan(t.real) && t.size == before.size);
    assert_null(egc_param_find(table, "rael"));
}

/* Items are printed without the fields at their defaults, so that a long list stays readable. */
static void param__lists_are_printed(void **state)
{
    (void)state;
    thing t;
    egc_error err = {0};
    part parts[3];
    egc_param_init(table, &t);
    assert_true(t.parts.n == 0 && !egc_param_changed(egc_param_find(table, "parts"), &t));
    for (int i = 0; i < 3; i++)
        egc_param_init(part_table, &parts[i]);
    parts[0].weight = 2;
    strcpy(parts[2].name, "z");
    egc_buf empty = {0};
    egc_param_format(egc_param_find(table, "parts"), &t, &empty);
    assert_string_equal(egc_text_get(&empty), "{}");
    egc_buf_fini(&empty);
    t.parts = (egc_param_list){parts, 3};
    assert_ok(set(&t, "word", text("1234567"), &err), err);
    assert_printed(&t, "word=1234567;parts={weight=2} {} {name=z}");
}

/* Items whose table has one row are plain values, and an empty list may have a text of its own. */
static void param__lists_of_values_are_printed(void **state)
{
    (void)state;
    static const egc_param size_table[] = {
        EGC_PARAM_VALUE(int64_t, INT, "size", "", .def = 1, .min = 1, .max = 9),
        EGC_PARAM_END,
    };
    static const egc_param_item size_item = {size_table, sizeof(int64_t)};
    static const egc_param sizes_table[] = {
        {.name = "sizes",
         .kind = EGC_PARAM_LIST,
         .choices = EGC_PARAM_ITEMS(&size_item),
         .def_text = "{7}"},
        EGC_PARAM_END,
    };
    int64_t items[] = {4, 2, 9};
    egc_param_list sizes;
    egc_buf out = {0};
    egc_error err = {0};
    egc_param_init(sizes_table, &sizes);
    egc_param_format_all(sizes_table, &sizes, false, &out);
    sizes = (egc_param_list){items, 3};
    egc_text_put(&out, " ");
    egc_param_format_all(sizes_table, &sizes, true, &out);
    egc_text_put(&out, " ");
    egc_param_range(sizes_table, &out);
    assert_ok(egc_buf_check(&out, &err), err);
    assert_string_equal(egc_text_get(&out),
                        "sizes={7} sizes={4, 2, 9} a list, each a whole number in [1, 9]");
    egc_buf_fini(&out);
    assert_true(egc_param_item_is_value(&size_item) && !egc_param_item_is_value(&part_item));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(param__values_are_set_and_printed),
        cmocka_unit_test(param__wrong_values_are_refused),
        cmocka_unit_test(param__lists_are_printed),
        cmocka_unit_test(param__lists_of_values_are_printed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
