"""Passes of perceptrons and Adam's steps in NumPy: the same sums in the same order as the library in C++.

Numbers are in binary32; factors of products are, where `factor` is `bfloat16`, rounded to that.
"""

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


def binary32(values):
    """Binary32 rounds nothing."""
    return values


def bfloat16(values):
    """The nearest number of 8 significant bits, of two the even one; subnormal numbers count as 0, of the same sign."""
    bits = to_bits(BINARY32, flushed(values)).astype(np.uint32)
    rounded = (bits + np.uint32(0x7FFF) + (bits >> 16 & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(values), np.float32(np.nan), rounded.view(np.float32))


def flushed(values):
    values = np.asarray(values, np.float32)
    return np.where(np.abs(values) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), values), values)


def product(left, right, factor=binary32):
    """Each number is one sum from 0 on, in the order of the inner index; of two products of bfloat16 in a word the
    second is added first."""
    sums = np.zeros((len(left), right.shape[1]), np.float32)
    if factor is binary32:
        for column, row in zip(left.T, right, strict=True):
            sums = fused(column[:, None], row, sums)
        return sums
    odd = left.shape[1] % 2
    columns, rows = np.pad(factor(left).T, ((0, odd), (0, 0))), np.pad(factor(right), ((0, odd), (0, 0)))
    for place in np.arange(len(rows)) ^ 1:
        sums = flushed(fused(columns[place][:, None], rows[place], sums))
    return sums


def layers_of(vector, sizes):
    """Weights (inputs x outputs) and biases of each layer in a vector of all."""
    vector, found = np.asarray(vector), []
    for inputs, outputs in zip(sizes[:-1], sizes[1:], strict=True):
        weights, biases, vector = np.split(vector, [inputs * outputs, (inputs + 1) * outputs])
        found.append((weights.reshape(inputs, outputs), biases))
    return found


def forward(layers, inputs, factor=binary32):
    """The inputs of each layer, and after them the outputs."""
    kept = [factor(inputs)]
    for number, (weights, biases) in enumerate(layers, 1):
        sums = product(kept[-1], weights, factor) + biases
        kept.append(factor(np.where(sums < 0, np.float32(0), sums)) if number < len(layers) else sums)
    return kept


def backward(layers, kept, derivative, factor=binary32):
    """Gradients of the parameters, in one vector, and the derivative by the inputs."""
    gradients, skipped = [], (derivative == 0).all(1)
    for number in reversed(range(len(layers))):
        derivative = factor(derivative)
        biases = np.zeros(derivative.shape[1], np.float32)
        each = 1 if factor is binary32 else 2
        for row in np.pad(derivative, ((0, -len(derivative) % each), (0, 0))).reshape(-1, each, len(biases)):
            # The numbers of a word first.
            biases = biases + row.sum(0, dtype=np.float32)
        gradients = [product(kept[number].T, derivative, factor).reshape(-1), biases, *gradients]
        derivative = product(derivative, layers[number][0].T, factor)
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
