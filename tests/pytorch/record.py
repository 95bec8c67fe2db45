# SPDX-License-Identifier: GPL-3.0-or-later
"""A real training run is recorded, and the trace holds what PyTorch had, bit for bit."""
import os
import signal
import subprocess
import sys

from support import PROGRAM, SCRIPTS, check, in_scratch, need, refuses, run, same, script, simulate

need("torch", "h5py", "numpy")
import h5py
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

import record_trace

torch.set_num_threads(1)


class Net(nn.Module):
    """Registered in another order than it runs, with a parameter of its own, one that is frozen, and
    one that is never used."""

    def __init__(self):
        super().__init__()
        self.head = nn.Linear(32, 3)
        self.conv = nn.Conv2d(1, 8, 3)
        self.frozen = nn.Parameter(torch.ones(2), requires_grad=False)
        self.unused = nn.Linear(2, 2, bias=False)
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x):
        x = F.relu(self.conv(x * self.scale), inplace=True)
        return self.head(F.max_pool2d(x, 2).flatten(1))


ORDER = ["scale", "conv.weight", "conv.bias", "head.weight", "head.bias", "unused.weight"]
SHAPES = [[1, 0, 0, 0], [8, 1, 3, 3], [8, 0, 0, 0], [3, 32, 0, 0], [3, 0, 0, 0], [2, 2, 0, 0]]


def batch(seed):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(16, 1, 6, 6, generator=generator), torch.randint(0, 3, (16,), generator=generator)


def flat(model):
    named = dict(model.named_parameters())
    grads = [named[n].grad if named[n].grad is not None else torch.zeros_like(named[n]) for n in ORDER]
    return torch.cat([g.reshape(-1) for g in grads]).numpy().copy()


def train(model, backward_done, steps):
    """Plain SGD; gives the gradient and loss of each step."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    gradients, losses = [], []
    for step in range(steps):
        optimizer.zero_grad()
        x, y = batch(step)
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        gradients.append(flat(model))
        losses.append(loss.item())
        backward_done(loss)
        optimizer.step()
    return gradients, losses


def test_automatic_recording():
    torch.manual_seed(1)
    model = Net()
    record_trace.record(model, "auto.h5")
    gradients, _ = train(model, lambda loss: None, steps=5)
    with h5py.File("auto.h5", "r", libver="latest", swmr=True) as f:  # while it is open for writing
        same([n.decode() for n in f["layers/name"][:]], ORDER, "layers")
        same(f["layers/shape"][:].tolist(), SHAPES, "shapes")
        same(f["gradients"].shape, (5, 1, 184), "gradients")
        for step, gradient in enumerate(gradients):
            check(np.array_equal(f["gradients"][step, 0], gradient), f"gradient of step {step}")
        check(np.isnan(f["loss"][:]).all(), "losses are unknown")
    info = run(PROGRAM, "trace", "info", "auto.h5")
    check("conv.weight" in info and "Net" in info, info)


def test_losses_times_and_flops():
    torch.manual_seed(2)
    model = Net()
    recorder = record_trace.Recorder(model, "t.h5", dataset="noise", batch=16,
                                     optimizer=torch.optim.SGD(model.parameters(), lr=1))
    gradients, losses = train(model, recorder.step, steps=6)
    recorder.close()
    same(sum(len(m._forward_hooks) + len(m._forward_pre_hooks) for m in model.modules()), 0, "hooks left")
    with h5py.File("t.h5", "r") as f:
        same(f["loss"][:, 0].tolist(), losses, "losses")
        check(np.array_equal(f["gradients"][:, 0], gradients), "gradients")
        same(f.attrs["optimizer"], b"SGD", "optimizer")
        # conv: 2 x (16 x 8 x 4 x 4 outputs) x 9; its input comes from scale, so backward is twice that.
        # head: 2 x 16 examples x 96.
        same(f["layers/forward_flops"][:].tolist(), [0, 36864, 2048, 3072, 48, 0], "forward FLOPs")
        same(f["layers/backward_flops"][:].tolist(), [0, 73728, 2048, 6144, 48, 0], "backward FLOPs")
        forward, backward = f["layers/forward_s"][:], f["layers/backward_s"][:]
        same(np.isnan(forward).tolist(), [False] * 5 + [True], "forward times known")
        same(np.isnan(backward).tolist(), [False] * 5 + [True], "backward times known")
        check(0 < forward[:5].sum() < 1 and 0 < backward[:5].sum() < 1, "times")
    first = simulate('egc.workload.trace { file = "t.h5" }', 1, 6)
    same(simulate('egc.workload.trace { file = "t.h5" }', 1, 6), first, "results of two runs")


def test_times_are_those_of_the_layers():
    class Slow(nn.Linear):
        def forward(self, x):
            import time
            time.sleep(0.02)
            return super().forward(x)

    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), Slow(4, 4), nn.Linear(4, 2))
    recorder = record_trace.Recorder(model, "slow.h5")
    for _ in range(3):
        model(torch.ones(2, 4)).sum().backward()
        recorder.step()
    recorder.close()
    with h5py.File("slow.h5", "r") as f:
        forward = f["layers/forward_s"][:]
        check(0.02 <= forward[2] + forward[3] < 0.2, f"the slow layer: {forward}")
        check(forward.sum() - forward[2] - forward[3] < 0.015, f"the others: {forward}")


def test_workers_take_turns():
    torch.manual_seed(3)
    model, twin = Net(), Net()
    twin.load_state_dict(model.state_dict())
    recorder = record_trace.Recorder(model, "w.h5", workers=2)
    optimizer, wanted = torch.optim.SGD(model.parameters(), lr=0.1), []
    for step in range(3):
        optimizer.zero_grad()
        for worker in range(2):
            x, y = batch(10 * step + worker)
            twin.load_state_dict(model.state_dict())
            twin.zero_grad()
            F.cross_entropy(twin(x), y).backward()
            wanted.append(flat(twin))
            loss = F.cross_entropy(model(x), y)
            loss.backward()  # adds to the gradient of the worker before: must not show
            recorder.step(loss)
        optimizer.step()
    with h5py.File("w.h5", "r", libver="latest", swmr=True) as f:
        check(np.array_equal(f["gradients"][:].reshape(6, -1), wanted), "each worker's own gradient")
    simulate('egc.workload.trace { file = "w.h5" }', 2, 3)


def test_every_and_limit():
    torch.manual_seed(4)
    model = Net()
    record_trace.record(model, "e.h5", every=3, steps=2)
    gradients, _ = train(model, lambda loss: None, steps=9)
    with h5py.File("e.h5", "r") as f:
        check(np.array_equal(f["gradients"][:, 0], [gradients[0], gradients[3]]), "steps 0 and 3")
        same(int(f.attrs["every"]), 3, "every")


def test_several_passes_and_scale():
    model = nn.Linear(2, 1, bias=False)
    recorder = record_trace.Recorder(model, "s.h5")
    for x in ([1.0, 2.0], [10.0, 20.0]):
        (8 * model(torch.tensor([x]))).backward()
    recorder.step(scale=8)
    recorder.close()
    with h5py.File("s.h5", "r") as f:
        same(f["gradients"][0, 0].tolist(), [11, 22], "sum of both passes")


RANK = """
import sys, torch, torch.distributed as dist
sys.path.insert(0, sys.argv[1])
import record_trace
rank = int(sys.argv[2])
dist.init_process_group("gloo", init_method="file://" + sys.argv[3], rank=rank, world_size=2)
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(3, 1, bias=False))
record_trace.record(model, "d.h5")
for step in range(2):
    model.zero_grad()
    model(torch.full((1, 3), float(1 + rank + 10 * step))).sum().backward()
    assert model.module.weight.grad[0, 0] == 1.5 + 10 * step, "DDP averages"
"""


def test_ranks_are_merged():
    for rank in (0, 1):
        model = nn.Linear(3, 1)
        recorder = record_trace.Recorder(model, "p.h5", rank=rank)
        for step in range(2 + rank):
            model(torch.full((1, 3), float(1 + rank + 10 * step))).sum().backward()
            recorder.step(rank)
        recorder.close()
    same(script("record_trace.py", "merge", "p.h5", "p.rank1.h5", "p.rank0.h5"), "p.h5: 2 steps of 2 workers\n", "merge")
    with h5py.File("p.h5", "r") as f:
        same(f["gradients"][:, :, 0].tolist(), [[1, 2], [11, 12]], "merged gradients")
        same(f["loss"][:].tolist(), [[0, 1], [0, 1]], "merged losses")
    simulate('egc.workload.trace { file = "p.h5" }', 2, 2)
    refuses("t.h5: has other layers than p.rank0.h5", "record_trace.py", "merge", "x.h5", "p.rank0.h5", "t.h5")
    refuses("p.h5: is one of the parts", "record_trace.py", "merge", "p.h5", "p.h5")
    if not torch.distributed.is_available():
        print("not shown: recording under DDP (this PyTorch has no torch.distributed)")
        return
    processes = [subprocess.Popen([sys.executable, "-c", RANK, SCRIPTS, str(rank), os.path.abspath("store")])
                 for rank in (0, 1)]
    same([p.wait(100) for p in processes], [0, 0], "ranks")
    script("record_trace.py", "merge", "d.h5", "d.rank0.h5", "d.rank1.h5")
    with h5py.File("d.h5", "r") as f:
        same(f["gradients"][:, :, 0].tolist(), [[1, 2], [11, 12]], "local gradients, not the average")


KILLED = """
import os, signal, sys, torch
sys.path.insert(0, sys.argv[1])
import record_trace
model = torch.nn.Linear(3, 1)
recorder = record_trace.Recorder(model, "k.h5", workers=2)
for gradient in range(7):
    model(torch.ones(1, 3)).sum().backward()
    recorder.step(gradient)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_killed_run_leaves_complete_steps():
    done = subprocess.run([sys.executable, "-c", KILLED, SCRIPTS])
    same(done.returncode, -signal.SIGKILL, "killed")
    check("3" in run(PROGRAM, "trace", "info", "k.h5"), "info")
    simulate('egc.workload.trace { file = "k.h5" }', 2, 3)
    said = simulate('egc.workload.trace { file = "k.h5" }', 2, 4, fails=True)
    check("holds 3 steps, 4 were asked for" in said, said)


def test_long_names_and_many_dimensions():
    model = nn.Sequential()
    model.add_module("x" * 70, nn.Conv3d(2, 3, 2, bias=False))
    recorder = record_trace.Recorder(model, "n.h5")
    model(torch.ones(1, 2, 3, 3, 3)).sum().backward()
    recorder.step(1)
    recorder.close()
    with h5py.File("n.h5", "r") as f:
        same(f["layers/name"][0], b"x" * 56 + b".weight", "the end of the name")
        same(f["layers/shape"][0].tolist(), [3, 2, 2, 4], "folded")
    run(PROGRAM, "trace", "info", "n.h5")


def main():
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            test()
            print(f"ok {name}")


in_scratch(main)
