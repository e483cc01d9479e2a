"""Lanes that add up products, as many sums at a time as an adder has stages."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..bits import rotate
from ..component import ConfiguredComponent
from ..float.adder import FloatAdder
from ..float.config import FloatConfig
from ..float.multiplier import FloatMultiplier
from ..pipeline import delay
from ..replicated import replicated
from .grouping_gradient_config import GroupingGradientConfig

__all__ = ["ProductSums", "product_slot"]

# The products of a slot are the ``first`` of their sums, the ``final`` ones, or not there at all (``nothing``).
product_slot = data.StructLayout({"first": 1, "final": 1, "nothing": 1})


class ProductSums(ConfiguredComponent):
    """In each lane ``0 + gradient * weight + gradient * weight + ...``, for ``adder_depth`` sums in turn.

    ::

        banks ──> turned back ──> multiplier ──> adder ──┬──> sums, in slots
                                                  ▲      │
                                                  └──────┘

    Number format: the configuration's; products and sums are rounded, each by itself, in the order written.

    Latency: ``latency`` cycles from a slot to its sum; weights and gradients come two cycles after the slot. A slot a
    cycle.

    Parameters
    ----------
    config : GroupingGradientConfig

    Members
    -------
    slots : In, ``product_slot``
        The slot of this cycle.
    weights, gradients : in, arrays of ``banks``
        As they come from the banks, two cycles after the slot.
    turn : In(range(banks))
        With them: lane l is bank ``(turn + l) mod banks``.
    shift : In(1)
        The sums of the next slot come up.
    sums : out, array of ``banks``
        The final sums of the slot that is next.
    """

    def __init__(self, config: GroupingGradientConfig):
        sparse = config.sparse
        super().__init__(
            config,
            {
                "slots": In(product_slot),
                "weights": In(sparse.weight_width).array(sparse.banks),
                "gradients": In(sparse.weight_width).array(sparse.banks),
                "turn": In(range(sparse.banks)),
                "shift": In(1),
                "sums": Out(data.ArrayLayout(config.format.width, sparse.banks)),
            },
        )

    @property
    def latency(self):
        """Cycles from the slot of a sum to the sum."""
        return 3 + self.config.multiplier_depth + self.config.adder_depth

    def elaborate(self, platform):
        m = Module()
        config, banks = self.config, self.config.sparse.banks
        depth, width = config.adder_depth, config.format.width
        operands = {}
        for name, port in (("weight", self.weights), ("gradient", self.gradients)):
            turned = rotate(m, list(port), self.turn, name, back=True)
            operands[name] = [Signal(width, name=f"{name}_{lane}", reset_less=True) for lane in range(banks)]
            m.d.sync += [register.eq(word) for register, word in zip(operands[name], turned, strict=True)]
        to_add = self.latency - depth
        first = delay(m, self.slots.first, to_add, "first")
        nothing = delay(m, self.slots.nothing, to_add, "nothing")
        finished = Signal()
        m.d.comb += finished.eq(delay(m, self.slots.final, self.latency, "final"))
        sums = [Signal(data.ArrayLayout(width, banks), name=f"sums_{slot}") for slot in range(depth)]
        with m.If(finished | self.shift):
            m.d.sync += [early.eq(late) for early, late in zip(sums, sums[1:], strict=False)]
        multiplier = FloatConfig(format=config.format, depth=config.multiplier_depth)
        adder = FloatConfig(format=config.format, depth=depth)
        for lane in range(banks):
            m.submodules[f"multiplier_{lane}"] = product = replicated(FloatMultiplier(multiplier), name="multiplier")
            m.submodules[f"adder_{lane}"] = total = replicated(FloatAdder(adder), name="adder")
            m.d.comb += [
                product.a.eq(operands["gradient"][lane]),
                product.b.eq(operands["weight"][lane]),
                total.a.eq(Mux(first, Const(0, width), total.result)),
                total.b.eq(Mux(nothing, Const(0, width), product.result)),
            ]
            with m.If(finished):
                m.d.sync += sums[-1][lane].eq(total.result)
        m.d.comb += self.sums.eq(sums[0])
        return m
