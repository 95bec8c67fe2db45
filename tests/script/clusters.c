/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clusters in scripts: lists of numbers, lists of clients, and errors in them. */
#include "harness.h"

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))

/* More workers than any of these clusters has hosts, so that the message gives their number. */
#define SEATS(cluster)                                                                             \
    "return egc.experiment{workers = 16384, method = 'none', "                                     \
    "workload = egc.workload.synthetic{model = 'lenet5'}, cluster = egc.cluster." cluster "}"

static const load_case seats[] = {
    {SEATS("fat_tree{levels=2, children=6}"), NULL,
     "t.lua:1: workers: cluster fat_tree has 36 hosts, got 16384 workers"},
    {SEATS("fat_tree{levels=3, children={4, 3, 2}, parents={2}}"), NULL,
     "t.lua:1: workers: cluster fat_tree has 24 hosts, got 16384 workers"},
    {SEATS("torus{dims={4, 2, 3}}"), NULL,
     "t.lua:1: workers: cluster torus has 24 hosts, got 16384 workers"},
    {SEATS("torus{}"), "cluster.dims={3, 3}",
     "t.lua:1: workers: cluster torus has 9 hosts, got 16384 workers"},
    {SEATS("torus{}"), "cluster.dims=5",
     "t.lua:1: workers: cluster torus has 5 hosts, got 16384 workers"},
    {SEATS("dragonfly{groups=3, chassis=1, routers=4, nodes=5}"), NULL,
     "t.lua:1: workers: cluster dragonfly has 60 hosts, got 16384 workers"},
    {SEATS("racks{racks=3, rack_hosts=5}"), NULL,
     "t.lua:1: workers: cluster racks has 15 hosts, got 16384 workers"},
    {SEATS("hierarchical{nodes=3, gpus=8, gpu_bandwidth='300GB/s'}"), NULL,
     "t.lua:1: workers: cluster hierarchical has 24 hosts, got 16384 workers"},
    {SEATS("wan{hosts=7, up='5Mbps'}"), NULL,
     "t.lua:1: workers: cluster wan has 7 hosts, got 16384 workers"},
    {SEATS("wan{server='10Gbps', clients={{hosts=3, up='5Mbps'}, {latency='80ms'}}}"), NULL,
     "t.lua:1: workers: cluster wan has 5 hosts, got 16384 workers"},
};

#define POWERED(settings)                                                                          \
    "return egc.experiment{workers = 4, method = 'none', energy = true, "                          \
    "workload = egc.workload.synthetic{model = 'lenet5'},\n"                                       \
    "cluster = egc.cluster.star{" settings "}}"

static const load_case errors[] = {
    {SEATS("star{straggler_slowdown = 1e18}"), NULL,
     "t.lua:1: cluster.straggler_slowdown: must be in [1, 1000000], got 1e+18"},
    {SEATS("star{host_speeds = {1, 1e-300}}"), NULL,
     "t.lua:1: cluster.host_speeds[2]: must be in [1e-06, 1000000], got 1e-300"},
    {SEATS("star{profiles = {{at = 1, host = '*', speed = 1e-300}}}"), NULL,
     "t.lua:1: cluster.profiles[1].speed: must be in [1e-06, 1], got 1e-300"},
    {SEATS("star{profiles = {{at = 1e300, host = '*', speed = 0.5}}}"), NULL,
     "t.lua:1: cluster.profiles[1].at: must be in [0, 1000000000], got 1e+300"},
    {SEATS("star{profiles = {{at = 1, link = '*', latency = 1e300}}}"), NULL,
     "t.lua:1: cluster.profiles[1].latency: must be in (0, 1000000000], got 1e+300"},
    {SEATS("star{profiles = {{at = 1, link = '*', bandwidth = 1e-300}}}"), NULL,
     "t.lua:1: cluster: profiles[1]: bandwidth * efficiency must be in [1, 1e+18] B/s, got 1e-300"},
    {SEATS("star{}"), "failure_timeout=1e300",
     "--set failure_timeout=1e300: failure_timeout: must be in (0, 1000000], got 1e+300"},
    {POWERED("link_idle_power = 5"), NULL,
     "t.lua:1: cluster.link_busy_power: must be >= link_idle_power, 5 W, got 2.5 W"},
    {POWERED("device = {flops = 1e12, memory = 1e9}"), NULL,
     "t.lua:1: cluster.device: energy = true needs idle_power and busy_power of the device, got no "
     "busy_power"},
    {POWERED("device = {flops = 1e12, memory = 1e9, idle_power = 9, busy_power = 8}"), NULL,
     "t.lua:1: cluster.device.busy_power: must be >= idle_power, 9 W, got 8 W"},
    {SEATS("torus{dims='4x4'}"), NULL,
     "t.lua:1: cluster.dims: must be a number without a unit, got \"4x4\""},
    {SEATS("torus{dims={4, 0}}"), NULL,
     "t.lua:1: cluster.dims[2]: must be a whole number in [1, 65536], got 0"},
    {SEATS("torus{dims={4, {2}}}"), NULL,
     "t.lua:1: cluster.dims: must be a list of values, as in {4, 4}, got something else"},
    {SEATS("torus{dims={x=4}}"), NULL,
     "t.lua:1: cluster.dims: must be a list of values, as in {4, 4}, got something else"},
    {SEATS("fat_tree{levels=1, parents=2}"), NULL,
     "t.lua:1: cluster: parents must be at most 0 numbers for so many levels, got 1"},
    {SEATS("wan{clients={{hosts=0}}}"), NULL,
     "t.lua:1: cluster.clients[1].hosts: must be a whole number in [1, 16384], got 0"},
    {SEATS("wan{clients={{latency=0}, {latency=0}, {}}}"), NULL,
     "t.lua:1: cluster: latency must be > 0 for all hosts but one, or 0 for all; got 0 for 2 of 3 "
     "(SimGrid starves messages without latency beside others)"},
    {SEATS("platform{file='nowhere.xml'}"), NULL,
     "t.lua:1: cluster: nowhere.xml: cannot open: No such file or directory"},
    {SEATS("platform{file='x.xml', bandwidth='1Gbps'}"), NULL,
     "t.lua:1: cluster.bandwidth: unknown key; valid: speed, device, stragglers, "
     "straggler_slowdown, jitter, background, background_burst, link_idle_power, link_busy_power, "
     "file, hosts, speeds"},
};

static void clusters__have_the_hosts_that_are_written(void **state)
{
    (void)state;
    check_cases(seats, COUNT(seats));
}

static void clusters__says_what_is_wrong(void **state)
{
    (void)state;
    check_cases(errors, COUNT(errors));
}

/* In a sweep over lists each list is a value of the axis. */
static void clusters__lists_are_swept(void **state)
{
    (void)state;
    static const load_case cases[] = {
        {"return egc.experiment{name='x', workers=2, method='none', "
         "workload=egc.workload.synthetic{model='lenet5'}, "
         "cluster=egc.cluster.torus{dims=egc.each{{4, 4}, {2, 8}, 3}}}",
         NULL, "x cluster.dims: 4 4; 2 8; 3"},
    };
    check_cases(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters__have_the_hosts_that_are_written),
        cmocka_unit_test(clusters__says_what_is_wrong),
        cmocka_unit_test(clusters__lists_are_swept),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
