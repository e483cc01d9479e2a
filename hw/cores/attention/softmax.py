"""Scores of the other agents to weights."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.comparison import FloatComparator
from ..float.config import FloatConfig
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.exponential import FloatExponential
from ..float.functions.reciprocal import FloatReciprocal
from ..float.multiplier import FloatMultiplier
from ..float.nonfinite import is_nonfinite
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.fork import StreamFork
from ..stream.held_operand import HeldOperand
from ..stream.pipeline import StreamPipeline
from ..stream.pipeline_config import StreamPipelineConfig
from .config import AttentionConfig
from .sequential_sum import SequentialSum

__all__ = ["AttentionSoftmax"]


class AttentionSoftmax(ConfiguredComponent):
    """Makes weights of the scores of the other agents, one sample, an agent's head, after the other::

        s_j = score_j * scale;  e_j = exp(s_j - the largest s);  w_j = e_j * reciprocal((e_0 + e_1) + ...)

    ::

        scores -> * scale -+-> wait --------.
                           `-> largest -> - exp -+-> wait ---------------------> * -> weights
                                                 `-> SequentialSum -> reciprocal '

    Number format: ``config.arithmetic.format``; every operation is rounded. The largest is IEEE 754-2019's ``maximum``:
    NaN if a score is NaN. No difference is above 0, so exp does not overflow; a score of infinity makes NaN of its
    difference with itself, and so of all weights.

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
        self._sum = SequentialSum(config.arithmetic, config.others)

    @property
    def cycles(self):
        """Cycles of a sample, if they follow each other: those of the sum."""
        return self._sum.cycles

    def elaborate(self, platform):
        m = Module()
        scaled, largest = self._find_largest(m, self._scale(m))
        powers = self._exponentiate(m, scaled, largest)
        m.submodules.powers_fork = fork = StreamFork(self.weights.payload.shape(), 2)
        wiring.connect(m, powers, fork.i)
        self._weigh(m, self._wait(m, "powers", fork.o[0]), self._invert_sum(m, fork.o[1]))
        return m

    def _wait(self, m, name, elements):
        """Two samples wait."""
        depth = StreamBufferConfig(depth=2 * self._config.others + 2)
        m.submodules[f"{name}_waiting"] = buffer = StreamBuffer(elements.payload.shape(), depth)
        wiring.connect(m, elements, buffer.i)
        return buffer.o

    def _pipeline(self, m, name, latency):
        """Results of units of fixed latency."""
        m.submodules[name] = pipeline = StreamPipeline(
            self.weights.payload.shape(), StreamPipelineConfig(latency=latency)
        )
        return pipeline

    def _multiplier(self, m, name):
        arithmetic = self._config.arithmetic
        m.submodules[name] = unit = FloatMultiplier(
            FloatConfig(format=arithmetic.format, depth=arithmetic.multiplier_depth)
        )
        return unit

    def _scale(self, m):
        number_format = self._config.arithmetic.format
        multiplier = self._multiplier(m, "scaling")
        products = self._pipeline(m, "scaled", multiplier.latency)
        m.d.comb += [
            multiplier.a.eq(self.scores.payload),
            multiplier.b.eq(Const(number_format.nearest(self._config.scale), number_format.width)),
            self.scores.ready.eq(products.ready),
            products.begin.eq(self.scores.valid & products.ready),
            products.result.eq(multiplier.result),
        ]
        return products.o

    def _find_largest(self, m, scaled):
        """Scaled scores, and the largest of each sample."""
        config = self._config
        shape = scaled.payload.shape()
        m.submodules.comparator = comparator = FloatComparator(FloatConfig(format=config.arithmetic.format, depth=0))
        m.submodules.scores_waiting = waiting = StreamBuffer(shape, StreamBufferConfig(depth=2 * config.others + 2))
        m.submodules.largest_waiting = largest = StreamBuffer(shape, StreamBufferConfig(depth=2))
        index, before = Signal(range(max(config.others, 2))), Signal(shape, reset_less=True)
        last, moves = Signal(), Signal()
        m.d.comb += [
            last.eq(index == config.others - 1),
            moves.eq(scaled.valid & waiting.i.ready & (largest.i.ready | ~last)),
            scaled.ready.eq(waiting.i.ready & (largest.i.ready | ~last)),
            comparator.a.eq(Mux(index == 0, scaled.payload, before)),
            comparator.b.eq(scaled.payload),
            waiting.i.valid.eq(moves),
            waiting.i.payload.eq(scaled.payload),
            largest.i.valid.eq(moves & last),
            largest.i.payload.eq(comparator.maximum),
        ]
        with m.If(moves):
            m.d.sync += [index.eq(Mux(last, 0, index + 1)), before.eq(comparator.maximum)]
        return waiting.o, largest.o

    def _held(self, m, name, elements, values):
        """Elements, each with the value of its sample."""
        shape = elements.payload.shape()
        m.submodules[name] = held = HeldOperand(shape, shape, self._config.others)
        wiring.connect(m, elements, held.elements)
        wiring.connect(m, values, held.values)
        return held.o

    def _exponentiate(self, m, scaled, largest):
        arithmetic = self._config.arithmetic
        both = self._held(m, "scores_and_largest", scaled, largest)
        m.submodules.subtractor = subtractor = FloatAdder(
            FloatConfig(format=arithmetic.format, depth=arithmetic.adder_depth)
        )
        m.submodules.exponential = exponential = FloatExponential(FloatFunctionConfig(format=arithmetic.format))
        powers = self._pipeline(m, "powers", subtractor.latency + exponential.latency)
        m.d.comb += [
            subtractor.a.eq(both.payload.element),
            subtractor.b.eq(both.payload.value),
            subtractor.subtract.eq(1),
            exponential.a.eq(subtractor.result),
            both.ready.eq(powers.ready),
            powers.begin.eq(both.valid & powers.ready),
            powers.result.eq(exponential.result),
        ]
        return powers.o

    def _invert_sum(self, m, powers):
        m.submodules.sum = total = self._sum
        m.submodules.reciprocal = reciprocal = FloatReciprocal(
            FloatFunctionConfig(format=self._config.arithmetic.format)
        )
        factors = self._pipeline(m, "factors", reciprocal.latency)
        wiring.connect(m, powers, total.i)
        m.d.comb += [
            reciprocal.a.eq(total.o.payload),
            total.o.ready.eq(factors.ready),
            factors.begin.eq(total.o.valid & factors.ready),
            factors.result.eq(reciprocal.result),
        ]
        return factors.o

    def _weigh(self, m, powers, factors):
        number_format = self._config.arithmetic.format
        both = self._held(m, "powers_and_factor", powers, factors)
        multiplier = self._multiplier(m, "weighing")
        weights = self._pipeline(m, "products", multiplier.latency)
        m.d.comb += [
            multiplier.a.eq(both.payload.element),
            multiplier.b.eq(both.payload.value),
            both.ready.eq(weights.ready),
            weights.begin.eq(both.valid & weights.ready),
            weights.result.eq(multiplier.result),
            self.errors.nonfinite.eq(weights.done & is_nonfinite(number_format, multiplier.result)),
        ]
        wiring.connect(m, weights.o, wiring.flipped(self.weights))
