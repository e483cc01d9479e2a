"""An array of multiply-accumulate units that nothing feeds but itself: what simulators of one run are scaled by."""

from typing import Any

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...hw.cores.replicated import replicated
from ...hw.cores.vector.matrix_config import VpuConfig
from ...hw.cores.vector.vpu import VectorProcessingUnit

__all__ = ["UnitArray"]


class UnitArray(wiring.Component):
    """LearningGroup's binary16 units, each of which multiplies and adds in every cycle, on numbers that always change.

    Parameters
    ----------
    units : int

    Members
    -------
    i : In(stream.Signature(32))
        Cycles to compute.
    o : Out(stream.Signature(16))
        The exclusive or of all sums, so many cycles later.
    """

    def __init__(self, units: int):
        self._units = units
        super().__init__({"i": In(stream.Signature(32)), "o": Out(stream.Signature(16))})

    def elaborate(self, platform: Any) -> Module:
        m = Module()
        left = Signal(32)
        # A shift register with feedback (x^64 + x^63 + x^61 + x^60 + 1) makes the numbers; each unit gets them late.
        state, select, word = Signal(64, init=1), Signal(2), Signal(16)
        feedback = state[63] ^ state[62] ^ state[60] ^ state[59]
        m.d.sync += [state.eq(Cat(feedback, state)), select.eq(select + 1)]
        numbers, found = state, Signal(16, name="found")
        for index in range(self._units):
            m.submodules[f"unit_{index}"] = unit = replicated(VectorProcessingUnit(VpuConfig()))
            later, total = Signal(64, name=f"numbers_{index}"), Signal(16, name=f"total_{index}")
            m.d.sync += later.eq(numbers.rotate_left(17))
            m.d.comb += [
                unit.operands.eq(numbers),
                unit.factors.eq(numbers.rotate_left(5)),
                unit.weight.eq(numbers[20:36]),
                unit.own_factors.eq(state[5]),
                unit.select.eq(select),
                unit.clear.eq(state[:3].all()),
                total.eq(found ^ unit.result),
            ]
            numbers, found = later, total
        m.d.sync += word.eq(found)
        m.d.comb += [self.i.ready.eq((left == 0) & ~self.o.valid), self.o.payload.eq(word)]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += left.eq(self.i.payload)
        with m.Elif(left != 0):
            m.d.sync += [left.eq(left - 1), self.o.valid.eq(left == 1)]
        with m.If(self.o.valid & self.o.ready):
            m.d.sync += self.o.valid.eq(0)
        return m
