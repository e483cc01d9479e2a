"""Parts that the sequencers of the engines share: constants of each layer, and delays of steps."""

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import data

from ..pipeline import delay

__all__ = ["choose_constant", "delay_step"]


def choose_constant(m: Module, index: Value, constants, name: str):
    """The constant of an index, out of several."""
    chosen = Signal(range(max(*constants, 1) + 1), name=name)
    with m.Switch(index):
        for number, constant in enumerate(constants[:-1]):
            with m.Case(number):
                m.d.comb += chosen.eq(Const(constant, chosen.shape()))
        with m.Default():
            m.d.comb += chosen.eq(Const(constants[-1], chosen.shape()))
    return chosen


def delay_step(m: Module, step, cycles: int, name: str):
    """A step as it was ``cycles`` cycles ago: its first field, ``valid``, is 0 after a reset, the others have none."""
    bits = Value.cast(step)
    valid = delay(m, bits[:1], cycles, f"{name}_valid", reset_less=False)
    return data.View(step.shape(), Cat(valid, delay(m, bits[1:], cycles, name)))
