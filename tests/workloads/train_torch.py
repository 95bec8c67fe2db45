#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every network against PyTorch: the same parameters and examples give the same loss, gradient,
moments of the batch normalisations and, in evaluation, log-probabilities.

    train_torch.py TRAIN_DUMP

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


def conv(inputs, outputs, stride=1):
    return nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)


def softmax(channels, size, classes):
    return nn.Sequential(nn.Flatten(), nn.Linear(channels * size * size, classes))


def mlp(channels, size, classes):
    return nn.Sequential(
        nn.Flatten(), nn.Linear(channels * size * size, 256), nn.ReLU(),
        nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, classes))


def cnn(channels, size, classes):
    left = ((size - 4) // 2 - 4) // 2
    return nn.Sequential(
        nn.Conv2d(channels, 8, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 5), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(16 * left * left, 512), nn.ReLU(),
        nn.Linear(512, 128), nn.ReLU(), nn.Linear(128, classes))


def vgg(channels, size, classes):
    def group(inputs, outputs):
        return [conv(inputs, outputs), nn.BatchNorm2d(outputs), nn.ReLU()]
    left = size // 8
    return nn.Sequential(
        *group(channels, 32), nn.MaxPool2d(2), *group(32, 64), nn.MaxPool2d(2),
        *group(64, 128), *group(128, 128), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(128 * left * left, 256), nn.ReLU(), nn.Linear(256, classes))


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1, self.bn1 = conv(inputs, outputs, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.bn2 = conv(outputs, outputs), nn.BatchNorm2d(outputs)
        self.stride, self.more = stride, outputs - inputs

    def forward(self, x):
        y = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(x)))))
        skip = F.pad(x[:, :, ::self.stride, ::self.stride], (0, 0, 0, 0, 0, self.more))
        return F.relu(y + skip)


def resnet20(channels, size, classes):
    del size
    blocks = [Block(*shape) for shape in (
        (16, 16, 1), (16, 16, 1), (16, 16, 1), (16, 32, 2), (32, 32, 1), (32, 32, 1),
        (32, 64, 2), (64, 64, 1), (64, 64, 1))]
    return nn.Sequential(
        conv(channels, 16), nn.BatchNorm2d(16), nn.ReLU(), *blocks,
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes))


# The published count, for 32 x 32 images in colour and ten classes.
PUBLISHED = {"resnet20": 269722}


# A relu or a pool whose inputs round to the other side of a tie changes a gradient by up to 1 %.
# Without one, both libraries agree to rounding: each network must in one case at least.
WITH_TIE, WITHOUT_TIE = 3e-2, 1e-4


def compare(what, got, want, share):
    """The length of the difference, as a share of the length of what is wanted."""
    got, want = np.asarray(got, "f8").ravel(), np.asarray(want, "f8").ravel()
    assert got.shape == want.shape, f"{what}: {got.size} numbers, PyTorch has {want.size}"
    error = np.linalg.norm(got - want) / (np.linalg.norm(want) + 1e-30)
    assert error <= share, f"{what}: differs from PyTorch by {error:.2g} of its length"
    return error


def moments_of(model, read):
    norms = [module for module in model.modules() if isinstance(module, nn.BatchNorm2d)]
    return [part for norm in norms for part in read(norm)]


def check(dump, make, channels, size, classes, batch, folder):
    name = f"{make.__name__} {channels}x{size}x{size} by {batch}"
    path = os.path.join(folder, "dump")
    command = [dump, make.__name__, *map(str, (channels, size, classes, batch)), path]
    counts = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    n, n_moments = map(int, counts)
    data = np.fromfile(path, "f4")
    values = batch * channels * size * size
    parts = np.split(data, np.cumsum([n, values, batch, 1, n, n_moments]))
    parameters, examples, labels, loss, gradient, moments, log_probabilities = parts

    model = make(channels, size, classes)
    assert n == sum(p.numel() for p in model.parameters()), f"{name}: {n} parameters"
    if (channels, size, classes) == (3, 32, 10):
        assert n == PUBLISHED.get(make.__name__, n), f"{name}: {n} parameters"
    torch.nn.utils.vector_to_parameters(torch.from_numpy(parameters), model.parameters())
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.momentum = 1.0  # running moments are those of the last batch
    x = torch.from_numpy(examples).reshape(batch, channels, size, size)
    wanted_loss = F.cross_entropy(model(x), torch.from_numpy(labels).long())
    wanted_loss.backward()

    compare(f"{name}: loss", loss, wanted_loss.item(), 1e-5)
    place = 0
    worst = 0
    for key, parameter in model.named_parameters():
        end = place + parameter.numel()
        error = compare(f"{name}: gradient of {key}", gradient[place:end], parameter.grad, WITH_TIE)
        worst, place = max(worst, error), end
    if n_moments:
        found = moments_of(model, lambda norm: (norm.running_mean, norm.running_var))
        compare(f"{name}: moments", moments, torch.cat(found), 1e-5)
    model.eval()
    with torch.no_grad():
        wanted = F.log_softmax(model(x), 1)
    compare(f"{name}: evaluation", log_probabilities, wanted, 1e-5)
    print(f"{name}: {n} parameters, gradients differ by {worst:.1e}")
    return worst


# channels, size, classes, batch
CASES = (1, 28, 10, 8), (3, 32, 10, 32), (3, 32, 10, 3), (3, 64, 200, 5)


def main():
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        for make in (softmax, mlp, cnn, vgg, resnet20):
            best = min(check(sys.argv[1], make, *case, folder) for case in CASES)
            assert best <= WITHOUT_TIE, f"{make.__name__}: gradients differ by {best:.2g}"


if __name__ == "__main__":
    main()
