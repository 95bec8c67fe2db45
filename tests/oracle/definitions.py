# SPDX-License-Identifier: GPL-3.0-or-later
"""What compressors and memories do, from their papers' definitions and independent of our C code.

Vectors are numpy.float32, statistics of them float64. A compressor is a function

    compress(p, g, step, state) -> what receivers decode

of what there is to send (the memory included), this step's gradient, the step, and a dictionary
that is one worker's own.
"""
import math
from statistics import NormalDist

import numpy as np

f32 = np.float32


def wide(x):
    return np.asarray(x, np.float64)


def bf16(x):
    """Nearest bfloat16, halves to even."""
    bits = np.asarray(x, f32).view(np.uint32).astype(np.int64)
    bits = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16
    return bits.astype(np.uint32).view(f32)


def wanted(ratio, n):
    return max(1, math.floor(ratio * n))


def keep(p, mask):
    return np.where(mask, p, f32(0))


def largest(p, k):
    """Mask of the k largest |p|, the lower index first among equals; never of zeros."""
    mask = np.zeros(p.size, bool)
    mask[np.lexsort((np.arange(p.size), -np.abs(p)))[:k]] = True
    return mask & (p != 0)


# ---- sparsifiers --------------------------------------------------------------------------------


def topk(ratio):
    return lambda p, g, step, state: keep(p, largest(p, wanted(ratio, p.size)))


def dgc_exact(ratio):
    return lambda p, g, step, state: keep(p, largest(p, math.ceil(ratio * p.size)))


def threshold(tau):
    return lambda p, g, step, state: keep(p, np.abs(wide(p)) > tau)


def strom(tau):
    return lambda p, g, step, state: keep(f32(tau) * np.sign(p), np.abs(wide(p)) > tau)


def twobit(tau):
    return lambda p, g, step, state: f32(tau) * ((wide(p) >= tau) * f32(1) - (wide(p) <= -tau))


def gaussiank(ratio):
    def compress(p, g, step, state):
        k, a = wanted(ratio, p.size), np.abs(wide(p))
        sd = np.std(wide(p), ddof=1) if p.size > 1 else 0.0
        t = abs(np.mean(wide(p))) + NormalDist().inv_cdf(1 - ratio / 2) * sd
        for _ in range(3):
            mask = a > t
            if mask.sum() < 2 * k / 3:
                t *= 0.5
            elif mask.sum() > 4 * k / 3:
                t *= 1.5
            else:
                break
        return keep(p, mask)
    return compress


def redsync(ratio, search="binary", quantize=False):
    def compress(p, g, step, state):
        k = wanted(ratio, p.size)
        if quantize:
            p = np.maximum(p, 0) if step % 2 == 0 else np.minimum(p, 0)
        a = np.abs(wide(p))
        if search == "trimmed":
            mask = largest(p, k)
        else:
            l, h = 0.0, 1.0
            while h - l > 0.2:
                r = (l + h) / 2
                mask = a >= a.mean() + r * (a.max() - a.mean())
                count = mask.sum()
                if k < count < 2 * k:
                    break
                l, h = (l, r) if count < k / 2 else (r, h)
            mask &= a > 0
        if quantize and mask.any():
            return keep(np.full(p.size, wide(p[mask]).mean(), f32), mask)
        return keep(p, mask)
    return compress


def gamma_tail(shape, x):
    """1 - P(shape, x) by the power series of the lower incomplete gamma function."""
    terms = np.cumprod(x / (shape + np.arange(1, 200 + 4 * math.ceil(x))))
    front = math.exp(shape * math.log(x) - x - math.lgamma(shape)) / shape
    return 1 - front * (1 + terms.sum())


def gamma_upper_quantile(shape, d):
    lo, hi = 1e-300, 1.0
    while gamma_tail(shape, hi) > d:
        hi *= 2
    for _ in range(55):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if gamma_tail(shape, mid) > d else (lo, mid)
    return lo


def above_exponential(y, d):
    return -y.mean() * math.log(d)


def above_pareto(y, d):
    if np.ptp(y) == 0:
        return 0.0
    mu, s2 = y.mean(), y.var()
    scale, shape = 0.5 * mu * (mu**2 / s2 + 1), 0.5 * (mu**2 / s2 - 1)
    return scale * (1 - d**shape) / shape if abs(shape) > 1e-8 else -scale * math.log(d)


def above_gamma(a, d):
    """Fitted to what is not 0, of which a share must stay that makes d of all."""
    y = a[a > 0]
    d *= a.size / y.size
    if np.ptp(y) == 0 or d >= 1:
        return 0.0
    s = math.log(y.mean()) - np.log(y).mean()
    shape = (3 - s + math.sqrt((s - 3) ** 2 + 24 * s)) / (12 * s)
    return y.mean() / shape * gamma_upper_quantile(shape, d)


def sidco(ratio, distribution, stages=None):
    first, later = {"exponential": (above_exponential, above_exponential),
                    "gp": (above_pareto, above_pareto),
                    "gamma": (above_gamma, above_pareto)}[distribution]

    def adapt(state, share):
        state.setdefault("shares", []).append(share)
        if len(state["shares"]) < 5:
            return
        mean = np.mean(state.pop("shares"))
        state["M"] = state.get("M", 1) + (mean < 0.8) - (mean > 1.2)
        state["M"] = min(max(1, state["M"]), math.ceil(math.log(ratio) / math.log(0.5)))

    def compress(p, g, step, state):
        a = np.abs(wide(p))
        if a.max() == 0:
            return p
        m = stages or state.get("M", 1)
        if m == 1 or ratio >= 0.25:
            t = min(a.max(), first(a, ratio))
        else:
            t = min(a.max(), first(a, 0.25))
            for _ in range(m - 1):
                y = a[a >= t]
                t = min(a.max(), y.min() + later(y - y.min(), (ratio / 0.25) ** (1 / (m - 1))))
        mask = (a >= t) & (a > 0)
        adapt(state, mask.sum() / max(1, ratio * p.size))
        return keep(p, mask)
    return compress


def adacomp(bin):
    def compress(p, g, step, state):
        starts = np.arange(0, p.size, bin)
        most = np.maximum.reduceat(np.abs(wide(p)), starts)
        mask = np.abs(wide(p) + wide(g)) >= np.repeat(most, bin)[:p.size]
        return keep(f32(most.mean()) * np.sign(p), mask & (p != 0))
    return compress


def dryden(ratio):
    def compress(p, g, step, state):
        out = np.zeros_like(p)
        for side in (1, -1):
            mine = np.where(side * p > 0, p, f32(0))
            if mine.any():
                mask = largest(mine, wanted(ratio, np.count_nonzero(mine)))
                out[mask] = bf16(f32(wide(p[mask]).mean()))
        return out
    return compress


def kapur(a, low, bins):
    """The lowest split of [low, max] whose parts' entropies sum to the most; None where none is."""
    count, edges = np.histogram(a, bins, (low, a.max()))
    share = count / a.size
    below = np.cumsum(share)[:-1]
    entropy = np.cumsum(-share * np.log(np.where(share > 0, share, 1)))
    valid = (np.cumsum(count)[:-1] > 0) & (np.cumsum(count)[:-1] < a.size)
    if not valid.any():
        return None
    b, h, all_h = np.where(valid, below, 0.5), entropy[:-1], entropy[-1]
    phi = np.log(b) + h / b + np.log(1 - b) + (all_h - h) / (1 - b)
    phi = np.where(valid, phi, -np.inf)
    return edges[1 + np.argmax(phi > phi.max() - 1e-12)]  # rounding sets equal ones apart


def maxentropy(stages, bins, min_tail=8):
    def compress(p, g, step, state):
        a, low = np.abs(wide(p)), 0.0
        for _ in range(stages):
            tail = a[(a > 0) & (a >= low)]
            split = kapur(tail, low, bins) if tail.size >= min_tail else None
            if split is None:
                break
            low = split
        return keep(p, a >= low)
    return compress


def entropy_share(share):
    def compress(p, g, step, state):
        a = np.sort(np.abs(wide(p[p != 0])))[::-1]
        if a.size == 0:
            return p
        q = a / a.sum()
        reached = np.cumsum(-q * np.log(q))
        return keep(p, largest(p, 1 + np.searchsorted(reached, share * reached[-1])))
    return compress


# ---- quantisers ---------------------------------------------------------------------------------


def onebit(p, g, step, state):
    side = p < 0
    means = [f32(wide(p[s]).mean()) if s.any() else f32(0) for s in (~side, side)]
    return np.where(side, means[1], means[0])


def onebit_columns(rows):
    def compress(p, g, step, state):
        columns = [onebit(c, None, step, state) for c in p.reshape(rows, -1).T]
        return np.array(columns).T.ravel()
    return compress


def sign_means(values):
    """Dryden's two sides as bfloat16: positive values, and all others."""
    side = values > 0
    means = [bf16(f32(np.abs(wide(values[s])).mean())) if s.any() else 0 for s in (side, ~side)]
    return np.where(side, means[0], -means[1])


def sign(p):
    return np.where(p < 0, f32(-1), f32(1))


def efsign(p, g, step, state):
    return f32(np.abs(wide(p)).mean()) * sign(p)


def signs(p, g, step, state):
    return sign(p)


def signum(beta):
    def compress(p, g, step, state):
        state["mom"] = beta * state.get("mom", 0.0) + (1 - beta) * wide(p)
        return sign(state["mom"])
    return compress


def dynamic_tree():
    """The magnitudes of Dettmers' dynamic tree: decades with 64, 32, ..., 1 places, upper ends."""
    decades = [10.0**-e * (0.1 + 0.9 * np.arange(1, 2 ** (6 - e) + 1) / 2 ** (6 - e))
               for e in range(7)]
    return np.sort(np.concatenate([[0.0]] + decades))


def affine_grid(x):
    """Multiples of the step, the first and last of which decode to the ends of the range."""
    low, high = min(0.0, float(x.min())), max(0.0, float(x.max()))
    step = (high - low) / 255
    if step == 0:
        return np.zeros(1), 0.0, 0.0
    return (np.arange(256) - math.floor(-low / step + 0.5)) * step, low, high


# ---- memories -----------------------------------------------------------------------------------


class Memory:
    """Takes a gradient in, gives what there is to send, and keeps what was not."""

    def __init__(self, n, kind="residual", momentum=0.9, masking=True, nesterov=False, low_pass=0.1,
                 decay=1.0):
        self.kind, self.m, self.masking, self.nesterov = kind, f32(momentum), masking, nesterov
        self.b, self.decay = f32(low_pass), f32(decay)
        self.e, self.u = np.zeros(n, f32), np.zeros(n, f32)

    def compensate(self, g):
        self.e = self.decay * self.e
        if self.kind == "none":
            self.p = g
        elif self.kind == "ef21":
            self.p = g - self.e
        elif self.kind != "momentum":
            self.p = g + self.e
        elif self.nesterov:
            self.u = self.m * (self.u + g)
            self.p = self.e + (self.u + g)
        else:
            self.u = self.m * self.u + g
            self.p = self.e + self.u
        return self.p

    def update(self, sent, mask):
        if self.kind == "ef21":
            self.e = self.e + sent
        elif self.kind == "lowpass":
            self.e = (1 - self.b) * self.e + self.b * (self.p - sent)
        elif self.kind != "none":
            self.e = self.p - sent
        if self.masking:
            self.u = np.where(mask, f32(0), self.u)


def correction(m, tau):
    """c(tau) of the learning-rate correction: masking's loss over tau steps, undone."""
    kept = sum(sum(m**j for j in range(i)) for i in range(1, round(tau) + 1)) / tau
    return 1 / ((1 - m) * kept) if tau < 1e6 else 1.0


def worker_runs(compress, gradients, **memory):
    """For every worker apart: decoded[step][worker], and the residuals of worker 0."""
    steps, workers, n = gradients.shape
    memories = [Memory(n, **memory) for _ in range(workers)]
    states = [{} for _ in range(workers)]
    decoded, residual = np.zeros_like(gradients), np.zeros((steps, n), f32)
    for t in range(steps):
        for w in range(workers):
            p = memories[w].compensate(gradients[t, w])
            decoded[t, w] = compress(p, gradients[t, w], t, states[w])
            memories[w].update(decoded[t, w], decoded[t, w] != 0)
        residual[t] = memories[0].e
    return decoded, residual


# ---- methods of several rounds ------------------------------------------------------------------


def agreed(gradients, memory, choose):
    """Everyone's values where choose(step, inputs) says: averages, and worker 0's residual."""
    steps, workers, n = gradients.shape
    memories = [Memory(n, **memory) for _ in range(workers)]
    average, residual = np.zeros((steps, n)), np.zeros((steps, n), f32)
    for t in range(steps):
        inputs = [m.compensate(g) for m, g in zip(memories, gradients[t])]
        mask = choose(t, inputs)
        for m, p in zip(memories, inputs):
            m.update(keep(p, mask), mask)
        average[t] = np.mean([wide(keep(p, mask)) for p in inputs], axis=0)
        residual[t] = memories[0].e
    return average, residual


def cltk(ratio, gradients, memory, chunked):
    """The leader's largest, or its largest of each chunk; workers lead in turn."""
    def choose(t, inputs):
        p = inputs[t % len(inputs)]
        k = wanted(ratio, p.size)
        if chunked:
            return np.concatenate([largest(part, 1) for part in np.array_split(p, k)])
        return largest(p, k)
    return agreed(gradients, memory, choose)


def deft_shares(parts, k):
    """How many each part gets: its norm's share of what is left, the largest first."""
    norms = [np.linalg.norm(wide(p)) for p in parts]
    order = sorted(range(len(parts)), key=lambda i: (-norms[i], i))
    share, left = [0] * len(parts), k
    for place, i in enumerate(order):
        norm_left = sum(norms[j] for j in reversed(order[place:]))
        fair = math.floor(left * (norms[i] / norm_left)) if norm_left > 0 else 0
        share[i] = min(max(1, fair), parts[i].size)
        left = max(0, left - share[i])
    for i in order:
        more = min(left, parts[i].size - share[i])
        share[i], left = share[i] + more, left - more
    return share


def deft(ratio, gradients):
    """One layer: as many parts as workers."""
    workers = gradients.shape[1]

    def choose(t, inputs):
        k = wanted(ratio, inputs[0].size)
        cut = [[q for q in np.array_split(p, workers) if q.size] for p in inputs]
        leader = cut[t % workers]
        cost = [q.size * max(1, math.log2(s)) for q, s in zip(leader, deft_shares(leader, k))]
        load, bin_of = [0.0] * workers, {}
        for i in sorted(range(len(leader)), key=lambda i: (-cost[i], i)):
            bin_of[i] = load.index(min(load))
            load[bin_of[i]] += cost[i]
        masks = []
        for i in range(len(leader)):
            mine = cut[(bin_of[i] - t) % workers]
            masks.append(largest(mine[i], deft_shares(mine, k)[i]))
        return np.concatenate(masks)
    return agreed(gradients, {}, choose)


# ---- sizes, in bits -----------------------------------------------------------------------------


def gaps_of(index):
    return np.diff(np.concatenate([[-1], index])) - 1


def bit_length(x):
    return np.floor(np.log2(np.maximum(x, 0.5))).astype(int) + 1


def raw_bits(index, n):
    return index.size * math.ceil(math.log2(n))


def rice_bits(index, n):
    gaps = gaps_of(index)
    return 5 + min(int(np.sum((gaps >> b) + 1 + b)) for b in range(32))


def varint_bits(index, n):
    return int(np.sum(8 * np.maximum(1, np.ceil(bit_length(gaps_of(index)) / 7))))


def gamma_bits(index, n):
    return int(np.sum(2 * np.floor(np.log2(gaps_of(index) + 1)) + 1))


def delta_bits(index, n):
    log = np.floor(np.log2(gaps_of(index) + 1))
    return int(np.sum(log + 2 * np.floor(np.log2(log + 1)) + 1))


def fano_bits(index, n):
    low = max(0, math.floor(math.log2(n / index.size)))
    return index.size * (low + 1) + (n >> low) + 1


def raw16_bits(index, n):
    """Blocks of 2^16, each with its count where there are several."""
    lengths = [min(65536, n - start) for start in range(0, n, 65536)]
    return 16 * index.size + (sum(v.bit_length() for v in lengths) if n > 65536 else 0)


def rle_bits(index, n):
    bitmap = np.concatenate([[0], np.isin(np.arange(n), index), [0]])
    turns = np.flatnonzero(np.diff(bitmap.astype(int)))
    runs = np.diff(np.concatenate([[0], turns, [n]]))
    return 5 + runs.size * int(bit_length(runs.max()))


INDEX_BITS = {
    "raw": raw_bits,
    "bitmap": lambda index, n: n,
    "golomb": rice_bits,
    "raw16": raw16_bits,
    "raw32": lambda index, n: 32 * index.size,
    "rle": rle_bits,
    "varint": varint_bits,
    "elias_gamma": gamma_bits,
    "elias_delta": delta_bits,
    "elias_fano": fano_bits,
}
STOCHASTIC_BITS = {"q8": 8, "q4": 4, "q2": 2}
STOCHASTIC_BUCKET = 512
VALUE_BITS = {
    "fp32": lambda k: 32 * k,
    "fp16": lambda k: 16 * k,
    "bf16": lambda k: 16 * k,
    "sign_mean": lambda k: 32 + k,
    "sign_mean1": lambda k: 32 + k,
    "mean": lambda k: 32,
}
for name, b in STOCHASTIC_BITS.items():
    VALUE_BITS[name] = lambda k, b=b: b * k + 32 * math.ceil(k / STOCHASTIC_BUCKET)


def whole_bytes(bits):
    return -(-bits // 8)


def varint_bytes(x):
    return max(1, -(-int(x).bit_length() // 7))
