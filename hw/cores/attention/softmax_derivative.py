"""Errors at the weights of attention to errors at its scores."""

from amaranth.hdl import Const, Module
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.expression import Number
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.fork import StreamFork
from ..stream.held_operand import HeldOperand
from ..stream.join import join_streams
from .config import AttentionConfig
from .sequential_sum import SequentialSum
from .stream_expression import stream_expression

__all__ = ["AttentionSoftmaxDerivative"]


class AttentionSoftmaxDerivative(ConfiguredComponent):
    """Makes errors at the scores of a sample, an agent's head, of the errors d at its weights w::

        t = (w_0 * d_0 + w_1 * d_1) + ...;  result_j = (w_j * (d_j - t)) * scale

    Number format: ``config.arithmetic.format``; every operation is rounded, the sum starts with its first product.

    Latency: that of the operations. Throughput: a sample in ``cycles``. Back-pressure: two samples wait for their sum;
    weights and errors wait for each other.

    Parameters
    ----------
    config : AttentionConfig

    Members
    -------
    weights, errors : In(stream of width)
        ``agents - 1`` of a sample each.
    results : Out(stream of width)
    """

    def __init__(self, config: AttentionConfig):
        elements = stream.Signature(config.arithmetic.format.width)
        super().__init__(config, {"weights": In(elements), "errors": In(elements), "results": Out(elements)})
        self._sum = SequentialSum(config.arithmetic, config.others)

    @property
    def cycles(self):
        """Cycles of a sample, if they follow each other: those of the sum."""
        return self._sum.cycles

    def elaborate(self, platform):
        m = Module()
        config, shape = self._config, self.results.payload.shape()
        pair = data.StructLayout({"weight": shape, "error": shape})
        m.submodules.fork = fork = StreamFork(pair, 2)
        m.submodules.pairs_waiting = waiting = StreamBuffer(pair, StreamBufferConfig(depth=2 * config.others + 2))
        m.submodules.pairs_and_sum = held = HeldOperand(pair, shape, config.others)
        wiring.connect(m, join_streams(m, "pairs", weight=self.weights, error=self.errors), fork.i)
        wiring.connect(m, fork.o[0], waiting.i)
        wiring.connect(m, waiting.o, held.elements)
        m.submodules.sum = total = self._sum
        products = stream_expression(m, "products", config.arithmetic, fork.o[1], self._product)
        wiring.connect(m, products.o, total.i)
        # The next sum is formed while one is held.
        m.submodules.sum_waiting = sums = StreamBuffer(shape, StreamBufferConfig(depth=2))
        wiring.connect(m, total.o, sums.i)
        wiring.connect(m, sums.o, held.values)
        results = stream_expression(m, "differences", config.arithmetic, held.o, self._difference)
        wiring.connect(m, results.o, wiring.flipped(self.results))
        return m

    def _product(self, expression, pair):
        return expression.multiply("product", Number(pair.weight, 0), Number(pair.error, 0))

    def _difference(self, expression, both):
        difference = expression.subtract("difference", Number(both.element.error, 0), Number(both.value, 0))
        weighted = expression.multiply("weighted", Number(both.element.weight, 0), difference)
        scale = Const(self._config.scale_bits, len(both.value))
        return expression.multiply("scaled", weighted, scale)
