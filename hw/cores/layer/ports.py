"""Memory ports of a layer's parameters: by words, and one by one."""

from amaranth.hdl import Mux
from amaranth.lib import data

from ..memory.ports import ReadPort, WritePort
from .config import LayerConfig

__all__ = ["next_set", "parameter_read", "parameter_write", "word_layout", "word_read", "word_write"]


def word_layout(config: LayerConfig):
    """A word: one parameter for each of ``units`` outputs."""
    return data.ArrayLayout(config.arithmetic.format.width, config.units)


def word_read(config: LayerConfig):
    """A port where words are read."""
    return ReadPort(word_layout(config), config.words)


def word_write(config: LayerConfig):
    """A port where words are written, each parameter with an enable of its own."""
    return WritePort(word_layout(config), config.words, lanes=config.units)


def parameter_read(config: LayerConfig):
    """A port where single parameters are read, the lane in the lowest bits of the address."""
    return ReadPort(config.arithmetic.format.width, config.places)


def parameter_write(config: LayerConfig):
    """A port where single parameters are written."""
    return WritePort(config.arithmetic.format.width, config.places)


def next_set(config: LayerConfig, base):
    """The address of the set of parameters after the one at ``base``, that of the first after the last."""
    return Mux(base == config.words - config.set_words, 0, base + config.set_words)
