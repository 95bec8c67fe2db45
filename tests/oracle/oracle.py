#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays our methods and compares what they do with definitions.py. Prints a line for each check:
its cases, and their worst difference, relative to the largest number compared.

    oracle.py PLAY [CHECK ...]

Exit 77, which ctest takes for skipped, where there is no numpy. Checks against PyTorch are left out
where that is missing; it is installed by nobody here.
"""
import itertools
import subprocess
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.stderr.write("oracle: skipped: no numpy; install the Debian package python3-numpy\n")
    sys.exit(77)

import definitions as d

PLAY = sys.argv[1] if len(sys.argv) > 1 else ""
LENGTHS = (1, 7, 1000, 4096)
FAMILIES = ("gaussian", "laplace", "heavy", "ties", "zeros", "negative")
f32 = np.float32
checks = []


def check(function):
    """A generator of (case, difference, tolerance)."""
    checks.append(function)
    return function


# ---- inputs, plays, differences -----------------------------------------------------------------


def draw(family, *shape, seed=1):
    rng = np.random.Generator(np.random.PCG64([seed, FAMILIES.index(family), *shape]))
    gaussian, side = rng.standard_normal(shape), rng.choice([-1.0, 1.0], shape)
    x = {"gaussian": lambda: 1e-3 * gaussian,
         "laplace": lambda: 1e-2 * rng.laplace(size=shape),
         "heavy": lambda: 1e-4 * side * (rng.random(shape) ** -0.7 - 1),
         "ties": lambda: 0.5 * side * rng.integers(1, 4, shape),
         "zeros": lambda: gaussian * (rng.random(shape) < 0.3),
         "negative": lambda: -np.abs(gaussian) - 1e-3}[family]()
    return x.astype(f32)


def inputs(steps=3, workers=2, lengths=LENGTHS, families=FAMILIES):
    for family, n in itertools.product(families, lengths):
        yield f"{family} n={n}", draw(family, steps, workers, n)


def play(method, settings, gradients, rows=0):
    """Averages, worker 0's residuals and the bytes of all messages, step by step."""
    steps, workers, n = gradients.shape
    command = [PLAY, method, settings, *map(str, (workers, steps, rows, n))]
    out = subprocess.run(command, input=np.ascontiguousarray(gradients, f32).tobytes(),
                         stdout=subprocess.PIPE, check=True).stdout
    step = [("average", f32, (n,)), ("residual", f32, (n,)), ("bytes", np.float64)]
    table = np.frombuffer(out, step)
    assert table.size == steps, f"{method} {settings}: {table.size} steps of {steps}"
    return table["average"], table["residual"], table["bytes"]


def difference(got, want):
    got, want = np.asarray(got, np.float64), np.asarray(want, np.float64)
    most = np.max(np.abs(want), initial=0)
    return float(np.max(np.abs(got - want), initial=0) / (most if most > 0 else 1))


def against(compress, method, settings, cases, tolerance=2e-6, rows=0, **memory):
    """The mean over workers of what each would send by the definition, and what stays."""
    for label, gradients in cases:
        average, residual, _ = play(method, settings, gradients, rows)
        decoded, left = d.worker_runs(compress, gradients, **memory)
        label = f"{method} {settings} {label}"
        yield label, difference(average, decoded.mean(axis=1, dtype=np.float64)), tolerance
        if memory.get("kind") != "none":
            scale = np.max(np.abs(gradients))
            yield label + " residual", np.max(np.abs(residual - left)) / scale, tolerance


def all_against(rows, **rest):
    for method, settings, compress in rows:
        yield from against(compress, method, settings, inputs(), **rest)


# ---- sparsifiers --------------------------------------------------------------------------------


@check
def topk():
    yield from all_against([("topk", f"ratio={r}", d.topk(r)) for r in (0.001, 0.05, 0.29, 1)])
    for label, x in inputs(1, 1):
        average, _, _ = play("topk", "ratio=0.05", x)
        yield label + " bits", float(np.any(average != d.topk(0.05)(x[0, 0], None, 0, {}))), 0


@check
def dgc():
    yield from all_against([("dgc", "ratio=0.03;sample=1;memory=residual;dense_vectors=false", d.dgc_exact(0.03))])
    settings = "ratio=0.03;memory=none;dense_vectors=false;resample="
    for (label, x), resample in itertools.product(inputs(1, 1), ("true", "false")):
        x = x[0, 0]
        average, _, _ = play("dgc", settings + resample, x[None, None])
        sent = np.count_nonzero(average)
        yield label + " largest", difference(average[0], d.keep(x, d.largest(x, sent))), 0
        most = int(np.ceil(0.03 * x.size))
        yield label + " count", max(0, sent - most), 0
        candidates = min(most, np.count_nonzero(x))
        if resample == "true":
            yield label + " enough", max(0, int(0.8 * candidates) - sent), 0


@check
def thresholds():
    yield from all_against([
        ("threshold", "tau=0.001", d.threshold(0.001)), ("threshold", "tau=1", d.threshold(1)),
        ("threshold", "tau=0", d.threshold(0)),
        ("strom", "tau=0.001", d.strom(0.001)), ("strom", "tau=0.5", d.strom(0.5)),
        ("twobit", "tau=0.001", d.twobit(0.001)), ("twobit", "tau=0.5", d.twobit(0.5))])


@check
def gaussiank():
    yield from all_against([
        ("gaussiank", f"ratio={r}", d.gaussiank(r)) for r in (0.003, 0.05, 0.4)])


@check
def redsync():
    for r in (0.01, 0.1):
        yield from all_against([
            ("redsync", f"ratio={r}", d.redsync(r)),
            ("redsync", f"ratio={r};search=trimmed", d.redsync(r, "trimmed")),
            ("redsync", f"ratio={r};quantize=true", d.redsync(r, quantize=True)),
            ("redsync", f"ratio={r};quantize=true;value=mean", d.redsync(r, quantize=True)),
            ("redsync", f"ratio={r};search=trimmed;quantize=true",
             d.redsync(r, "trimmed", quantize=True))])


@check
def sidco():
    for fit, r in itertools.product(("exponential", "gp", "gamma"), (0.01, 0.3)):
        yield from all_against([
            ("sidco", f"ratio={r};distribution={fit};stages={m}", d.sidco(r, fit, m))
            for m in ((1, 2, 3) if r < 0.25 else (1,))])
        yield from against(d.sidco(r, fit), "sidco", f"ratio={r};distribution={fit}",
                           inputs(steps=16, workers=1, lengths=(1000,)))


@check
def adacomp():
    yield from all_against([("adacomp", f"bin={b}", d.adacomp(b)) for b in (1, 50, 500)])


@check
def dryden():
    yield from all_against([("dryden", f"ratio={r}", d.dryden(r)) for r in (0.01, 0.2)])


@check
def maxentropy():
    yield from all_against([
        ("maxentropy", f"stages={m}", d.maxentropy(m)) for m in (1, 2, 3)])
    yield from all_against([
        ("maxentropy", "bins=37;min_tail=2;stages=5", d.maxentropy(5, 37, 2)),
        ("maxentropy", "rule=share", d.entropy_share(0.1)),
        ("maxentropy", "rule=share;share=0.6", d.entropy_share(0.6))])


# ---- what runs it -------------------------------------------------------------------------------


def run(function):
    """Whether all cases are within their tolerance; prints the check's line."""
    start, cases, worst, failed = time.time(), 0, 0.0, []
    try:
        for label, off, tolerance in function():
            cases += 1
            worst = max(worst, off)
            if not off <= tolerance:
                failed.append(f"    FAILED {label}: off by {off:.3g}, {tolerance:.3g} allowed")
    except (subprocess.CalledProcessError, AssertionError) as error:
        failed.append(f"    FAILED {error}")
    took = time.time() - start
    print(f"{function.__name__:14} {cases:5} cases  worst {worst:.2e}  {took:5.2f} s", flush=True)
    print("".join(line + "\n" for line in failed[:10]), end="")
    if len(failed) > 10:
        print(f"    and {len(failed) - 10} more")
    return not failed and cases > 0


def main():
    if not PLAY:
        sys.exit(__doc__)
    chosen = [c for c in checks if len(sys.argv) < 3 or c.__name__ in sys.argv[2:]]
    good = [run(function) for function in chosen]
    sys.exit(0 if good and all(good) else 1)


if __name__ == "__main__":
    main()
