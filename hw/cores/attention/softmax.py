"""Scores to weights: softmax of a sample's numbers, and of the scores of the other agents."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..checks import require_integer
from ..component import ConfiguredComponent
from ..float.comparison import FloatComparator
from ..float.config import FloatConfig, FloatLaneConfig
from ..float.expression import Number
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.exponential import FloatExponential
from ..float.functions.reciprocal import FloatReciprocal
from ..float.nonfinite import is_nonfinite
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.fork import StreamFork
from ..stream.held_operand import HeldOperand
from .config import AttentionConfig
from .sequential_sum import SequentialSum
from .stream_expression import stream_expression

__all__ = ["AttentionSoftmax", "Softmax"]


class Softmax(ConfiguredComponent):
    """Makes weights of scores, one sample of ``count`` after the other::

        e_j = exp(score_j - the largest score);  w_j = e_j * reciprocal((e_0 + e_1) + ...)

    ::

        scores -+-> wait --------.
                `-> largest -> - exp -+-> wait ---------------------> * -> weights
                                      `-> SequentialSum -> reciprocal '

    Number format: ``config.format``; every operation is rounded. The largest is IEEE 754-2019's ``maximum``: NaN if a
    score is NaN. No difference is above 0, so exp does not overflow; a largest score of infinity makes NaN of its
    difference with itself, and so of all weights. A score of -infinity below a larger one has the weight +0.

    Latency: that of the operations. Throughput: a sample in ``cycles``. Back-pressure: two samples wait at each place.

    Parameters
    ----------
    config : FloatLaneConfig
    count : int
        Scores of a sample, at least 1.

    Members
    -------
    scores : In(stream of width)
    weights : Out(stream of width)
    errors : Out
        ``nonfinite``: a weight is infinite or NaN.

    Raises
    ------
    TypeError, ValueError
        ``count`` is no integer, or out of its range.
    """

    def __init__(self, config: FloatLaneConfig, count: int):
        require_integer("Count", count, 1)
        elements = stream.Signature(config.format.width)
        super().__init__(
            config,
            {
                "scores": In(elements),
                "weights": Out(elements),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            },
        )
        self._count = count
        self._sum = SequentialSum(config, count)

    @property
    def count(self):
        """Scores of a sample."""
        return self._count

    @property
    def cycles(self):
        """Cycles of a sample, if they follow each other: those of the sum."""
        return self._sum.cycles

    def elaborate(self, platform):
        m = Module()
        shape = self.weights.payload.shape()
        waiting, largest = self._find_largest(m, self.scores)
        powers = self._apply(m, "powers", self._held(m, "scores_and_largest", waiting, largest), self._exponentiate)
        m.submodules.powers_fork = fork = StreamFork(shape, 2)
        m.submodules.powers_waiting = kept = StreamBuffer(shape, self._two_samples)
        m.submodules.sum = total = self._sum
        wiring.connect(m, powers.o, fork.i)
        wiring.connect(m, fork.o[0], kept.i)
        wiring.connect(m, fork.o[1], total.i)
        factors = self._apply(m, "factors", total.o, self._invert)
        weights = self._apply(m, "products", self._held(m, "powers_and_factor", kept.o, factors.o), self._weigh)
        wiring.connect(m, weights.o, wiring.flipped(self.weights))
        nonfinite = is_nonfinite(self._config.format, weights.result)
        m.d.comb += self.errors.nonfinite.eq(weights.done & nonfinite)
        return m

    @property
    def _two_samples(self):
        return StreamBufferConfig(depth=2 * self._count + 2)

    def _apply(self, m, name, operands, compute):
        return stream_expression(m, name, self._config, operands, compute)

    def _exponentiate(self, expression, both):
        difference = expression.subtract("difference", Number(both.element, 0), Number(both.value, 0))
        unit = FloatExponential(FloatFunctionConfig(format=self._config.format))
        return expression.apply("exponential", unit, difference)

    def _invert(self, expression, total):
        unit = FloatReciprocal(FloatFunctionConfig(format=self._config.format))
        return expression.apply("reciprocal", unit, Number(total, 0))

    def _weigh(self, expression, both):
        return expression.multiply("weighing", Number(both.element, 0), Number(both.value, 0))

    def _held(self, m, name, elements, values):
        """Elements, each with the value of its sample."""
        shape = elements.payload.shape()
        m.submodules[name] = held = HeldOperand(shape, shape, self._count)
        wiring.connect(m, elements, held.elements)
        wiring.connect(m, values, held.values)
        return held.o

    def _find_largest(self, m, scores):
        """Scores, and the largest of each sample."""
        config = self._config
        shape = scores.payload.shape()
        m.submodules.comparator = comparator = FloatComparator(FloatConfig(format=config.format, depth=0))
        m.submodules.scores_waiting = waiting = StreamBuffer(shape, self._two_samples)
        m.submodules.largest_waiting = largest = StreamBuffer(shape, StreamBufferConfig(depth=2))
        index, before = Signal(range(max(self._count, 2))), Signal(shape, reset_less=True)
        last, moves = Signal(), Signal()
        m.d.comb += [
            last.eq(index == self._count - 1),
            scores.ready.eq(waiting.i.ready & (largest.i.ready | ~last)),
            moves.eq(scores.valid & scores.ready),
            comparator.a.eq(Mux(index == 0, scores.payload, before)),
            comparator.b.eq(scores.payload),
            waiting.i.valid.eq(moves),
            waiting.i.payload.eq(scores.payload),
            largest.i.valid.eq(moves & last),
            largest.i.payload.eq(comparator.maximum),
        ]
        with m.If(moves):
            m.d.sync += [index.eq(Mux(last, 0, index + 1)), before.eq(comparator.maximum)]
        return waiting.o, largest.o


class AttentionSoftmax(ConfiguredComponent):
    """Makes weights of the scores of the other agents, one sample, an agent's head, after the other::

        weights = softmax(score_0 * scale, score_1 * scale, ...)

    Number format: ``config.arithmetic.format``; for the order of operations, and for scores that are not finite, see
    :class:`.Softmax`.

    Latency: that of the operations. Throughput: a sample in ``cycles``. Back-pressure: two samples wait at each place.

    Parameters
    ----------
    config : AttentionConfig

    Members
    -------
    scores : In(stream of width)
        ``agents - 1`` of a sample.
    weights : Out(stream of width)
    errors : Out
        ``nonfinite``: a weight is infinite or NaN.

    Source
    ------
    Wiggins et al., equation 2; the largest score is subtracted as usual, which changes no weight but for rounding.
    """

    def __init__(self, config: AttentionConfig):
        elements = stream.Signature(config.arithmetic.format.width)
        super().__init__(
            config,
            {
                "scores": In(elements),
                "weights": Out(elements),
                "errors": Out(data.StructLayout({"nonfinite": 1})),
            },
        )
        self._softmax = Softmax(config.arithmetic, config.others)

    @property
    def cycles(self):
        """Cycles of a sample, if they follow each other: those of the softmax."""
        return self._softmax.cycles

    def elaborate(self, platform):
        m = Module()
        m.submodules.softmax = softmax = self._softmax
        scaled = stream_expression(m, "scaled", self._config.arithmetic, self.scores, self._scale)
        wiring.connect(m, scaled.o, softmax.scores)
        wiring.connect(m, softmax.weights, wiring.flipped(self.weights))
        m.d.comb += self.errors.eq(softmax.errors)
        return m

    def _scale(self, expression, score):
        scale = Const(self._config.scale_bits, len(score))
        return expression.multiply("scaling", Number(score, 0), scale)
