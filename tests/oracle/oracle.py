#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plays our methods and compares what they do with definitions.py. Prints a line for each check:
its cases, and their worst difference, relative to the largest number compared.

    oracle.py PLAY [CHECK ...]

Exit 77, which ctest takes for skipped, where there is no numpy. Checks against PyTorch are left out
where that is missing; our scripts do not install it.
"""
import itertools
import math
import subprocess
import sys
import time

try:
    import numpy as np
except ImportError:
    sys.stderr.write("oracle: skipped: no numpy; install the Debian package python3-numpy\n")
    sys.exit(77)

sys.dont_write_bytecode = True
import definitions as d

try:
    import torch
except ImportError:
    torch = None

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


class Player:
    """A running play.c; a new one after each that ended on an error, which it printed."""

    process = None

    def play(self, job, data, size):
        if not self.process or self.process.poll() is not None:
            self.process = subprocess.Popen([PLAY], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.process.stdin.write(job.encode() + b"\n" + data)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass
        out = self.process.stdout.read(size)
        if len(out) < size:
            raise Unplayed(f"{job}: play ended with status {self.process.wait()}")
        return out

    def end(self):
        """Its status: sanitisers speak up at the end."""
        if not self.process or self.process.poll() is not None:
            return 0
        self.process.stdin.close()
        return self.process.wait()


class Unplayed(Exception):
    pass


player = Player()


def play(method, settings, gradients, rows=0):
    """Averages, worker 0's residuals and the bytes of all messages, step by step."""
    steps, workers, n = gradients.shape
    row = np.dtype([("average", f32, (n,)), ("residual", f32, (n,)), ("bytes", np.float64)])
    out = player.play(f"{method} {settings or '-'} {workers} {steps} {rows} {n}",
                      np.ascontiguousarray(gradients, f32).tobytes(), steps * row.itemsize)
    table = np.frombuffer(out, row)
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
    exact = "ratio=0.03;sample=1;memory=residual;dense_vectors=false"
    yield from all_against([("dgc", exact, d.dgc_exact(0.03))])
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
        for label, x in inputs(steps=1, workers=1):
            settings = f"ratio={r};quantize=true;value=mean;index=raw;memory=none"
            average, _, bytes = play("redsync", settings, x)
            index = np.flatnonzero(average)
            bits = d.raw_bits(index, x.size)
            off = abs(bytes[0] - sparse_bytes(index, x.size, bits, "mean"))
            yield f"{settings} {label} bytes", off, 0


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
        ("maxentropy", f"bins={b};stages={m}", d.maxentropy(m, b)) for b in (256, 512) for m in (1, 2, 3)])
    yield from all_against([
        ("maxentropy", "bins=37;min_tail=2;stages=5", d.maxentropy(5, 37, 2)),
        ("maxentropy", "rule=share", d.entropy_share(0.1)),
        ("maxentropy", "rule=share;share=0.6", d.entropy_share(0.6))])


# ---- quantisers ---------------------------------------------------------------------------------


@check
def onebit():
    yield from all_against([("onebit", "", d.onebit), ("efsign", "", d.efsign)])
    for n, rows in ((1000, 25), (1000, 2), (4096, 4096), (7, 7)):
        yield from against(d.onebit_columns(rows), "onebit", "columns=true",
                           inputs(lengths=(n,)), rows=rows)
        _, _, bytes = play("onebit", "columns=true", draw("laplace", 1, 1, n), rows)
        columns = n // rows
        bits = 8 * d.varint_bytes(columns) + 64 * columns + n
        yield f"{rows}x{columns} bytes", abs(bytes[0] - 2 - d.whole_bytes(bits)), 0
    for rows in (0, 1):  # vectors have no columns
        yield from against(d.onebit, "onebit", "columns=true", inputs(), rows=rows)
    for n in (1, 7, 8, 1000):
        x = draw("laplace", 1, 1, n)
        for method, bits in (("onebit", n + 64), ("efsign", n + 32), ("twobit", 2 * n)):
            _, _, bytes = play(method, "", x)
            yield f"{method} n={n} bytes", abs(bytes[0] - 2 - d.whole_bytes(bits)), 0


def vote_bytes(n, workers, reply):
    """Everyone's field of each shard to its owner, and its reply of one or two; frames of two."""
    fields = [d.whole_bytes(part.size) for part in np.array_split(np.arange(n), workers)]
    return sum(workers * (2 + field) + 2 + reply * field for field in fields)


@check
def votes():
    rows = [("signsgd", "", d.signs), ("signum", "beta=0.9;", d.signum(0.9)),
            ("signum", "beta=0.5;", d.signum(0.5))]
    for (method, settings, compress), workers in itertools.product(rows, (1, 3, 4)):
        for label, x in inputs(steps=5, workers=workers, lengths=(1, 7, 1000)):
            decoded, _ = d.worker_runs(compress, x, kind="none")
            label = f"{method} {settings} P={workers} {label}"
            total = decoded.sum(axis=1)
            for mode, want in (("vote=true", d.sign(total)), ("tie=zero", np.sign(total)),
                               ("vote=false", total / workers)):
                average, _, bytes = play(method, settings + mode, x)
                yield f"{label} {mode}", difference(average, want), 1e-7
                if mode != "vote=false":
                    reply = 2 if mode == "tie=zero" and workers % 2 == 0 else 1
                    off = abs(bytes[0] - vote_bytes(x.shape[2], workers, reply))
                    yield f"{label} {mode} bytes", off, 0


def buckets(x, length):
    return [x[i:i + length] for i in range(0, x.size, length)] if length else [x]


@check
def int8():
    tree = d.dynamic_tree()
    tree = np.concatenate([-tree, tree])
    for (label, x), code, bucket in itertools.product(inputs(1, 1), ("tree", "affine"), (0, 128)):
        average, _, bytes = play("int8", f"code={code};bucket={bucket}", x)
        label = f"{code} bucket={bucket} {label}"
        parts = list(zip(buckets(x[0, 0], bucket), buckets(average[0], bucket)))
        for part, got in parts:
            part, got, most = d.wide(part), d.wide(got), max(np.abs(part).max(), 1e-30)
            grid, low, high = ((tree * most, -most, most) if code == "tree" else
                               d.affine_grid(part))
            best = np.abs(grid[:, None] - part).min(axis=0)
            grid = np.clip(grid, low, high)
            yield label + " nearest", max(0, np.max(np.abs(got - part) - best)) / most, 1e-6
            yield label + " on grid", np.abs(grid[:, None] - got).min(axis=0).max() / most, 1e-6
        bits = 8 * x.size + len(parts) * (32 if code == "tree" else 64)
        yield label + " bytes", abs(bytes[0] - 2 - d.whole_bytes(bits)), 0


@check
def inceptionn():
    for (label, x), error in itertools.product(inputs(1, 1), (2.0**-10, 3e-5, 1e-3, 0.7)):
        average, _, bytes = play("inceptionn", f"error={error}", x)
        x = d.wide(x[0, 0])
        step = 2.0 ** math.floor(math.log2(2 * error))
        m = np.floor(np.abs(x) / step + 0.5)
        size = np.select([m == 0, m <= 128, m <= 128 + 32768], [0, 8, 16], 32)
        want = np.where(size == 32, x, np.sign(x) * m * step)
        label = f"error={error} {label}"
        yield label, difference(average[0], want), 0
        yield label + " bound", max(0, np.max(np.abs(average[0] - x)) / error - 1), 0
        yield label + " bytes", abs(bytes[0] - 2 - d.whole_bytes(2 * x.size + size.sum())), 0


@check
def halves():
    wild = np.array([[[0, -0.0, 1e-40, 3e-8, 2.9e-8, 6e-5, 65504, 65520, -7e4, 1e30, 2049, 2051]],
                     [[1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-8, 1 + 3 * 2**-8, 3e38, -1, 0, 1e-8,
                       -1e-45, 33333, 0.1, 0.3]]], f32)
    cases = [("wild", wild), ("1e4", 1e4 * draw("ties", 3, 2, 500))]
    for label, x in itertools.chain(cases, inputs()):
        average, _, bytes = play("fp16", "", x)
        half = np.clip(x, -65504, 65504).astype(np.float16)
        want = (half.sum(axis=1, dtype=np.float16)).astype(f32) / x.shape[1]
        yield "fp16 " + label, difference(average, want), 0
        yield "fp16 bytes " + label, abs(bytes[0] - 2 * x[0].size), 0
        average, _, _ = play("bf16", "", x)
        want = d.bf16(d.bf16(x).sum(axis=1)) / x.shape[1]
        yield "bf16 " + label, difference(average, want), 0
        if torch:
            cast = torch.from_numpy(x.copy()).to(torch.bfloat16)
            total = cast[:, 0] if x.shape[1] == 1 else cast[:, 0] + cast[:, 1]
            yield "torch " + label, difference(average, total.float().numpy() / x.shape[1]), 0


# ---- random ones: where a draw can land, and its mean over steps ---------------------------------


def random_draws(label, got, lower, upper, share):
    """got[step] is `upper` with probability `share`, else `lower`: of each element, and together,
    within five standard errors."""
    scale, step = np.abs(upper).max(), d.wide(upper) - lower
    off = np.minimum(np.abs(got - lower), np.abs(got - upper))
    yield label + " neighbours", off.max() / scale, 1e-6
    off = np.abs(d.wide(got).mean(axis=0) - (lower + share * step))
    error = np.abs(step) * np.sqrt(share * (1 - share) / len(got))
    yield label + " mean", max(0, (off - 5 * error).max()) / scale, 1e-6
    free = (step != 0) & (share > 0) & (share < 1)
    if free.any():
        ups = ((got - lower)[:, free] / step[free]).sum() - len(got) * share[free].sum()
        error = math.sqrt(len(got) * (share * (1 - share))[free].sum())
        yield label + " ups, in 5 standard errors", max(0, abs(ups) - 1e-3) / (5 * error), 1


def constant(x, steps):
    return np.broadcast_to(x, (steps, 1, x.size))


def delta_code(x):
    log = int(x).bit_length() - 1
    return log + 2 * ((log + 1).bit_length() - 1) + 1


def qsgd_elias_bits(q, norms):
    index = np.flatnonzero(q)
    return (delta_code(1 + index.size) + 32 * norms + index.size
            + sum(delta_code(1 + g) for g in d.gaps_of(index))
            + sum(delta_code(v) for v in q[index]))


@check
def qsgd():
    for family, norm, code, bucket, s in itertools.product(
            ("gaussian", "ties", "zeros"), ("l2", "max"), ("packed", "elias"), (0, 64),
            (1, 5, 127)):
        x = draw(family, 200)
        average, _, bytes = play("qsgd", f"norm={norm};code={code};bucket={bucket};levels={s}",
                                 constant(x, 400))
        label = f"{family} {norm} {code} bucket={bucket} s={s}"
        parts = buckets(d.wide(x), bucket)
        unit = np.concatenate([np.full(b.size, f32(np.linalg.norm(b, None if norm == "l2" else
                                                                  np.inf)) / s) for b in parts])
        level = np.abs(x) / unit
        low = np.floor(level + 1e-12)
        yield from random_draws(label, average, np.sign(x) * low * unit,
                                np.sign(x) * (low + 1) * unit, np.clip(level - low, 0, 1))
        q = np.rint(np.abs(average[0]) / unit).astype(int)
        bits = (qsgd_elias_bits(q, len(parts)) if code == "elias" else
                (1 + math.ceil(math.log2(s + 1))) * x.size + 32 * len(parts))
        yield label + " bytes", abs(bytes[0] - 2 - d.whole_bytes(bits)), 0


@check
def natural():
    for family in FAMILIES:
        x = draw(family, 200)
        average, _, bytes = play("natural", "", constant(x, 400))
        a = np.where(x == 0, 1, np.abs(d.wide(x)))
        low = 2.0 ** np.floor(np.log2(a))
        yield from random_draws(family, average, np.sign(x) * low, np.sign(x) * 2 * low,
                                a / low - 1)
        yield family + " bytes", abs(bytes[0] - 2 - d.whole_bytes(9 * x.size)), 0


@check
def terngrad():
    for family, clip, code in itertools.product(FAMILIES, (0, 2.5, 1), ("trit", "bits")):
        x = d.wide(draw(family, 200))
        average, _, bytes = play("terngrad", f"clip={clip};code={code}", constant(x, 400))
        c = np.clip(x, -clip * x.std(), clip * x.std()) if clip else x
        s = f32(np.abs(c).max())
        yield from random_draws(f"{family} clip={clip} {code}", average, np.zeros(x.size),
                                np.sign(c) * s, np.minimum(np.abs(c) / s, 1))
        bits = 32 + (8 * math.ceil(x.size / 5) if code == "trit" else 2 * x.size)
        yield f"{family} {code} bytes", abs(bytes[0] - 2 - d.whole_bytes(bits)), 0


@check
def randomk():
    for n, ratio, scale in itertools.product((1, 7, 50), (0.05, 0.2, 0.7, 1), ("false", "true")):
        x, k = draw("gaussian", n), d.wanted(ratio, n)
        settings = f"ratio={ratio};scale={scale};memory=none"
        average, _, bytes = play("randomk", settings, np.broadcast_to(x, (400, 2, n)))
        label = f"n={n} ratio={ratio} scale={scale}"
        gain = n / k if scale == "true" else 1
        yield from random_draws(label, average, np.zeros(n), x * gain, np.full(n, k / n))
        yield label + " count", np.abs(np.count_nonzero(average, axis=1) - k).max(), 0
        yield label + " bytes", np.abs(bytes - 2 * 4 * k).max(), 0


# ---- methods of several rounds -------------------------------------------------------------------


def matrix(rows, columns, values, seed=0):
    """Of these singular values."""
    rng = np.random.Generator(np.random.PCG64([rows, columns, seed]))
    u, _ = np.linalg.qr(rng.standard_normal((rows, len(values))))
    v, _ = np.linalg.qr(rng.standard_normal((columns, len(values))))
    return (u * values) @ v.T


def truncated(m, rank):
    u, s, v = np.linalg.svd(d.wide(m), full_matrices=False)
    return (u[:, :rank] * s[:rank]) @ v[:rank]


@check
def powersgd():
    for scale, (rows, columns) in itertools.product((1, 1e-12, 1e12), ((20, 30), (64, 16))):
        for rank in (1, 2, 3):
            values = scale * np.array([8, 4, 2, 0.5, 0.2, 0.1])
            x = [matrix(rows, columns, values, seed) for seed in range(2)]
            gradients = np.broadcast_to([m.ravel() for m in x], (30, 2, rows * columns))
            settings = f"rank={rank};memory=none;min_rate=1"
            average, _, bytes = play("powersgd", settings, gradients.astype(f32), rows)
            label = f"{rows}x{columns} scale={scale} rank={rank}"
            got, mean = d.wide(average[-1]).reshape(rows, columns), (x[0] + x[1]) / 2
            best = np.linalg.norm(mean - truncated(mean, rank))
            yield label + " near best", np.linalg.norm(mean - got) / best - 1, 1e-3
            one = np.broadcast_to(x[0].ravel(), (30, 1, x[0].size)).astype(f32)
            average, _, _ = play("powersgd", settings, one, rows)
            got = average[-1].reshape(rows, columns)
            yield label + " svd", difference(got, truncated(x[0], rank)), 1e-4
            yield label + " bytes", np.abs(bytes - 2 * 4 * rank * (rows + columns)).max(), 0
            low = matrix(rows, columns, values[:rank]).ravel().astype(f32)
            average, _, _ = play("powersgd", settings, low[None, None], rows)
            yield label + " exact in one step", difference(average[0], low), 1e-5


@check
def powersgd_feedback():
    """What M^ and the residual add up to, and that M^ is a projection on what P spans."""
    x = draw("gaussian", 8, 2, 600)
    average, residual, _ = play("powersgd", "rank=2", x, 20)
    for t in range(8):
        before = residual[t - 1] if t else 0
        yield f"step {t}", difference(residual[t] + average[t], x[t, 0] + before), 1e-6
        s = np.linalg.svd(average[t].reshape(20, 30), compute_uv=False)
        yield f"step {t} rank", s[2] / s[0], 1e-5


@check
def cltk():
    cases = inputs(6, 3, lengths=(1, 7, 1000))
    for (label, x), ratio, b in itertools.product(cases, (0.01, 0.2), (None, 0.1, 0.5)):
        memory = {"kind": "residual"} if b is None else {"kind": "lowpass", "low_pass": b}
        settings = f"memory={memory['kind']};low_pass={b or 0.1};ratio={ratio}"
        for chunked in (False, True):
            average, residual, _ = play("cltk", settings + f";chunked={chunked}".lower(), x)
            want, left = d.cltk(ratio, x, memory, chunked)
            yield f"{settings} {chunked} {label}", difference(average, want), 2e-6
            yield f"{settings} {chunked} {label} residual", difference(residual, left), 2e-6


@check
def deft():
    for (label, x), ratio in itertools.product(inputs(5, 3), (0.01, 0.2, 0.9)):
        average, residual, _ = play("deft", f"ratio={ratio}", x)
        want, left = d.deft(ratio, x)
        yield f"ratio={ratio} {label}", difference(average, want), 2e-6
        yield f"ratio={ratio} {label} residual", difference(residual, left), 2e-6


def planted(seed, n, k):
    rng = np.random.Generator(np.random.PCG64(seed))
    x, heavy = 1e-3 * rng.standard_normal((4, 3, n)), rng.choice(n, k, replace=False)
    x[:, :, heavy] += rng.choice([-1.0, 1.0], k) * (1 + rng.random(k))
    return x.astype(f32), np.isin(np.arange(n), heavy)


@check
def sketch():
    """Elements that stand out are found, in tables wide enough that no others collide with them in
    most rows; in others too all that is sent is a mean."""
    settings = "memory=none;granularity=layer;"
    for n, rows, columns, seed in ((30000, 7, 2048, 1), (30000, 8, 2048, 2), (30000, 9, 1024, 3)):
        x, heavy = planted(seed, n, 8)
        table = f"ratio={8.5 / n};rows={rows};columns={columns}"
        average, _, bytes = play("sketch", settings + table, x)
        want = d.keep(x.mean(axis=1, dtype=np.float64), heavy)
        yield table, difference(average, want), 2e-7
        yield table + " bytes", np.abs(bytes - 3 * 4 * (rows * columns + 8)).max(), 0
    for rows, columns in ((1, 64), (2, 64), (3, 256), (5, 100)):
        x, heavy = planted(rows, 4096, 40)
        table = f"ratio={40.5 / 4096};rows={rows};columns={columns}"
        average, _, bytes = play("sketch", settings + table, x)
        sent = average != 0
        mean = x.mean(axis=1, dtype=np.float64)
        yield table + " means", difference(average[sent], mean[sent]), 2e-7
        yield table + " count", np.abs(sent.sum(axis=1) - 40).max(), 0


# ---- memories and what else a method does to gradients -------------------------------------------


@check
def memories():
    for settings, memory in (
            ("memory=none", {"kind": "none"}),
            ("memory=residual;residual_decay=0.9", {"decay": 0.9}),
            ("memory=residual;residual_decay=0", {"decay": 0}),
            ("memory=lowpass", {"kind": "lowpass"}),
            ("memory=lowpass;low_pass=0.7", {"kind": "lowpass", "low_pass": 0.7}),
            ("memory=momentum", {"kind": "momentum"}),
            ("memory=momentum;residual_decay=0.5", {"kind": "momentum", "decay": 0.5}),
            ("memory=momentum;nesterov=true", {"kind": "momentum", "nesterov": True}),
            ("memory=momentum;masking=false", {"kind": "momentum", "masking": False})):
        for method, compress in (("topk", d.topk(0.05)), ("dryden", d.dryden(0.1))):
            ratio = "0.05" if method == "topk" else "0.1"
            yield from against(compress, method, f"ratio={ratio};{settings}",
                               inputs(steps=6, lengths=(1, 7, 1000)), **memory)


@check
def ef21():
    for label, x in inputs(steps=6):
        average, residual, _ = play("topk", "ratio=0.1;memory=ef21", x)
        decoded, estimate = d.worker_runs(d.topk(0.1), x, kind="ef21")
        applied = np.cumsum(decoded.mean(axis=1, dtype=np.float64), axis=0)
        yield label, difference(average, applied), 2e-6
        yield label + " estimate", difference(residual, estimate), 2e-6


@check
def corrections():
    for label, x in inputs(steps=8, lengths=(7, 1000), workers=1, families=FAMILIES[:3]):
        settings = "ratio=0.1;memory=momentum;lr_correction="
        decoded, residual = d.worker_runs(d.topk(0.1), x, kind="momentum")
        wait, want = np.zeros(x.shape[2]), []
        for sent in decoded[:, 0]:
            wait += 1
            factor = [d.correction(0.9, tau) for tau in wait]
            want.append(sent * np.array(factor))
            wait[sent != 0] = 0
        average, left, _ = play("topk", settings + "element", x)
        yield label + " element", difference(average, want), 2e-6
        yield label + " element residual", difference(left, residual), 2e-6
        average, _, _ = play("topk", settings + "layer", x)
        tau = x.shape[2] // d.wanted(0.1, x.shape[2])
        yield label + " layer", difference(average, decoded[:, 0] * d.correction(0.9, tau)), 2e-6


@check
def schedules():
    """Clipping of gradients, and the densities of warm-up."""
    for label, x in inputs(families=("gaussian", "heavy", "ties"), workers=4):
        norm = np.linalg.norm(d.wide(x), axis=2, keepdims=True)
        for limit in np.median(norm) * np.array([0.5, 2, 10]):
            average, _, _ = play("topk", f"ratio=0.1;memory=none;clip={limit:.9g}", x)
            clipped = (x * np.minimum(1, limit / 2 / norm)).astype(f32)
            want, _ = d.worker_runs(d.topk(0.1), clipped, kind="none")
            yield f"clip={limit} {label}", difference(average, want.mean(axis=1)), 2e-6
    x = draw("gaussian", 12, 1, 4096)
    for schedule, density in (("ladder", lambda e: 0.25**e),
                              ("exponential", lambda e: 0.004 ** (e / 6))):
        settings = f"ratio=0.004;memory=none;warmup=10;warmup_schedule={schedule}"
        average, _, _ = play("topk", settings, x)
        for t in range(12):
            share = max(0.004, density(1 + t // 2)) if t < 10 else 0.004
            count = np.count_nonzero(average[t])
            yield f"{schedule} step {t}", abs(count - d.wanted(share, 4096)), 0


@check
def dense():
    """Units too small to compress, and vectors where these are to go dense."""
    for label, x in inputs(lengths=(7, 1000)):
        n, mean = x.shape[2], x.mean(axis=1, dtype=np.float64)
        chosen, _ = d.worker_runs(d.topk(0.1), x, kind="none")
        chosen = chosen.mean(axis=1, dtype=np.float64)
        for option, rows, whole in (("min_elements=8", 0, n < 8), ("min_elements=7", 0, False),
                                    ("dense_vectors=true", 0, True),
                                    ("dense_vectors=true", n, False)):
            average, _, bytes = play("topk", f"ratio=0.1;memory=none;{option}", x, rows)
            yield f"{option} rows={rows} {label}", difference(average, mean if whole else
                                                              chosen), 2e-6
            if whole:
                yield f"{option} {label} bytes", np.abs(bytes - 2 * (2 + 4 * n)).max(), 0


# ---- codecs --------------------------------------------------------------------------------------


def supports():
    """Vectors that are not 0 where an index is to be sent."""
    rng = np.random.Generator(np.random.PCG64(3))
    for n, k in ((1, 1), (2, 1), (7, 7), (1000, 1), (1000, 30), (1000, 700), (4096, 64),
                 (65536, 500), (40000, 10000), (65537, 300), (140000, 300)):
        scattered = np.zeros(n, f32)
        scattered[rng.choice(n, k, replace=False)] = rng.standard_normal(k)
        yield f"n={n} k={k}", scattered
        together = np.zeros(n, f32)
        start = rng.integers(0, n - k + 1)
        together[start:start + k] = rng.standard_normal(k)
        yield f"n={n} k={k} together", together
    yield "none", np.zeros(100, f32)


def sparse_bytes(index, n, index_bits, value):
    """Frame, codecs, count, indices, values."""
    if index.size == 0:
        return 2 + 1 + 1
    return (2 + 1 + d.varint_bytes(index.size) + d.whole_bytes(index_bits)
            + d.whole_bytes(d.VALUE_BITS[value](index.size)))


@check
def codecs():
    for label, x in supports():
        index, n, bits = np.flatnonzero(x), x.size, {}
        for codec, size in d.INDEX_BITS.items():
            bits[codec] = size(index, n) if index.size else 0
            average, _, bytes = play("threshold", f"tau=0;memory=none;index={codec}", x[None, None])
            yield f"{codec} {label}", float(np.any(average[0] != x)), 0
            yield f"{codec} {label} bytes", abs(bytes[0] - sparse_bytes(index, n, bits[codec],
                                                                        "fp32")), 0
        _, _, bytes = play("threshold", "tau=0;memory=none;index=auto", x[None, None])
        best = sparse_bytes(index, n, min(bits.values()), "fp32")
        yield f"auto {label} bytes", abs(bytes[0] - best), 0
        for value in set(d.VALUE_BITS) - {"mean"}:  # which suits RedSync alone
            settings = f"tau=0;memory=none;index=raw;value={value}"
            average, _, bytes = play("threshold", settings, x[None, None])
            yield f"{value} {label} bytes", abs(bytes[0] - sparse_bytes(index, n, bits["raw"],
                                                                        value)), 0
            sent = x[index]
            want = {"fp32": lambda: sent,
                    "fp16": lambda: sent.astype(np.float16),
                    "bf16": lambda: d.bf16(sent),
                    "sign_mean1": lambda: np.sign(sent) * np.abs(d.wide(sent)).mean(),
                    "sign_mean": lambda: d.sign_means(sent)}.get(value)
            if want and index.size:
                yield f"{value} {label}", difference(average[0][index], want()), 1e-7


@check
def stochastic_values():
    for (codec, b), family in itertools.product(d.STOCHASTIC_BITS.items(), FAMILIES):
        x = draw(family, 600)
        average, _, _ = play("threshold", f"tau=0;memory=none;value={codec}", constant(x, 400))
        x = d.wide(x)
        sent, levels = np.flatnonzero(x), 2 ** (b - 1) - 1
        unit = np.concatenate([np.full(part.size, np.abs(part).max() / levels)
                               for part in buckets(x[sent], d.STOCHASTIC_BUCKET)])
        level = np.abs(x[sent]) / unit
        low, side = np.floor(level + 1e-12), np.sign(x[sent])
        yield from random_draws(f"{codec} {family}", average[:, sent], side * low * unit,
                                side * (low + 1) * unit, np.clip(level - low, 0, 1))
        yield f"{codec} {family} others", np.count_nonzero(np.delete(average, sent, 1)), 0


@check
def bloom():
    """All picks and a share f of the rest, with their own values; or k of these."""
    n, ratio = 20000, 0.02
    x = draw("gaussian", 20, 1, n)
    k = d.wanted(ratio, n)
    picks = np.array([d.largest(p, k) for p in x[:, 0]])
    for policy, rate in itertools.product(("all", "leftmost", "conflicts"), (0.001, 0.01, 0.1)):
        settings = f"ratio={ratio};memory=none;index=bloom;bloom_rate={rate};bloom_policy={policy}"
        average, _, bytes = play("topk", settings, x)
        label, sent = f"{policy} {rate}", average != 0
        yield label + " values", difference(average, d.keep(x[:, 0], sent)), 0
        true, false = (sent & picks).sum(), (sent & ~picks).sum()
        if policy == "all":
            yield label + " missed", picks.sum() - true, 0
            # 5 standard errors, and what whole hashes and a filter of uneven load make of f
            mean = rate * (~picks).sum()
            yield label + " false", abs(false - mean) / (0.15 * mean + 5 * mean**0.5), 1
        else:
            yield label + " count", np.abs(sent.sum(axis=1) - k).max(), 0
        bits = 14 + 2 + math.ceil(math.floor(256 * math.log2(1 / rate) / math.log(2)) * k / 256)
        count = sent[0].sum()
        want = 2 + 1 + d.varint_bytes(count) + d.whole_bytes(bits) + 4 * count
        yield label + " bytes", abs(bytes[0] - want), 1 + k / 256 / 8


@check
def torch_topk():
    for label, x in inputs(1, 1, families=("gaussian", "laplace", "heavy")) if torch else ():
        g = torch.from_numpy(x[0, 0].copy())
        _, index = torch.topk(g.abs(), d.wanted(0.05, g.numel()))
        want = torch.zeros_like(g).index_copy(0, index, g[index])
        average, _, _ = play("topk", "ratio=0.05;memory=none", x)
        yield label, difference(average[0], want.numpy()), 0


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
    except Unplayed as error:
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
    if not torch:
        print("no PyTorch: its checks are left out")
        chosen = [c for c in chosen if c is not torch_topk]
    good = [run(function) for function in chosen]
    status = player.end()
    if status:
        print(f"play ended with status {status}")
    sys.exit(0 if good and all(good) and status == 0 else 1)


if __name__ == "__main__":
    main()
