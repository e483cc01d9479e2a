"""Actions drawn from logits."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out

from ..attention.config import sequential_sum_cycles
from ..attention.softmax import Softmax
from ..checks import require_integer
from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.comparison import FloatComparator
from ..float.config import FloatConfig, FloatLaneConfig
from ..pipeline import delay
from ..stream.buffer import StreamBuffer
from ..stream.buffer_config import StreamBufferConfig
from ..stream.connect import connect_field
from ..stream.fork import StreamFork
from ..stream.held_operand import HeldOperand

__all__ = ["CategoricalSampler", "InverseTransform", "choice_layout", "draw_layout"]

# Samples whose uniform numbers wait for their probabilities: those in the softmax.
WAITING = 8


def draw_layout(config: FloatLaneConfig, count: int):
    """Operands of a draw: a uniform number in [0, 1), and how many of the actions there are, at least 1."""
    return data.StructLayout({"uniform": config.format.width, "available": range(count + 1)})


def choice_layout(config: FloatLaneConfig, count: int):
    """An action and its probability."""
    return data.StructLayout({"action": range(max(count, 2)), "probability": config.format.width})


class CategoricalSampler(ConfiguredComponent):
    """Draws an action for each sample from the softmax of its logits, by inverse transform sampling.

    The action is the first whose cumulative probability, added up from action 0 on, exceeds the uniform number; where
    rounding leaves the last sum below the number, the last one that has a probability. Actions from ``available`` on
    have none: their logits count as -infinity. Where probabilities are NaN it is action 0.

    ::

        logits -> those that are not available: -infinity -> Softmax -+-> InverseTransform -> choices
        draws ----------------^----------------------------- wait ----|---------^
                                                                      `-> probabilities, if wanted

    Number format: ``config.format``; see :class:`.Softmax`, and every sum is rounded.

    Latency: that of softmax and sums. Throughput: a sample in ``cycles``. Back-pressure: as of its parts.

    Parameters
    ----------
    config : FloatLaneConfig
    count : int
        Actions, 2 to 4096.
    probabilities : bool
        Whether they leave.

    Members
    -------
    logits : In(stream of width)
        Logits of action 0, then 1, and so on.
    draws : In(stream of ``draw_layout(config, count)``)
    choices : Out(stream of ``choice_layout(config, count)``)
    probabilities : Out(stream of width), if wanted
        Probabilities of action 0, then 1, and so on.

    Raises
    ------
    TypeError, ValueError
        ``count`` is no integer, or out of its range.

    Source
    ------
    L. Devroye, "Non-Uniform Random Variate Generation", 1986, section III.2, for discrete distributions.
    """

    def __init__(self, config: FloatLaneConfig, count: int, probabilities: bool = False):
        require_integer("Count", count, 2, 4096)
        self._count = count
        self._softmax, self._transform = Softmax(config, count), InverseTransform(config, count)
        elements = stream.Signature(config.format.width)
        members = {
            "logits": In(elements),
            "draws": In(stream.Signature(draw_layout(config, count))),
            "choices": Out(stream.Signature(choice_layout(config, count))),
        }
        if probabilities:
            members["probabilities"] = Out(elements)
        super().__init__(config, members)

    @property
    def count(self):
        """Actions."""
        return self._count

    @property
    def cycles(self):
        """Cycles of a sample, if they follow each other."""
        return max(self._softmax.cycles, self._transform.cycles)

    def elaborate(self, platform):
        m = Module()
        number_format, count = self._config.format, self._count
        m.submodules.softmax, m.submodules.transform = softmax, transform = self._softmax, self._transform
        m.submodules.draws_fork = fork = StreamFork(self.draws.payload.shape(), 2)
        m.submodules.uniforms = uniforms = StreamBuffer(number_format.width, StreamBufferConfig(depth=WAITING))
        m.submodules.with_available = both = HeldOperand(number_format.width, range(count + 1), count)
        wiring.connect(m, wiring.flipped(self.draws), fork.i)
        wiring.connect(m, wiring.flipped(self.logits), both.elements)
        connect_field(m, fork.o[0], "available", both.values)
        connect_field(m, fork.o[1], "uniform", uniforms.i)
        place = Signal(range(count))
        least = number_format.infinity | 1 << number_format.width - 1
        m.d.comb += [
            softmax.scores.valid.eq(both.o.valid),
            softmax.scores.payload.eq(Mux(place < both.o.payload.value, both.o.payload.element, least)),
            both.o.ready.eq(softmax.scores.ready),
        ]
        with m.If(both.o.valid & both.o.ready):
            m.d.sync += place.eq(Mux(place == count - 1, 0, place + 1))
        if "probabilities" in self.signature.members:
            m.submodules.probabilities_fork = shared = StreamFork(number_format.width, 2)
            wiring.connect(m, softmax.weights, shared.i)
            wiring.connect(m, shared.o[0], transform.probabilities)
            wiring.connect(m, shared.o[1], wiring.flipped(self.probabilities))
        else:
            wiring.connect(m, softmax.weights, transform.probabilities)
        wiring.connect(m, uniforms.o, transform.uniforms)
        wiring.connect(m, transform.choices, wiring.flipped(self.choices))
        return m


class InverseTransform(ConfiguredComponent):
    """Finds the first of ``count`` numbers with which their sum exceeds the sample's uniform number.

    Sums start with the first number. If no sum exceeds it, the last number above 0 is the one; a sum that is NaN counts
    as one that does.

    Number format: ``config.format``; every sum is rounded.

    Latency: ``cycles`` from the first number to the choice, valid, if they wait. Throughput: a sample in ``cycles``.
    Back-pressure: numbers wait while a sum is computed or a choice is not taken.

    Parameters
    ----------
    config : FloatLaneConfig
    count : int

    Members
    -------
    probabilities : In(stream of width)
    uniforms : In(stream of width)
    choices : Out(stream of ``choice_layout(config, count)``)
    """

    def __init__(self, config: FloatLaneConfig, count: int):
        self._count = count
        elements = stream.Signature(config.format.width)
        super().__init__(
            config,
            {
                "probabilities": In(elements),
                "uniforms": In(elements),
                "choices": Out(stream.Signature(choice_layout(config, count))),
            },
        )

    @property
    def count(self):
        """Numbers of a sample."""
        return self._count

    @property
    def cycles(self):
        """Cycles of a sample: a sum takes the adder and a cycle, its comparison one."""
        return sequential_sum_cycles(self._config, self._count) + self._count

    def elaborate(self, platform):
        m = Module()
        config, count = self._config, self._count
        shape = self.uniforms.payload.shape()
        m.submodules.adder = adder = FloatAdder(FloatConfig(format=config.format, depth=config.adder_depth))
        m.submodules.comparator = comparator = FloatComparator(FloatConfig(format=config.format, depth=0))
        index, total, number = Signal(range(count)), Signal(shape, reset_less=True), Signal(shape, reset_less=True)
        # One of the numbers has been found; it is in the sum.
        found, adding, begins, compares, complete = Signal(), Signal(), Signal(), Signal(), Signal()
        choice = Signal(self.choices.payload.shape(), reset_less=True)
        arrives = delay(m, begins, config.adder_depth, "begins", reset_less=False)
        positive = (number[:-1] != 0) & ~number[-1]
        m.d.comb += [
            adder.a.eq(total),
            adder.b.eq(self.probabilities.payload),
            adder.subtract.eq(0),
            comparator.a.eq(total),
            comparator.b.eq(self.uniforms.payload),
            self.probabilities.ready.eq(~adding & ~compares & ~complete),
            self.choices.payload.eq(choice),
            self.choices.valid.eq(complete & self.uniforms.valid),
            self.uniforms.ready.eq(complete & self.choices.ready),
        ]
        with m.If(self.probabilities.valid & self.probabilities.ready):
            m.d.sync += number.eq(self.probabilities.payload)
            with m.If(index == 0):
                m.d.sync += [total.eq(self.probabilities.payload), compares.eq(1)]
            with m.Else():
                m.d.comb += begins.eq(1)
                m.d.sync += adding.eq(1)
        with m.If(arrives):
            m.d.sync += [total.eq(adder.result), adding.eq(0), compares.eq(1)]
        with m.If(compares & self.uniforms.valid):
            exceeds = Signal()
            m.d.comb += exceeds.eq(~(comparator.less | comparator.equal))
            m.d.sync += [compares.eq(0), index.eq(index + 1)]
            with m.If(~found & (exceeds | positive | (index == 0))):
                m.d.sync += [choice.action.eq(index), choice.probability.eq(number), found.eq(exceeds)]
            with m.If(index == count - 1):
                m.d.sync += [index.eq(0), complete.eq(1)]
        with m.If(self.choices.valid & self.choices.ready):
            m.d.sync += [complete.eq(0), found.eq(0)]
        return m
