# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests here share: skipping loudly, running the program, asking for refusals."""
import csv
import os
import subprocess
import sys
import tempfile

PROGRAM, SCRIPTS = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
sys.path.insert(0, SCRIPTS)
sys.dont_write_bytecode = True

EXPERIMENT = """
return egc.experiment {{
  name = "t", workload = {workload},
  cluster = egc.cluster.star {{ hosts = 4, bandwidth = "1Gbps", latency = "50us", device = "v100" }},
  workers = {workers}, steps = {steps}, method = {method}, {more}
}}
"""


def need(*modules):
    """Imports what a Debian package brings, or says which one is missing and skips the test."""
    for module in modules:
        try:
            __import__(module)
        except ImportError:
            print(f"SKIPPED: no {module}; install the Debian package python3-{module}", file=sys.stderr)
            sys.exit(77)


def run(*command, fails=False):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=120)
    if (done.returncode != 0) != fails:
        sys.exit(f"FAILED: {command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stderr if fails else done.stdout


def script(name, *arguments, fails=False):
    return run(sys.executable, os.path.join(SCRIPTS, name), *arguments, fails=fails)


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")


def same(got, wanted, what):
    check(got == wanted, f"{what}: got {got!r} instead of {wanted!r}")


def refuses(line, name, *arguments):
    """The script ends with 1 and says just this line."""
    same(script(name, *arguments, fails=True), f"{name}: {line}\n", f"{name} {arguments}")


def simulate(workload, workers, steps, method='"egc"', more="", fails=False):
    """Runs an experiment; the files of its results, or what stderr says."""
    with open("t.lua", "w") as file:
        file.write(EXPERIMENT.format(workload=workload, workers=workers, steps=steps, method=method, more=more))
    out = tempfile.mkdtemp(dir=".")
    said = run(PROGRAM, "run", "t.lua", "--out", out, "--quiet", fails=fails)
    return said if fails else {n: open(os.path.join(out, n)).read() for n in os.listdir(out) if n.endswith(".csv")}


def rows(results, name):
    return list(csv.DictReader(results[name].splitlines()))


def in_scratch(main):
    """Runs main in an empty folder that goes away."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            main()
        finally:
            os.chdir("/")
