/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of tables as parameters: the layers of synthetic gradients. */
#include "harness.h"
#include "workloads/synthetic/layers.h"

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))

#define SYNTHETIC(fields)                                                                          \
    "return egc.experiment{cluster = egc.cluster.star{hosts = 8}, workers = 4, method = 'none', "  \
    "workload = egc.workload.synthetic{" fields "}"

static const load_case errors[] = {
    {SYNTHETIC("model='resnet51'}"), NULL,
     "t.lua:1: workload: model: unknown model \"resnet51\"; valid: lenet5, ..."},
    {SYNTHETIC("}"), NULL, "t.lua:1: workload: model: unknown model \"\"; valid: lenet5, ..."},
    {SYNTHETIC("layers={}}"), NULL,
     "t.lua:1: workload: model: unknown model \"\"; valid: lenet5, ..."},
    {SYNTHETIC("model='vgg16', distribution='cauchy'}"), NULL,
     "t.lua:1: workload.distribution: must be \"laplace\", \"gaussian\", \"generalized-gaussian\", "
     "\"student-t\", \"weibull\", \"generalized-pareto\" or \"mixture\", got \"cauchy\""},
    {SYNTHETIC("model='vgg16', distribution='student-t', shape=0.1}"), NULL,
     "t.lua:1: workload: shape: must be in [0.5, 1000] for student-t, got 0.1"},
    {SYNTHETIC("model='vgg16', worker_correlation=1.1}"), NULL,
     "t.lua:1: workload.worker_correlation: must be in [0, 1], got 1.1"},
    {SYNTHETIC("model='vgg16', zeros=1.5}"), NULL,
     "t.lua:1: workload.zeros: must be in [0, 1], got 1.5"},
    {SYNTHETIC("layers=3}"), NULL, "t.lua:1: workload.layers: must be a list of tables, got 3"},
    {SYNTHETIC("layers={3}}"), NULL,
     "t.lua:1: workload.layers: must be a list of tables, as in {{...}, {...}}, got something "
     "else"},
    {SYNTHETIC("layers={name='a', dims='3'}}"), NULL,
     "t.lua:1: workload.layers: must be a list of tables, as in {{...}, {...}}, got something "
     "else"},
    {SYNTHETIC("layers={{name='a', dims='3'},\n{name='b', dims='3', scale=0}}}"), NULL,
     "t.lua:1: workload.layers[2].scale: must be in (0, 1000000], got 0"},
    {SYNTHETIC("layers={{name='a', size='3'}}}"), NULL,
     "t.lua:1: workload.layers[1].size: unknown key; valid: name, dims, distribution, scale, "
     "shape, mix, zeros, worker_correlation, time_correlation, decay, forward_flops, "
     "backward_flops, forward_s, backward_s"},
    {SYNTHETIC("layers={{name='a', dims='3'}, {'b'}}}"), NULL,
     "t.lua:1: workload.layers[2]: a table takes KEY = VALUE only, got a value without a key"},
    {SYNTHETIC("layers={{dims='3'}}}"), NULL, "t.lua:1: workload: layers[1]: name: is missing"},
    {SYNTHETIC("layers={{name='a', dims=3}}}"), NULL,
     "t.lua:1: workload.layers[1].dims: must be text, got 3"},
    {SYNTHETIC("layers={{name=('a'):rep(64), dims='3'}}}"), NULL,
     "t.lua:1: workload.layers[1].name: must be shorter than 64 bytes, got 64"},
    {SYNTHETIC("model='vgg16'}"), "workload.layers=3",
     "--set workload.layers=3: workload.layers: must be a list of tables, got 3"},
};

static void lists__says_what_is_wrong(void **state)
{
    (void)state;
    check_cases(errors, COUNT(errors));
}

static void load(const char *text, const char *overrides, egc_script *script)
{
    egc_error err = {0};
    assert_ok(load_text(text, overrides, script, &err), err);
}

/* Lists also come from --set, and from a file that returns one. */
static void lists__layers_arrive(void **state)
{
    (void)state;
    static const char *const texts[] = {
        SYNTHETIC("layers={{name='a', dims='3x2'}, {name='b', dims='5', scale=7, "
                  "distribution='gaussian'}}}"),
        "local fit = {model = 'x', layers = {{name='a', dims='3x2'}, {name='b', dims='5', scale=7, "
        "distribution='gaussian'}}} return egc.experiment{cluster = egc.cluster.star{hosts = 8}, "
        "workers = 4, method = 'none', workload = egc.workload.synthetic(fit)}",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        egc_script script;
        load(texts[i], "workload.decay=0.5", &script);
        const egc_synthetic_params *p = script.experiments[0].points[0].config.workload_params;
        const egc_synthetic_row *rows = p->layers.items;
        assert_int_equal(p->layers.n, 2);
        assert_true(p->decay == 0.5);
        assert_string_equal(rows[0].name, "a");
        assert_string_equal(rows[0].dims, "3x2");
        assert_true(rows[0].distribution == 0 && isnan(rows[0].scale));
        assert_true(rows[1].scale == 7 && rows[1].distribution == 1 + EGC_GAUSSIAN);
        egc_script_fini(&script);
    }
}

/* The items of a list are part of the run's identity, and a filter sees them. */
static void lists__layers_are_part_of_the_point(void **state)
{
    (void)state;
    egc_script script;
    load(SYNTHETIC("layers=egc.each{{{name='a', dims='3'}}, {{name='a', dims='4'}}, "
                   "{{name='a', dims='4'}, {name='b', dims='1', scale=2}}}},"
                   "where=function(p) local l = p.workload.layers return #l == 2 and "
                   "l[2].scale == 2 and l[1].scale == nil or l[1].dims == '3' end"),
         NULL, &script);
    const egc_experiment *experiment = &script.experiments[0];
    assert_int_equal(experiment->n_points, 2);
    assert_string_not_equal(experiment->points[0].run_id, experiment->points[1].run_id);
    egc_script_fini(&script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists__says_what_is_wrong),
        cmocka_unit_test(lists__layers_arrive),
        cmocka_unit_test(lists__layers_are_part_of_the_point),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
