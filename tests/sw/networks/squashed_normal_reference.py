"""Drawn actions in NumPy, binary32: the same roundings in the same order as the library in C++."""

import math

import numpy as np

from .perceptron_reference import fused

ONE, TWO, HALF = np.float32([1, 2, 0.5])
TAYLOR = [ONE / np.float32(math.factorial(power)) for power in reversed(range(8))]
INVERSE_TANGENT = [ONE / np.float32(power) for power in reversed(range(1, 17, 2))]
# ln(2) in two parts, the first one short.
HIGH = np.float32(math.floor(math.log(2) * 2**14) / 2**14)
LOW = np.float32(math.log(2) - float(HIGH))
CONSTANT = np.float32(2 * math.log(2) + math.log(2 * math.pi) / 2)


def series(factors, x):
    total = factors[0]
    for factor in factors[1:]:
        total = fused(total, x, factor)
    return total


def exponential(x):
    power = np.rint(fused(x, np.float32(1 / math.log(2)), np.float32(0)))
    rest = fused(-power, LOW, fused(-power, HIGH, x))
    return series(TAYLOR, rest) * np.ldexp(ONE, np.nan_to_num(power).astype(np.int32))


def logarithm_of_one_and(x):
    ratio = x / (TWO + x)
    return TWO * ratio * series(INVERSE_TANGENT, ratio * ratio)


class SquashedNormalReference:
    """Actions, log densities and derivatives."""

    def __init__(self, outputs, noise, bounds):
        mean, self.given = np.split(outputs, 2, 1)
        self.logarithm = self.given.clip(*np.float32(bounds))
        self.spread = exponential(self.logarithm) * noise
        before = mean + self.spread
        size = np.abs(before)
        small = exponential(np.maximum(-TWO * size, np.float32(-87)))
        self.actions = np.copysign((ONE - small) / (ONE + small), before)
        squashed, normal = TWO * (size + logarithm_of_one_and(small)), HALF * noise * noise
        self.log_density = np.zeros((len(noise), 1), np.float32)
        for column in (squashed - normal - self.logarithm - CONSTANT).T:
            self.log_density += column[:, None]

    def derivative(self, slopes, weight):
        rows, weight = len(slopes), np.float32(weight)
        actions, spread = self.actions[:rows], self.spread[:rows]
        before = slopes * (ONE - actions * actions) + TWO * weight * actions
        within = np.float32(self.given == self.logarithm)[:rows]
        return np.concatenate((before, (before * spread - weight) * within), 1)
