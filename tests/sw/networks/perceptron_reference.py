"""Passes of perceptrons and Adam's steps in NumPy, binary32: the same sums in the same order as the library in C++."""

import numpy as np

from rewardware.hw.cores.float.config import BINARY32
from rewardware.sw.reference.float import arithmetic
from rewardware.sw.reference.float.host import from_bits, to_bits

BETA1, BETA2, EPSILON = (np.float32(value) for value in (0.9, 0.999, 1e-8))
ONE = np.float32(1)


def fused(a, b, c):
    """``a * b + c``, rounded once."""
    bits = (to_bits(BINARY32, np.asarray(value, np.float32)) for value in (a, b, c))
    return from_bits(BINARY32, arithmetic.fused_multiply_add(BINARY32, *bits))


def product(left, right):
    """Each number is one sum from 0 on, in the order of the inner index."""
    sums = np.zeros((len(left), right.shape[1]), np.float32)
    for column, row in zip(left.T, right, strict=True):
        sums = fused(column[:, None], row, sums)
    return sums


def layers_of(vector, sizes):
    """Weights (inputs x outputs) and biases of each layer in a vector of all."""
    vector, found = np.asarray(vector), []
    for inputs, outputs in zip(sizes[:-1], sizes[1:], strict=True):
        weights, biases, vector = np.split(vector, [inputs * outputs, (inputs + 1) * outputs])
        found.append((weights.reshape(inputs, outputs), biases))
    return found


def forward(layers, inputs):
    """The inputs of each layer, and after them the outputs."""
    kept = [inputs]
    for number, (weights, biases) in enumerate(layers, 1):
        sums = product(kept[-1], weights) + biases
        kept.append(np.where(sums < 0, np.float32(0), sums) if number < len(layers) else sums)
    return kept


def backward(layers, kept, derivative):
    """Gradients of the parameters, in one vector, and the derivative by the inputs."""
    gradients, skipped = [], (derivative == 0).all(1)
    for number in reversed(range(len(layers))):
        biases = np.zeros(derivative.shape[1], np.float32)
        for row in derivative:
            biases = biases + row
        gradients = [product(kept[number].T, derivative).reshape(-1), biases, *gradients]
        derivative = product(derivative, layers[number][0].T)
        if number:
            derivative = np.where(kept[number] <= 0, np.float32(0), derivative)
    return np.concatenate(gradients), np.where(skipped[:, None], np.float32(0), derivative)


class AdamReference:
    """Steps on a vector."""

    def __init__(self, count):
        self.first, self.second = np.zeros((2, count), np.float32)
        self.steps = 0

    def advance(self, parameters, gradients, learning_rate):
        """The parameters after a step."""
        self.steps += 1
        # The bias corrections of both moments, in double precision.
        rate = np.float32(learning_rate / (1 - 0.9**self.steps))
        scale = np.float32(1 / np.sqrt(1 - 0.999**self.steps))
        self.first = fused(ONE - BETA1, gradients - self.first, self.first)
        self.second = fused(BETA2, self.second, (ONE - BETA2) * gradients * gradients)
        return parameters - rate * self.first / fused(np.sqrt(self.second), scale, EPSILON)
