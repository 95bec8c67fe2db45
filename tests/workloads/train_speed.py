#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A benchmark: images a second in training, forward and back, by one core, ours beside PyTorch's.

    cmake --build --preset release --target train-speed
    train_speed.py TRAIN_SPEED [REPEATS]

Needs Debian's python3-torch."""
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from train_torch import F, cnn, resnet20, torch, vgg

# network, channels, size, batch
CASES = (resnet20, 3, 32, 32), (resnet20, 3, 32, 128), (vgg, 3, 32, 32), (cnn, 1, 28, 32)


def torch_speed(make, channels, size, batch, repeats):
    model = make(channels, size, 10)
    x = torch.randn(batch, channels, size, size)
    y = torch.arange(batch) % 10
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        model.zero_grad()
        F.cross_entropy(model(x), y).backward()
        best = min(best, time.process_time() - start)
    return batch / best


def main():
    repeats = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    torch.set_num_threads(1)
    for make, channels, size, batch in CASES:
        name = f"{make.__name__} {channels}x{size}x{size}, batch {batch}"
        command = [sys.argv[1], make.__name__, *map(str, (channels, size, batch, repeats))]
        ours = float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        theirs = torch_speed(make, channels, size, batch, repeats)
        print(f"{name}: {ours:.0f} images/s, PyTorch {theirs:.0f}: {ours / theirs:.2f}")


main()
