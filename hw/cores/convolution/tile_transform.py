"""A linear transform of tiles: of their lines, then of their columns."""

from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from .block_transposition import BlockTransposition
from .linear_transform import LinearTransform
from .transform_config import LinearTransformConfig, TranspositionConfig

__all__ = ["TileTransform"]


class TileTransform(wiring.Component):
    """``matrix @ tile @ matrix.T`` for each lane: a pixel's channels are a vector, a tile's pixels come line by line.

    Results leave column by column.

    Latency: with n inputs and m results an axis, n + m + 1 cycles from a tile's last vector to its first result.
    Throughput: a vector a cycle. Back-pressure: that of ``o``.

    Parameters
    ----------
    first, second : LinearTransformConfig
        Transforms of a tile's lines, and of the columns of what comes of them: ``first.following(matrix)``.

    Members
    -------
    i : stream of vectors, as of :class:`.LinearTransform`
    o : stream of vectors
    """

    def __init__(self, first: LinearTransformConfig, second: LinearTransformConfig):
        self._first, self._second = LinearTransform(first), LinearTransform(second)
        self._configs = first, second
        super().__init__({"i": In(self._first.i.signature.flip()), "o": Out(self._second.o.signature)})

    def elaborate(self, platform):
        m = Module()
        first, second = self._configs
        turned = TranspositionConfig(lines=second.inputs, columns=first.outputs)
        m.submodules.first, m.submodules.second = self._first, self._second
        m.submodules.turned = turned = BlockTransposition(self._first.o.payload.shape(), turned)
        wiring.connect(m, wiring.flipped(self.i), self._first.i)
        wiring.connect(m, self._first.o, turned.i)
        wiring.connect(m, turned.o, self._second.i)
        wiring.connect(m, self._second.o, wiring.flipped(self.o))
        return m
