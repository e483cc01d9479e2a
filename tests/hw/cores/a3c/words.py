"""Parameters, activations and errors as words of the agents' memories, and random ones."""

import numpy as np

from rewardware.sw.reference.a3c.network import LayerParameters
from rewardware.sw.reference.float import host
from tests.hw.cores.float.operands import extremes
from tests.hw.cores.layer.stimulus import numbers


def pack_rows(config, numbers_of):
    """Rows (..., numbers) of bit patterns as words (..., words, width), filled up with +0."""
    numbers_of = np.asarray(numbers_of)
    filling = -numbers_of.shape[-1] % config.width
    padded = np.pad(numbers_of, (*((0, 0),) * (numbers_of.ndim - 1), (0, filling)))
    return padded.reshape(*numbers_of.shape[:-1], -1, config.width)


def pack_parameters(config, parameters):
    """Bit patterns of a network's parameters (values, or bits already) as words (words, width)."""
    words = []
    for layer in parameters:
        words.append(pack_rows(config, bits_of(config, layer.weights)).reshape(-1, config.width))
        words.append(pack_rows(config, bits_of(config, layer.biases)))
    return np.concatenate(words)


def bits_of(config, values):
    """Bit patterns of values; integers are some already."""
    values = np.asarray(values)
    return values if values.dtype.kind == "i" else host.to_bits(config.arithmetic.format, values)


def random_parameters(config, random):
    """Values of all layers."""
    number_format = config.arithmetic.format
    return [
        LayerParameters(
            numbers(random, number_format, layer.outputs, layer.inputs), numbers(random, number_format, layer.outputs)
        )
        for layer in config.layers
    ]


def with_corners(config, random, values, share=0.02):
    """Values of which a share are corner values: zeros, subnormals, infinities, NaN and more."""
    corners = host.from_bits(config.arithmetic.format, extremes(config.arithmetic.format))
    return np.where(random.random(values.shape) < share, random.choice(corners, values.shape), values)


def value_of(config, word):
    """A word's numbers as one integer, the first in the lowest bits."""
    return sum(int(bits) << config.arithmetic.format.width * lane for lane, bits in enumerate(word))


def numbers_of(config, value, count=None):
    """The numbers of an integer."""
    width = config.arithmetic.format.width
    return [value >> width * lane & (1 << width) - 1 for lane in range(config.width if count is None else count)]
