"""One lane of the softmax unit."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.comparison import FloatComparator
from ..float.config import FloatConfig, FloatFixedConfig
from ..float.conversion import FixedToFloat
from ..float.functions.config import FloatFunctionConfig
from ..float.functions.exponential import FloatExponential
from ..float.functions.reciprocal import FloatReciprocal
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay
from ..random.xorshift import UNIFORM_BITS
from .softmax_config import SoftmaxConfig
from .softmax_layouts import softmax_order_layout

__all__ = ["SoftmaxLane"]


class SoftmaxLane(ConfiguredComponent):
    """The arithmetic of a softmax and of a draw for one vector of each block; the unit says when it is what.

    ::

        max         number ──> maximum of the block
        exp         number - maximum ──> exp ──────────────┬──> result
                                                           └──> sum of the block
        reciprocal  sum of the block ──> 1 / x ──> reciprocal of the block
        normalise   number * reciprocal ──> probability ───┬──> result
                                                           └──> sum of the block ──> compared with the uniform number

    ``order`` says what is done with ``number``, one number a cycle, the blocks in turn. ``begin`` forgets the maximum
    and starts the sum at +0 and the choice at 0. With ``normalise`` and ``count``, the block's choice goes up by one if
    the sum is not above the block's ``uniform`` number.

    Number format: the configuration's; every operation is rounded.

    Latency: ``exp_latency`` and ``normalise_latency`` cycles to ``result``; ``sum_latency`` more until sum and choice
    are there; ``reciprocal_latency`` cycles for a reciprocal; a number of a block comes at least ``slots`` cycles after
    the one before. No back-pressure.

    Parameters
    ----------
    config : SoftmaxConfig

    Members
    -------
    number : In(width)
    order : In(softmax_order_layout(config))
    uniform : In(ArrayLayout(11, blocks))
        Divided by 2048.
    result : Out(width)
    choice : Out(ArrayLayout(range(choices), blocks))

    Source
    ------
    IC3Net's heads; LearningGroup, section IV.
    """

    def __init__(self, config: SoftmaxConfig):
        self._exponential = FloatExponential(FloatFunctionConfig(format=config.format))
        self._reciprocal = FloatReciprocal(FloatFunctionConfig(format=config.format))
        super().__init__(
            config,
            {
                "number": In(config.format.width),
                "order": In(softmax_order_layout(config)),
                "uniform": In(data.ArrayLayout(UNIFORM_BITS, config.blocks)),
                "result": Out(config.format.width),
                "choice": Out(data.ArrayLayout(range(config.choices), config.blocks)),
            },
        )

    @property
    def exp_latency(self):
        """Cycles from ``exp`` to ``result``."""
        return self._config.adder_depth + self._exponential.latency

    @property
    def normalise_latency(self):
        """Cycles from ``normalise`` to ``result``."""
        return self._config.multiplier_depth

    @property
    def reciprocal_latency(self):
        """Cycles from ``reciprocal`` until the reciprocal can be used."""
        return self._reciprocal.latency + 1

    @property
    def sum_latency(self):
        """Cycles from ``result`` until sum and choice are there."""
        return self._config.adder_depth + 1

    def elaborate(self, platform):
        m = Module()
        config, order = self._config, self.order
        of_blocks = data.ArrayLayout(config.format.width, config.blocks)
        sums = Signal(of_blocks, reset_less=True)
        exponential = self._exponentiate(m, self._maximum(m, Signal(of_blocks, name="maxima", reset_less=True)))
        probability = self._normalise(m, sums, Signal(of_blocks, name="reciprocals", reset_less=True))

        # Exponentials and probabilities never leave in the same cycle: a phase ends before the next begins.
        leaving, normalised = Signal(order.shape()), delay(m, order, self.normalise_latency, "normalised")
        exponentiated = delay(m, order, self.exp_latency, "exponentiated")
        m.d.comb += [
            leaving.eq(Mux(exponentiated.exp, exponentiated.as_value(), normalised.as_value())),
            leaving.exp.eq(exponentiated.exp),
            leaving.normalise.eq(normalised.normalise),
            self.result.eq(Mux(exponentiated.exp, exponential, probability)),
        ]
        self._add_up(m, leaving, sums)
        return m

    def _maximum(self, m, maxima):
        """The block's maximum, which takes the number in its phase."""
        m.submodules.comparator = comparator = FloatComparator(FloatConfig(format=self._config.format, depth=0))
        maximum = Signal(self._config.format.width)
        m.d.comb += [
            maximum.eq(maxima[self.order.slot]),
            comparator.a.eq(self.number),
            comparator.b.eq(maximum),
        ]
        with m.If(self.order.max):
            m.d.sync += maxima[self.order.slot].eq(Mux(self.order.begin, self.number, comparator.maximum))
        return maximum

    def _exponentiate(self, m, maximum):
        config = FloatConfig(format=self._config.format, depth=self._config.adder_depth)
        m.submodules.difference = difference = FloatAdder(config)
        m.submodules.exponential = exponential = self._exponential
        m.d.comb += [
            difference.a.eq(self.number),
            difference.b.eq(maximum),
            difference.subtract.eq(1),
            exponential.a.eq(difference.result),
        ]
        return exponential.result

    def _normalise(self, m, sums, reciprocals):
        """The number times the reciprocal of the block's sum."""
        config, order = self._config, self.order
        m.submodules.reciprocal = reciprocal = self._reciprocal
        m.submodules.multiplier = multiplier = FloatMultiplier(
            FloatConfig(format=config.format, depth=config.multiplier_depth)
        )
        ready = delay(m, order.reciprocal, reciprocal.latency, "reciprocal")
        slot = delay(m, order.slot, reciprocal.latency, "reciprocal_slot")
        with m.If(ready):
            m.d.sync += reciprocals[slot].eq(reciprocal.result)
        m.d.comb += [
            reciprocal.a.eq(sums[order.slot]),
            multiplier.a.eq(self.number),
            multiplier.b.eq(reciprocals[order.slot]),
        ]
        return multiplier.result

    def _add_up(self, m, leaving, sums):
        """Sums of what leaves, and the choice, which counts the sums that the uniform number has passed."""
        number_format, depth = self._config.format, self._config.adder_depth
        m.submodules.adder = adder = FloatAdder(FloatConfig(format=number_format, depth=depth))
        m.submodules.conversion = conversion = FixedToFloat(
            FloatFixedConfig(format=number_format, width=UNIFORM_BITS, fraction=UNIFORM_BITS, signed=False, depth=1)
        )
        m.submodules.threshold = threshold = FloatComparator(FloatConfig(format=number_format, depth=0))
        # The uniform number is converted while the sum is formed.
        nearly_summed = delay(m, leaving, depth - 1, "nearly_summed")
        summed, passed = delay(m, nearly_summed, 1, "summed"), Signal()
        m.d.comb += [
            adder.a.eq(Mux(leaving.begin, 0, sums[leaving.slot])),
            adder.b.eq(self.result),
            adder.subtract.eq(0),
            conversion.word.eq(self.uniform[nearly_summed.slot]),
            threshold.a.eq(adder.result),
            threshold.b.eq(conversion.result),
            passed.eq(summed.normalise & summed.count & (threshold.less | threshold.equal)),
        ]
        choice = Signal.like(self.choice[0])
        m.d.comb += choice.eq(Mux(summed.begin & summed.normalise, 0, self.choice[summed.slot]))
        with m.If(summed.exp | summed.normalise):
            m.d.sync += [sums[summed.slot].eq(adder.result), self.choice[summed.slot].eq(choice + passed)]
