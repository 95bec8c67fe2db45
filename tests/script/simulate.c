/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scripts that run points by egc.simulate. */
#include "harness.h"

#define COUNT(cases) (sizeof(cases) / sizeof *(cases))

/* A small network, trained for one step. */
#define POINT "steps = 2, " BASE "method = 'none'"

static const load_case cases[] = {
    /* The result is the row of runs.csv; a script that simulated need not return anything. */
    {"local r = egc.simulate{" POINT "}"
     " assert(r.status == 'ok', r.error) assert(r.method == 'none' and r.workers == 4)"
     " assert(#r.run_id == 16 and r.step_s > 0 and r.sent_bytes > r.dense_bytes * 0.99)"
     " assert(r.speedup == nil and r.error == nil)"
     " assert(#r.steps == 2 and r.steps[2].step_s > 0)",
     NULL, ""},
    /* The result of one simulation decides the next. */
    {"local p = {" POINT "} local slow = egc.simulate(p)"
     " p.cluster = egc.cluster.star{bandwidth = '100Gbps'} local fast = egc.simulate(p)"
     " assert(fast.comm_s < slow.comm_s) return egc.experiment(p)",
     NULL, "t:"},
    {"assert(egc.simulate(egc.experiment{" POINT "}).seed == 9)", "seed=9", ""},
    {"egc.simulate{" POINT ", seed = egc.each{1, 2}}", NULL,
     "t.lua:1: egc.simulate: must have no axes, got egc.each or egc.zip at seed"},
    {"egc.simulate{" POINT ", where = print}", NULL,
     "t.lua:1: egc.simulate: takes no where: there is one point"},
    {"egc.simulate(egc.topk{})", NULL,
     "t.lua:1: egc.simulate: must be given an experiment, got egc.method.topk"},
    {"egc.simulate(7)", NULL,
     "t.lua:1: egc.simulate: must be called with the table of one experiment"},
    {"\negc.simulate{" POINT ", step = 3}", "workers=99",
     "t.lua:2: step: unknown key; valid: workers, sampled_workers, steps, eval_every, seed, "
     "bucket, first_bucket, group, fusion, cycle, "
     "overlap, cost, cost_table, cost_scale, compress_on, exchange_order, partition, "
     "network_model, "
     "max_sim_time, on_failure, failure_timeout, energy, layers, "
     "name, workload, cluster, "
     "method, algorithm, exchange, where"},
    /* Errors are text that a script can catch. */
    {"local ok, message = pcall(egc.simulate, {" POINT ", exchange = 'x'})"
     " assert(not ok) error(message, 0)",
     NULL, "t.lua:1: exchange: unknown exchange \"x\"; valid: ring, allgather-ring, ..."},
};

static void simulate__scripts_simulate(void **state)
{
    (void)state;
    check_cases(cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(simulate__scripts_simulate)};
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
