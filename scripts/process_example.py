#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A PyTorch model that trains inside the simulated cluster:

    workload = egc.workload.process { command = "python3 scripts/process_example.py" }

To train another model, replace `network` and `data`. Needs Debian's python3-torch.
"""
import egc_process  # first: it reserves standard output

import torch
from torch import nn
from torch.nn import functional as F

BATCH, CLASSES, SIDE, TEST = 32, 4, 8, 512


def network():
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(8 * (SIDE // 2) ** 2, CLASSES))


def data(count, seed):
    """Noise with a bright bar; its position and direction are the class."""
    generator = torch.Generator().manual_seed(seed)
    images = torch.randn(count, 1, SIDE, SIDE, generator=generator)
    labels = torch.randint(0, CLASSES, (count,), generator=generator)
    for k in range(CLASSES):
        at = 2 + 3 * (k % 2)
        rows, columns = (at, slice(None)) if k < 2 else (slice(None), at)
        images[labels == k, 0, rows, columns] += 1
    return images, labels


class Model:
    name = "bars"
    lr, momentum, schedule = 0.05, 0.9, "cosine"

    def __init__(self, run):
        torch.set_num_threads(1)
        torch.manual_seed(run.seed % 2**63)
        self.run = run
        self.net = network()
        self.parameters = list(self.net.parameters())
        self.layers = [(name, tuple(p.shape)) for name, p in self.net.named_parameters()]
        self.test = data(TEST, seed=12345)

    def initialize(self):
        return self.flat(self.parameters)

    @staticmethod
    def flat(tensors):
        return torch.cat([t.detach().reshape(-1) for t in tensors]).numpy()

    def load(self, parameters):
        flat = torch.tensor(parameters)
        sizes = [p.numel() for p in self.parameters]
        with torch.no_grad():
            for p, values in zip(self.parameters, flat.split(sizes)):
                p.copy_(values.view_as(p))

    def gradient(self, step, worker, parameters):
        self.load(parameters)
        images, labels = data(BATCH, seed=((self.run.seed * 1000003 + step) * self.run.workers + worker) % 2**63)
        loss = F.cross_entropy(self.net(images), labels)
        return loss.item(), self.flat(torch.autograd.grad(loss, self.parameters))

    def evaluate(self, parameters):
        self.load(parameters)
        images, labels = self.test
        with torch.no_grad():
            scores = self.net(images)
        accuracy = (scores.argmax(1) == labels).float().mean().item()
        return F.cross_entropy(scores, labels).item(), accuracy, None


if __name__ == "__main__":
    egc_process.serve(Model)
