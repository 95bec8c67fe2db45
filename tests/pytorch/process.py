# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs train inside the simulated cluster: one in plain Python, held to its own computation, and
the PyTorch example where PyTorch is there."""
import os
import sys

from support import SCRIPTS, check, in_scratch, rows, same, simulate

PLAIN = """
import sys
sys.path.insert(0, sys.argv[1])
import egc_process
print("this must not get into the protocol")

class Line:
    '''y = a x + b through points that differ from worker to worker.'''
    layers = [("a", (1,)), ("b", ())]
    lr = 0.125

    def __init__(self, run):
        self.run = run

    def initialize(self):
        return [0.0, 0.0]

    def gradient(self, step, worker, parameters):
        a, b = parameters
        x = worker + 1.0
        error = a * x + b - (2 * x + 1)
        if len(sys.argv) > 2:
            raise RuntimeError("worker %d is tired" % worker)
        return 0.5 * error ** 2, [error * x, error]

    def evaluate(self, parameters):
        return abs(parameters[0] - 2) + abs(parameters[1] - 1), None, None

egc_process.serve(Line)
"""


def workload(file, *arguments):
    command = " ".join([sys.executable, "-B", file, *arguments])
    return f'egc.workload.process {{ command = "{command}" }}'


def plain_sgd(steps):
    a = b = 0.0
    for _ in range(steps):
        errors = [(a * x + b - (2 * x + 1), x) for x in (1.0, 2.0)]
        a, b = a - 0.125 * sum(e * x for e, x in errors) / 2, b - 0.125 * sum(e for e, _ in errors) / 2
    return abs(a - 2) + abs(b - 1)


def test_plain_python():
    with open("plain.py", "w") as file:
        file.write(PLAIN)
    results = simulate(workload("plain.py", SCRIPTS), 2, 40, method='"none"', more="eval_every = 10")
    evals = rows(results, "evals.csv")
    last = float(evals[-1]["loss"])
    check(abs(last - plain_sgd(40)) < 1e-5, f"loss {last} instead of {plain_sgd(40)}")
    same(simulate(workload("plain.py", SCRIPTS), 2, 40, method='"none"', more="eval_every = 10"), results, "two runs")
    said = simulate(workload("plain.py", SCRIPTS, "tired"), 2, 4, fails=True)
    check("worker 0 is tired" in said and "Traceback" not in said, said)


def test_pytorch_example():
    try:
        import torch
    except ImportError:
        print("not shown: the PyTorch example (no torch; install the Debian package python3-torch)", file=sys.stderr)
        return
    del torch
    example = workload(os.path.join(SCRIPTS, "process_example.py"))
    more = "eval_every = 60"
    results = simulate(example, 2, 60, method="egc.topk { ratio = 0.1, memory = \"residual\" }", more=more)
    accuracy = float(rows(results, "evals.csv")[-1]["accuracy"])
    check(accuracy > 0.6, f"accuracy {accuracy}, a guess has 0.25")
    same(simulate(example, 2, 60, method="egc.topk { ratio = 0.1, memory = \"residual\" }", more=more), results, "two runs")


def main():
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"ok {name}")


in_scratch(main)
