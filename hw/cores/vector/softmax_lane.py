"""One lane of the softmax unit."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

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

__all__ = ["SoftmaxLane"]


class SoftmaxLane(wiring.Component):
    """The arithmetic of a softmax and of a draw for one vector of each block; the unit says when it is what.

    * ``number`` and ``slot`` say what comes in, one number a cycle, the blocks in turn;
    * ``seek``: the block's maximum takes the number; ``begin`` forgets what it was;
    * ``power``: e to the number less the maximum leaves at ``result`` and is added to the block's sum;
    * ``invert``: the reciprocal of the block's sum is kept for the block;
    * ``scale``: the number times the reciprocal leaves at ``result`` and is added to the block's sum; if the sum is not
      above the block's ``uniform`` number and ``count`` is set, the block's choice goes up by one.

    ``begin`` with ``power`` and ``scale`` starts the sum at +0 and the choice at 0.

    Number format: the configuration's; every operation is rounded.

    Latency: ``power_latency`` and ``scale_latency`` cycles to ``result``; ``sum_latency`` more until sum and choice are
    there; ``invert_latency`` cycles for a reciprocal; a number of a block comes at least ``slots`` cycles after the one
    before. No back-pressure.

    Parameters
    ----------
    config : SoftmaxConfig

    Members
    -------
    number : In(width)
    slot : In(range(blocks))
    seek, power, invert, scale, begin, count : In(1)
    uniform : In(11).array(blocks)
        Divided by 2048.
    result : Out(width)
    choice : Out(range(choices)).array(blocks)

    Source
    ------
    IC3Net's heads; LearningGroup, section IV.
    """

    def __init__(self, config: SoftmaxConfig):
        self._config = config
        self._exponential = FloatExponential(FloatFunctionConfig(format=config.format))
        self._reciprocal = FloatReciprocal(FloatFunctionConfig(format=config.format))
        width = config.format.width
        super().__init__(
            {
                "number": In(width),
                "slot": In(range(max(config.blocks, 2))),
                "seek": In(1),
                "power": In(1),
                "invert": In(1),
                "scale": In(1),
                "begin": In(1),
                "count": In(1),
                "uniform": In(UNIFORM_BITS).array(config.blocks),
                "result": Out(width),
                "choice": Out(range(config.choices)).array(config.blocks),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def power_latency(self):
        """Cycles from ``power`` to ``result``."""
        return self._config.adder_depth + self._exponential.latency

    @property
    def scale_latency(self):
        """Cycles from ``scale`` to ``result``."""
        return self._config.multiplier_depth

    @property
    def invert_latency(self):
        """Cycles from ``invert`` until the reciprocal can be used."""
        return self._reciprocal.latency + 1

    @property
    def sum_latency(self):
        """Cycles from ``result`` until sum and choice are there."""
        return self._config.adder_depth + 1

    def elaborate(self, platform):
        m = Module()
        config = self._config
        width, blocks = config.format.width, range(config.blocks)
        unit = FloatConfig(format=config.format, depth=config.adder_depth)
        maxima, sums, reciprocals = (
            [Signal(width, name=f"{name}_{block}", reset_less=True) for block in blocks]
            for name in ("maximum", "sum", "reciprocal")
        )

        def of_block(values, slot, name):
            value = Signal(width, name=name)
            with m.Switch(slot):
                for block in blocks:
                    with m.Case(block):
                        m.d.comb += value.eq(values[block])
            return value

        m.submodules.comparator = comparator = FloatComparator(FloatConfig(format=config.format, depth=0))
        maximum = of_block(maxima, self.slot, "maximum_here")
        m.d.comb += [comparator.a.eq(self.number), comparator.b.eq(maximum)]
        for block in blocks:
            with m.If(self.seek & (self.slot == block)):
                m.d.sync += maxima[block].eq(Mux(self.begin, self.number, comparator.maximum))

        # Powers
        m.submodules.difference = difference = FloatAdder(unit)
        m.submodules.exponential = exponential = self._exponential
        m.d.comb += [
            difference.a.eq(self.number),
            difference.b.eq(maximum),
            difference.subtract.eq(1),
            exponential.a.eq(difference.result),
        ]

        # Reciprocals
        m.submodules.reciprocal = reciprocal = self._reciprocal
        m.d.comb += reciprocal.a.eq(of_block(sums, self.slot, "sum_to_invert"))
        inverted = delay(m, self.invert, reciprocal.latency, "invert")
        inverted_slot = delay(m, self.slot, reciprocal.latency, "invert_slot")
        for block in blocks:
            with m.If(inverted & (inverted_slot == block)):
                m.d.sync += reciprocals[block].eq(reciprocal.result)

        # Probabilities
        m.submodules.multiplier = multiplier = FloatMultiplier(
            FloatConfig(format=config.format, depth=config.multiplier_depth)
        )
        m.d.comb += [
            multiplier.a.eq(self.number),
            multiplier.b.eq(of_block(reciprocals, self.slot, "reciprocal_here")),
        ]

        # Powers and probabilities never leave in the same cycle: a phase ends before the next begins.
        powers, scales = self.power_latency, self.scale_latency
        power = delay(m, self.power, powers, "power")
        scale = delay(m, self.scale, scales, "scale")
        slot = Signal.like(self.slot)
        begin, count = Signal(), Signal()
        m.d.comb += [
            self.result.eq(Mux(power, exponential.result, multiplier.result)),
            slot.eq(Mux(power, delay(m, self.slot, powers, "power_slot"), delay(m, self.slot, scales, "scale_slot"))),
            begin.eq(
                Mux(power, delay(m, self.begin, powers, "power_begin"), delay(m, self.begin, scales, "scale_begin"))
            ),
            count.eq(scale & delay(m, self.count, scales, "count")),
        ]

        # Sums
        m.submodules.adder = adder = FloatAdder(unit)
        depth = config.adder_depth
        m.d.comb += [
            adder.a.eq(Mux(begin, 0, of_block(sums, slot, "sum_here"))),
            adder.b.eq(self.result),
            adder.subtract.eq(0),
        ]
        summed = delay(m, power | scale, depth, "summed")
        summed_slot = delay(m, slot, depth, "summed_slot")
        summed_begin = delay(m, begin & scale, depth, "summed_begin")
        counted = delay(m, count, depth, "counted")
        m.submodules.conversion = conversion = FixedToFloat(
            FloatFixedConfig(format=config.format, width=UNIFORM_BITS, fraction=UNIFORM_BITS, signed=False, depth=0)
        )
        m.submodules.threshold = threshold = FloatComparator(FloatConfig(format=config.format, depth=0))
        with m.Switch(summed_slot):
            for block in blocks:
                with m.Case(block):
                    m.d.comb += conversion.word.eq(self.uniform[block])
        passed = Signal()
        m.d.comb += [
            threshold.a.eq(adder.result),
            threshold.b.eq(conversion.result),
            passed.eq(counted & (threshold.less | threshold.equal)),
        ]
        for block in blocks:
            with m.If(summed & (summed_slot == block)):
                m.d.sync += sums[block].eq(adder.result)
                m.d.sync += self.choice[block].eq(Mux(summed_begin, 0, self.choice[block]) + passed)
        return m
