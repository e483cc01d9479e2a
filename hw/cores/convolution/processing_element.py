"""The processing element of the systolic array: the unit that stands thousands of times."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..float.multiplier import FloatMultiplier
from ..replicated import replicated
from .systolic_array_config import SystolicArrayConfig

__all__ = ["SystolicProcessingElement", "column_layout", "row_layout"]


def row_layout(config: SystolicArrayConfig):
    """Layout of the signals from an element to its eastern neighbour.

    ``operand`` is that of this step, ``preload`` one of the block that is loaded. ``stationary``: the step is of a
    stationary pass; ``first`` step of a pass; ``last`` step of a non-stationary one. ``release``: the sums of the
    chain move down. ``load``: the element takes what is preloaded.
    """
    operand = signed(config.operand_width)
    return data.StructLayout(
        {"operand": operand, "preload": operand, "stationary": 1, "first": 1, "last": 1, "release": 1, "load": 1}
    )


def column_layout(config: SystolicArrayConfig):
    """Layout of the signals from an element to its southern neighbour."""
    total = signed(config.sum_width)
    return data.StructLayout({"weight": signed(config.operand_width), "sum": total, "drained": total})


class SystolicProcessingElement(ConfiguredComponent):
    """A multiplier and an adder, whose sum stays here or goes down.

    ::

                        weight  sum           drained
                           |     |               |
        operand --> [x] ---|-----|---------------|--------------> operand
                     |     v     |               |
        preload --> [ ] --[ ]--> [w] weight      |
                     |           | (*) product   |
                     v           v               v
                  waiting       (+) --> [sum] --[drained]

    A step of a non-stationary pass (NS) adds operand times the weight from the north to the element's own sum, which
    begins with ``first``. A step of a stationary pass adds operand times the stationary weight to the sum from the
    north. ``first`` of a stationary pass makes the waiting weight the stationary one, so the next can be loaded.

    The sum of an NS pass is captured when it is complete, stays until ``release``, which all elements of a drain
    chain get in one cycle, and from then on whatever comes from the north moves through, until the next is captured.

    Number format: integers, exact; a sum wraps beyond ``sum_width`` bits, which ``config.products`` products cannot
    reach. With ``config.format``, floating point: product and sum each rounded to nearest even, the first product
    being added to +0. Multiplier and adder have a register each, as those of integers, so that a sum can be added to
    in every cycle: the time of a floating-point addition limits the clock.

    Latency: 3 cycles from operands to the sum, 4 to the captured one. Throughput: a step a cycle. No back-pressure.

    Parameters
    ----------
    config : SystolicArrayConfig

    Members
    -------
    west : In(row_layout)
    east : Out(row_layout)
        ``west`` one cycle later, ``load`` two: the vector of the next column comes a cycle after this one's.
    north : In(column_layout)
    south : Out(column_layout)

    Source
    ------
    DYNAMAP, section 3.1.3, figure 3.3.
    """

    def __init__(self, config: SystolicArrayConfig):
        super().__init__(
            config,
            {
                "west": In(row_layout(config)),
                "east": Out(row_layout(config)),
                "north": In(column_layout(config)),
                "south": Out(column_layout(config)),
            },
        )

    def elaborate(self, platform):
        m = Module()
        config, west, north = self._config, self.west, self.north
        operand_shape = signed(config.operand_width)
        operand, preload, waiting, weight = (
            Signal(operand_shape, name=name, reset_less=True) for name in ("operand", "preload", "waiting", "weight")
        )
        drained = Signal(signed(config.sum_width), reset_less=True)
        # The controls of the step whose operands, whose product and whose sum are in their registers.
        stationary, first, last, multiplied_stationary, multiplied_first, multiplied_last = (
            Signal(name=name)
            for name in ("stationary", "first", "last", "multiplied_stationary", "multiplied_first", "multiplied_last")
        )
        captures, release, held, loaded = (Signal(name=name) for name in ("captures", "release", "held", "loaded"))
        load = Signal()
        m.d.sync += [
            operand.eq(west.operand),
            stationary.eq(west.stationary),
            first.eq(west.first),
            last.eq(west.last),
            multiplied_stationary.eq(stationary),
            multiplied_first.eq(first),
            multiplied_last.eq(last),
            captures.eq(multiplied_last),
            preload.eq(west.preload),
            loaded.eq(west.load),
            load.eq(loaded),
            release.eq(west.release),
            held.eq(captures | (held & ~release)),
        ]
        total = Signal(signed(config.sum_width), reset_less=True)
        before = Mux(multiplied_stationary, north.sum, Mux(multiplied_first, 0, total))
        self._multiply_and_add(m, operand, weight, before, total)
        with m.If(west.load):
            m.d.sync += waiting.eq(west.preload)
        with m.If(~west.stationary):
            m.d.sync += weight.eq(north.weight)
        with m.Elif(west.first):
            m.d.sync += weight.eq(waiting)
        with m.If(captures):
            m.d.sync += drained.eq(total)
        with m.Elif(release | ~held):
            m.d.sync += drained.eq(north.drained)
        m.d.comb += [
            self.east.operand.eq(operand),
            self.east.preload.eq(preload),
            self.east.stationary.eq(stationary),
            self.east.first.eq(first),
            self.east.last.eq(last),
            self.east.release.eq(release),
            self.east.load.eq(load),
            self.south.weight.eq(weight),
            self.south.sum.eq(total),
            self.south.drained.eq(drained),
        ]
        return m

    def _multiply_and_add(self, m, operand, weight, before, total):
        """The product, in the next cycle, and in the one after its sum with what is ``before`` then."""
        config = self._config
        if config.format is None:
            product = Signal(signed(2 * config.operand_width), reset_less=True)
            m.d.sync += [product.eq(operand * weight), total.eq(product + before)]
            return
        unit = FloatConfig(format=config.format, depth=1)
        m.submodules.multiplier = multiplier = replicated(FloatMultiplier(unit))
        m.submodules.adder = adder = replicated(FloatAdder(unit))
        m.d.comb += [
            multiplier.a.eq(operand),
            multiplier.b.eq(weight),
            adder.a.eq(before),
            adder.b.eq(multiplier.result),
            total.eq(adder.result),
        ]
