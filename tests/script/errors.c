/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The exact messages for errors in scripts. */
#include "harness.h"

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))

static const load_case lua_errors[] = {
    {"return egc.experiment{", NULL, "t.lua:1: unexpected symbol near <eof>"},
    {"local x = 1\nx.y.z = 2", NULL, "t.lua:2: attempt to index a number value (local 'x')"},
    {"error('two\\nlines')", NULL, "t.lua:1: two lines"},
    {"error({})", NULL, "t.lua:1: an error must be text, got a table"},
    {"error()", NULL, "t.lua:1: an error must be text, got a nil"},
    {"error(setmetatable({}, {__tostring = function() return 'mine' end}))", NULL, "mine"},
    {"\33Lua", NULL, "t.lua: must be Lua text, got a compiled chunk"},
    {"local function f() return 1 + f() end f()", NULL, "t.lua:1: stack overflow"},
    {"", NULL, "t.lua: must return egc.experiment{...} or a list of them, got nothing"},
    {"return 3", NULL, "t.lua: must return egc.experiment{...} or a list of them, got number"},
    {"return {}", NULL, "t.lua: must return egc.experiment{...} or a list of them, got table"},
    {"return {egc.topk{}}", NULL,
     "t.lua: must return egc.experiment{...} or a list of them, got table"},
};

static const load_case maker_errors[] = {
    {"\nreturn egc.topk(0.1)", NULL,
     "t.lua:2: egc.topk: must be called with one table, as in egc.topk{...}, got number"},
    {"return egc.each(1, 2)", NULL,
     "t.lua:1: egc.each: must be called with one table, as in egc.each{...}, got several values"},
    {"return egc.cluster.ring{}", NULL,
     "t.lua:1: unknown name \"egc.cluster.ring\"; valid: star, ..."},
};

static const load_case value_errors[] = {
    {"return egc.experiment{" BASE "method=print}", NULL,
     "t.lua:1: method: must be a number, text, true, false or a table, got a function"},
    {"local t = {} t.t = t\nreturn egc.experiment{" BASE "method='none', steps=t}", NULL,
     "t.lua:2: steps.t: a table must not contain itself"},
    {"local e = {1} local x = egc.experiment{" BASE "method='none'} x.self = x return x", NULL,
     "t.lua:1: self: a table must not contain itself"},
    {"local t = {} for i = 1, 100 do t = {t} end\nreturn egc.experiment{" BASE "steps=t}", NULL,
     "t.lua:2: steps: tables must not be nested deeper than 64"},
    {"local t = {} for i = 1, 40 do t = {t, t} end\nreturn egc.experiment{" BASE "steps=t}", NULL,
     "t.lua:2: steps: the experiment must have at most 4000000 values"},
    {"return egc.experiment{" BASE "method='none', steps={[true]=1}}", NULL,
     "t.lua:1: steps: keys must be names, got another kind of key"},
    {"return egc.experiment{" BASE "method='a\\0b'}", NULL,
     "t.lua:1: method: text must not contain a zero byte"},
    {"return egc.experiment{" BASE "method='none', seed=1 << 60}", NULL,
     "t.lua:1: seed: must be a whole number from -2^53 to 2^53, got 1152921504606846976"},
};

static const load_case part_errors[] = {
    {"return egc.experiment{" BASE "\n method=egc.topk{\n ratio=1.5}}", NULL,
     "t.lua:2: method.ratio: must be in (0, 1], got 1.5"},
    {"return egc.experiment{" BASE "method=egc.none{ratio=1}}", NULL,
     "t.lua:1: method.ratio: unknown key \"ratio\" for none; valid: memory, momentum, ..."},
    {"return egc.experiment{" BASE "method=egc.topk{0.1}}", NULL,
     "t.lua:1: method: egc.topk takes KEY = VALUE only, got a value without a key"},
    {"return egc.experiment{" BASE "method=egc.topk{ratio={1}}}", NULL,
     "t.lua:1: method.ratio: must be a number, text, true or false, got a table"},
    {"return egc.experiment{" BASE "method='topp'}", NULL,
     "t.lua:1: method: unknown method \"topp\"; valid: none, topk, ..."},
    {"return egc.experiment{" BASE "method=7}", NULL,
     "t.lua:1: method: must be a method's name or egc.NAME{...}, got 7"},
    {"return egc.experiment{" BASE "}", NULL,
     "t.lua:1: method: is missing; must be a method's name or egc.NAME{...}"},
    {"return egc.experiment{}", NULL,
     "t.lua:1: workload: is missing; must be egc.workload.NAME{...}"},
    {"return egc.experiment{workload='train'}", NULL,
     "t.lua:1: workload: must be egc.workload.NAME{...}, got \"train\""},
    {"return egc.experiment{workload=egc.workload.train{}, cluster=egc.workload.train{}}", NULL,
     "t.lua:1: cluster: must be egc.cluster.NAME{...}, got egc.workload.train"},
    {"return egc.experiment{workload=egc.workload.train{}, method='none',\n"
     " cluster=egc.cluster.star{hosts=8, bandwidth='1Gbit'}}",
     NULL,
     "t.lua:2: cluster.bandwidth: unknown unit \"Gbit\" in \"1Gbit\"; known units: bps, Kbps, "
     "Mbps, Gbps, Tbps, B/s, KB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s"},
    {"return egc.experiment{workload=egc.workload.train{}, method='none',\n"
     " cluster=egc.cluster.star{host=8}}",
     NULL,
     "t.lua:2: cluster.host: unknown key; valid: bandwidth, latency, efficiency, cores, "
     "host_speeds, profiles, speed, device, stragglers, straggler_slowdown, jitter, background, "
     "background_burst, link_idle_power, link_busy_power, hosts"},
    {"return egc.experiment{workload=egc.workload.train{}, method='none',\n"
     " cluster=egc.cluster.star{device='p100'}}",
     NULL,
     "t.lua:2: cluster.device: unknown device \"p100\"; valid: v100, a100, h100, cpu-core, edge"},
    {"return egc.experiment{workload=egc.workload.train{}, method='none',\n"
     " cluster=egc.cluster.star{device={flops=1e12}}}",
     NULL, "t.lua:2: cluster.device.memory: is missing"},
    {"return egc.experiment{workload=egc.workload.train{}, method='none',\n"
     " cluster=egc.cluster.star{device={flops=1e12, memory=1e9, watts=3}}}",
     NULL,
     "t.lua:2: cluster.device.watts: unknown key; valid: flops, efficiency, memory, launch, "
     "idle_power, busy_power"},
    {"return egc.experiment{workload=egc.workload.train{}, method='none',\n"
     " cluster=egc.cluster.star{profiles={{at=-1, host='host-1', state='down'}}}}",
     NULL, "t.lua:2: cluster.profiles[1].at: must be in [0, 1000000000], got -1"},
    {"return egc.experiment{workload=egc.workload.train{}, method='none',\n"
     " cluster=egc.cluster.star{hosts=2, profiles={{at=1, link='link-9', bandwidth='1Mbps'}}}}",
     NULL,
     "t.lua:2: cluster: profiles[1]: no link is called \"link-9\"; there are: group-0_link_0_UP, "
     "group-0_link_1_DOWN, group-0_link_1_UP, group-0_link_0_DOWN"},
};

static const load_case experiment_errors[] = {
    {"return egc.experiment{workload=egc.workload.train{}, cluster=egc.cluster.star{hosts=2},"
     " workers=4, method='none'}",
     NULL, "t.lua:1: workers: cluster star has 2 hosts, got 4 workers"},
    {"return egc.experiment{" BASE "method='topk', exchange='ring'}", NULL,
     "t.lua:1: exchange: ring sums messages, which suits no round of method topk; use auto "
     "(here allgather-rd)"},
    {"return egc.experiment{" BASE "method='none', 5}", NULL,
     "t.lua:1: experiment: egc.experiment takes KEY = VALUE only, got a value without a key"},
    {"return egc.experiment{" BASE "method='none', schedule='priority'}", NULL,
     "t.lua:1: schedule: is called exchange_order now"},
    {"return egc.experiment{" BASE "method='none'}", "schedule=priority",
     "--set schedule=priority: schedule: is called exchange_order now"},
    {"return egc.experiment{" BASE "method='none', exchange='rings'}", NULL,
     "t.lua:1: exchange: unknown exchange \"rings\"; valid: ring, allgather-ring, ..."},
    {"return egc.experiment{" BASE "method='none', algorithm='async'}", NULL,
     "t.lua:1: algorithm: unknown algorithm \"async\"; valid: sync, local, federated, gossip, ps"},
    {"return egc.experiment{" BASE "method='none', steps={1, 2}}", NULL,
     "t.lua:1: steps: must be a whole number in [1, 1000000000], got a table; egc.each{...} sweeps "
     "over "
     "values"},
    {"return egc.experiment{name='a/b', " BASE "method='none'}", NULL,
     "t.lua:1: name: must be letters, digits, '-', '_' and '.', not start with '.' and be shorter "
     "than 128, got \"a/b\""},
    {"return egc.experiment{name=egc.each{'a', 'b'}, " BASE "method='none'}", NULL,
     "t.lua:1: name: must be one text for all points"},
};

static void errors__lua_says_what_is_wrong(void **state)
{
    (void)state;
    check_cases(lua_errors, COUNT(lua_errors));
}

static void errors__makers_take_one_table(void **state)
{
    (void)state;
    check_cases(maker_errors, COUNT(maker_errors));
}

static void errors__values_must_be_data(void **state)
{
    (void)state;
    check_cases(value_errors, COUNT(value_errors));
}

static void errors__parts_must_be_valid(void **state)
{
    (void)state;
    check_cases(part_errors, COUNT(part_errors));
}

static void errors__experiments_must_be_valid(void **state)
{
    (void)state;
    check_cases(experiment_errors, COUNT(experiment_errors));
}

static void errors__a_missing_script_is_an_io_error(void **state)
{
    (void)state;
    egc_script script;
    egc_error err;
    assert_fails(egc_script_load("none.lua", NULL, 0, &script, &err), err, EGC_ERROR_IO,
                 "none.lua: cannot open: No such file or directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors__lua_says_what_is_wrong),
        cmocka_unit_test(errors__makers_take_one_table),
        cmocka_unit_test(errors__values_must_be_data),
        cmocka_unit_test(errors__parts_must_be_valid),
        cmocka_unit_test(errors__experiments_must_be_valid),
        cmocka_unit_test(errors__a_missing_script_is_an_io_error),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
