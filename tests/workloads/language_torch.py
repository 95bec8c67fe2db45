#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every network of words against PyTorch: the same parameters, words and state give the same loss,
gradient and next state.

    language_torch.py LANGUAGE_DUMP

Exits with 77, which ctest counts as skipped, where Debian's python3-torch is not installed."""
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    from torch import nn
    from torch.nn import functional as F
except ImportError as missing:
    print(f"SKIPPED: {missing}; install python3-torch and python3-numpy to compare with PyTorch")
    sys.exit(77)


class Model(nn.Module):
    """PyTorch has two biases where there is one here: the second stays zero."""

    def __init__(self, words, width, layers):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, width, layers)
        self.decoder = nn.Linear(width, words)
        for layer in range(layers):
            nn.init.zeros_(getattr(self.lstm, f"bias_hh_l{layer}"))

    def forward(self, words, state):
        output, state = self.lstm(self.embedding(words), state)
        return self.decoder(output), state

    def used(self):
        return [(name, p) for name, p in self.named_parameters() if "bias_hh" not in name]


LAYERS = {"lstm": 1, "lstm2": 2}


def compare(what, got, want):
    """The length of the difference, as a share of the length of what is wanted."""
    got, want = np.asarray(got, "f8").ravel(), np.asarray(want, "f8").ravel()
    assert got.shape == want.shape, f"{what}: {got.size} numbers, PyTorch has {want.size}"
    error = np.linalg.norm(got - want) / (np.linalg.norm(want) + 1e-30)
    assert error <= 1e-5, f"{what}: differs from PyTorch by {error:.2g} of its length"
    return error


def check(dump, net, words, width, streams, steps, folder):
    name = f"{net} of {words} words, {width} wide, {steps} steps of {streams}"
    path = os.path.join(folder, "dump")
    command = [dump, net, *map(str, (words, width, streams, steps)), path]
    counts = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    n, n_state = map(int, counts)
    batch = streams * steps
    places = np.cumsum([n, batch, batch, n_state, 1, n])
    parts = np.split(np.fromfile(path, "f4"), places)
    parameters, inputs, labels, state, loss, gradient, next_state = parts

    model = Model(words, width, LAYERS[net])
    used = model.used()
    assert n == sum(p.numel() for _, p in used), f"{name}: {n} parameters"
    torch.nn.utils.vector_to_parameters(torch.from_numpy(parameters), [p for _, p in used])
    # For each layer: output, cell.
    start = torch.from_numpy(state).reshape(LAYERS[net], 2, streams, width)
    x = torch.from_numpy(inputs).long().reshape(steps, streams)
    logits, (output, cell) = model(x, (start[:, 0].contiguous(), start[:, 1].contiguous()))
    wanted = F.cross_entropy(logits.reshape(batch, words), torch.from_numpy(labels).long())
    wanted.backward()

    compare(f"{name}: loss", loss, wanted.item())
    compare(f"{name}: state", next_state, torch.stack((output, cell), 1).detach())
    place = worst = 0
    for key, parameter in used:
        end = place + parameter.numel()
        error = compare(f"{name}: gradient of {key}", gradient[place:end], parameter.grad)
        worst, place = max(worst, error), end
    print(f"{name}: {n} parameters, gradients differ by {worst:.1e}")


# words, width, streams, steps
CASES = (11, 6, 3, 4), (300, 32, 8, 35), (50, 200, 20, 7), (20, 17, 1, 1)


def main():
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        for net in LAYERS:
            for case in CASES:
                check(sys.argv[1], net, *case, folder)


main()
