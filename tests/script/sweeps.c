/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The points of an experiment, their order, and the values of their axes. */
#include "harness.h"

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))

static const load_case axes[] = {
    {"return egc.experiment{" BASE "method='none'}", NULL, "t:"},
    {"return egc.experiment{name='a.b-c_1', " BASE "method='none'}", NULL, "a.b-c_1:"},
    {"return egc.experiment{" BASE "method='none', seed=egc.each{3, 1, 2}}", NULL,
     "t seed: 3; 1; 2"},
    {"return egc.experiment{" BASE "seed=egc.each{1, 2}, method=egc.each{'none', 'topk'}}", NULL,
     "t method seed: none 1; none 2; topk 1; topk 2"},
    {"return egc.experiment{" BASE "seed=egc.each{1, 2}, steps=egc.each{5, 6}, method='none'}",
     NULL, "t steps seed: 5 1; 5 2; 6 1; 6 2"},
    {"return egc.experiment{" BASE "method=egc.each{egc.topk{ratio=0.01}, egc.dgc{ratio=1e-3}}}",
     NULL, "t method: topk ratio=0.01; dgc ratio=0.001"},
    {"return egc.experiment{" BASE "method=egc.topk{memory='none', ratio=egc.each{0.1, 0.2}}}",
     NULL, "t method.ratio: 0.1; 0.2"},
    {"return egc.experiment{" BASE "method=egc.each{'none', egc.topk{ratio=egc.each{0.1, 0.2}}}}",
     NULL, "t method method.ratio: none ; topk ratio=0.1 0.1; topk ratio=0.2 0.2"},
    {"return egc.experiment{" BASE "method=egc.each{egc.each{'none', 'dgc'}, 'egc'}}", NULL,
     "t method: none; dgc; egc"},
    {"return egc.experiment{workload=egc.workload.train{lr=egc.each{0.1, 0.2}},"
     " cluster=egc.cluster.star{bandwidth=egc.each{'1Gbps', '10Gbps'}}, method='none'}",
     NULL, "t workload.lr cluster.bandwidth: 0.1 1Gbps; 0.1 10Gbps; 0.2 1Gbps; 0.2 10Gbps"},
    {"return egc.experiment{workload=egc.workload.train{}, method='none', cluster=egc.each{"
     "egc.cluster.star{device={flops='1Tflops', memory='1GB/s'}}, egc.cluster.star{}}}",
     NULL, "t cluster: star device={flops=1Tflops memory=1GB/s}; star"},
    {"return egc.experiment{" BASE "method='none', overlap=egc.each{true, false}}", NULL,
     "t overlap: true; false"},
};

static const load_case zips[] = {
    {"return egc.experiment{" BASE "method='none', egc.zip{steps={5, 6}, seed={7, 8}}}", NULL,
     "t steps seed: 5 7; 6 8"},
    {"return egc.experiment{workload=egc.workload.train{}, method=egc.each{'none', 'topk'},"
     " egc.zip{workers={2, 4}, cluster={egc.cluster.star{hosts=2}, egc.cluster.star{hosts=4}}}}",
     NULL,
     "t cluster workers method: star hosts=2 2 none; star hosts=2 2 topk; "
     "star hosts=4 4 none; star hosts=4 4 topk"},
    {"return egc.experiment{" BASE "egc.zip{method={'none', egc.topk{ratio=egc.each{0.1, 0.2}}},"
     " seed={1, 2}}}",
     NULL, "t method method.ratio seed: none  1; topk ratio=0.1 0.1 2; topk ratio=0.2 0.2 2"},
    {"return egc.experiment{workload=egc.workload.train{egc.zip{lr={0.1, 0.2}, batch={8, 16}}},"
     " cluster=egc.cluster.star{}, method='none'}",
     NULL, "t workload.batch workload.lr: 8 0.1; 16 0.2"},
    {"return egc.experiment{" BASE "method='none', egc.zip{steps={5, 6}, seed={7}}}", NULL,
     "t.lua:1: egc.zip: steps has 2 values, seed has 1"},
    {"return egc.experiment{" BASE "method='none', egc.zip{steps={5}, seed=6}}", NULL,
     "t.lua:1: egc.zip: seed must be a list of values, as in seed = {1, 2}"},
    {"return egc.experiment{" BASE "method='none', steps=3, egc.zip{steps={5}, seed={6}}}", NULL,
     "t.lua:1: egc.zip: steps is also a field of the table it stands in"},
    {"return egc.experiment{" BASE "method='none', egc.zip{seed={5}}, egc.zip{seed={6}}}", NULL,
     "t.lua:1: egc.zip: seed is also in another zip"},
    {"return egc.experiment{" BASE "method='none', seed=egc.zip{a={5}}}", NULL,
     "t.lua:1: egc.zip: must stand in a table without a key, got the key seed"},
    {"return egc.experiment{" BASE "method='none', seed=egc.each{egc.zip{a={5}}}}", NULL,
     "t.lua:1: egc.zip: must stand in the table whose fields it moves"},
    {"return egc.experiment{" BASE "method='none', egc.zip{}}", NULL,
     "t.lua:1: experiment: egc.zip takes lists with keys, as in egc.zip{a = {1, 2}}"},
};

static const load_case filters[] = {
    {"return egc.experiment{" BASE "method=egc.each{'none', egc.topk{}}, seed=egc.each{1, 2},"
     " where=function(p) return p.method.name == 'none' or p.seed == 2 end}",
     NULL, "t method seed: none 1; none 2; topk 2"},
    {"return egc.experiment{" BASE "method=egc.topk{ratio=egc.each{0.1, 0.01}},"
     " where=function(p) return p.method.ratio < 0.05 end}",
     NULL, "t method.ratio: 0.01"},
    /* The filter sees defaults and quantities, and a filtered point need not fit the cluster. */
    {"return egc.experiment{workload=egc.workload.train{}, method='none', workers=egc.each{4, 16},"
     " cluster=egc.cluster.star{bandwidth='1Gbps'}, where=function(p)"
     " assert(p.cluster.bandwidth == 125000000 and p.cluster.name == 'star')"
     " assert(p.workload.name == 'train' and p.exchange == 'auto' and p.algorithm.name == 'sync')"
     " assert(p.cluster.speed == nil and p.overlap == true and p.method.memory)"
     " return p.workers <= p.cluster.hosts end}",
     NULL, "t workers: 4"},
    {"return egc.experiment{" BASE "method='none', seed=egc.each{1, 2},"
     " where=function(p) return false end}",
     NULL, "t.lua:1: where: drops all 2 points"},
    {"return egc.experiment{" BASE "method='none',\n where=function(p) return p.a.b end}", NULL,
     "t.lua:2: attempt to index a nil value (field 'a')"},
    {"return egc.experiment{" BASE "method='none', where=1}", NULL,
     "t.lua:1: where: must be a function of a point, got a number"},
};

static const load_case lists[] = {
    {"local e = egc.experiment return {e{name='a', " BASE "method='none'}, "
     "e{name='b', " BASE "method='none', seed=egc.each{1, 2}}}",
     NULL, "a:\nb seed: 1; 2"},
    {"local e = egc.experiment return {e{" BASE "method='none'}, e{" BASE "method='topk'}}", NULL,
     "t.lua: experiments must have different names, got two called \"t\""},
    {"local r = {ratio=0.1} return egc.experiment{" BASE
     "method=egc.each{egc.topk(r), egc.dgc(r)}}",
     NULL, "t method: topk ratio=0.1; dgc ratio=0.1"},
};

static const load_case limits[] = {
    {"local l = {} for i = 1, 1001 do l[i] = i end return egc.experiment{" BASE
     "method='none', steps=egc.each(l), seed=egc.each(l)}",
     NULL, "t.lua:1: the sweep must have at most 1000000 points, got 1002001"},
    {"return egc.experiment{" BASE "method='none', seed=egc.each{}}", NULL,
     "t.lua:1: egc.each needs at least one value"},
    {"return egc.experiment{" BASE "method='none', seed=egc.each{1, nil, 2}}", NULL,
     "t.lua:1: seed: must be a list without holes (nil)"},
    {"return egc.experiment{" BASE "method='none', seed=egc.each{a=1}}", NULL,
     "t.lua:1: seed: egc.each takes a list of values, got a value with a key"},
    {"return egc.experiment{" BASE "method='none', steps=egc.each{7, 8}, seed=egc.each{1, 2, 1}}",
     NULL,
     "t.lua:1: points must differ, got equal ones: 1 (steps=7, seed=1) and 3 (steps=7, seed=1)"},
    {"return egc.experiment{" BASE "method=egc.each{'none', egc.none{}}}", NULL,
     "t.lua:1: points must differ, got equal ones: 1 (method=none) and 2 (method=none)"},
};

static const load_case overrides[] = {
    {"return egc.experiment{" BASE "method='none', seed=egc.each{1, 2}}", "seed=7", "t:"},
    {"return egc.experiment{" BASE "method='none'}", "seed=egc.each{1, 2}", "t seed: 1; 2"},
    {"return egc.experiment{" BASE "method='none'}", "name=x|name=string", "string:"},
    {"return egc.experiment{" BASE "method='none'}", "method=egc.each{'egc', 'dgc'}",
     "t method: egc; dgc"},
    {"return egc.experiment{" BASE "method=egc.each{'none', 'topk', egc.dgc{ratio=0.5}}}",
     "method.ratio=0.25", "t method: none; topk ratio=0.25; dgc ratio=0.25"},
    {"return egc.experiment{" BASE "method=egc.each{'none', 'threshold'}}", "method.ratio=0.25",
     "--set: method.ratio: nothing in the experiment has this key"},
    {"return egc.experiment{" BASE "method=egc.each{'none', 'topk'}}", "method.ratio=2",
     "--set method.ratio=2: method.ratio: must be in (0, 1], got 2"},
    {"return egc.experiment{" BASE "method='none'}", "cluster.bandwidth=egc.each{'1Gbps', 1e6}",
     "t cluster.bandwidth: 1Gbps; 1000000"},
    {"return egc.experiment{" BASE "method='none', egc.zip{steps={5, 6}, seed={7, 8}}}", "steps=9",
     "t seed: 7; 8"},
    {"return egc.experiment{" BASE "method='none', egc.zip{seed={7, 8}}}", "seed=9", "t:"},
    {"return egc.experiment{workload=egc.workload.train{}, method='none', egc.zip{workers={2, 4},"
     " cluster={egc.cluster.star{hosts=2}, egc.cluster.star{hosts=4}}}}",
     "cluster.cores=2", "t cluster workers: star cores=2 hosts=2 2; star cores=2 hosts=4 4"},
    {"return egc.experiment{" BASE "method='none'}", "exchange=egc.each{'ring', 'allgather-ring'}",
     "t exchange: ring; allgather-ring"},
    {"return egc.experiment{" BASE "method='none'}", "method=egc", "t:"},
    {"return egc.experiment{" BASE "method='none'}", "=3", "--set: must be PATH=VALUE, got \"=3\""},
    {"return egc.experiment{" BASE "method='none'}", "steps",
     "--set: must be PATH=VALUE, got \"steps\""},
    {"return egc.experiment{" BASE "method='none'}", "steps.x=1",
     "--set: steps.x: nothing in the experiment has this key"},
    {"return egc.experiment{" BASE "method='none'}", "steps=lots",
     "--set steps=lots: steps: must be a number, got \"lots\""},
};

static void sweeps__axes_multiply(void **state)
{
    (void)state;
    check_cases(axes, COUNT(axes));
}

static void sweeps__zip_moves_fields_together(void **state)
{
    (void)state;
    check_cases(zips, COUNT(zips));
}

static void sweeps__where_drops_points(void **state)
{
    (void)state;
    check_cases(filters, COUNT(filters));
}

static void sweeps__scripts_return_lists(void **state)
{
    (void)state;
    check_cases(lists, COUNT(lists));
}

static void sweeps__have_limits(void **state)
{
    (void)state;
    check_cases(limits, COUNT(limits));
}

static void sweeps__set_changes_experiments(void **state)
{
    (void)state;
    check_cases(overrides, COUNT(overrides));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps__axes_multiply),
        cmocka_unit_test(sweeps__zip_moves_fields_together),
        cmocka_unit_test(sweeps__where_drops_points),
        cmocka_unit_test(sweeps__scripts_return_lists),
        cmocka_unit_test(sweeps__have_limits),
        cmocka_unit_test(sweeps__set_changes_experiments),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
