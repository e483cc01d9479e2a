"""Numbers for benches of layers."""

import numpy as np

from rewardware.sw.reference.float import host


def numbers(rng, number_format, *shape):
    """Values about 1, zeros of both signs among them."""
    values = rng.normal(0, 1, shape) * 2.0 ** rng.integers(-3, 4, shape)
    values[rng.random(shape) < 0.1] = 0
    values[rng.random(shape) < 0.05] = -0.0
    return host.from_bits(number_format, host.to_bits(number_format, values))


def pad_words(config, weights):
    """Bit patterns of weights ``(..., rows, outputs)`` as words of the memory, ``(words, units)``."""
    bits = host.to_bits(config.arithmetic.format, weights)
    filling = config.groups * config.units - config.outputs
    return np.pad(bits, (*((0, 0),) * (bits.ndim - 1), (0, filling))).reshape(config.words, config.units)


def pack_word(number_format, word):
    """The bits of a word, its first lane in the lowest bits."""
    return sum(int(bits) << number_format.width * lane for lane, bits in enumerate(word))


def parameter_shape(config):
    """The shape of a layer's weights: with several sets of parameters, a matrix for each."""
    matrix = (config.rows, config.outputs)
    return matrix if config.parameter_sets == 1 else (config.parameter_sets, *matrix)
