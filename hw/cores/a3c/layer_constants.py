"""Constants of each layer, which the sequencers of the engines share."""

from amaranth.hdl import Const, Module, Signal, Value

__all__ = ["choose_constant"]


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
