"""Pieces that the fixed-latency pipelines of this room share."""

from amaranth.hdl import Const, Module, Mux, Signal, Value, signed

from .config import WORD_WIDTH

__all__ = ["delay", "saturate_word"]


def delay(m: Module, value: Value, cycles: int, name: str):
    """``value`` as it was ``cycles`` cycles ago; registers without reset."""
    for cycle in range(cycles):
        register = Signal(value.shape(), name=f"{name}_delayed_{cycle + 1}", reset_less=True)
        m.d.sync += register.eq(value)
        value = register
    return value


def saturate_word(m: Module, value: Value, name: str):
    """``(word, saturated)``: the signed ``value`` clamped to 32 bits, and whether that changed it."""
    word = Signal(signed(WORD_WIDTH), name=f"{name}_word")
    saturated = Signal(name=f"{name}_saturated")
    negative = value[-1]
    overflow = value[WORD_WIDTH - 1 :] != Mux(negative, Const(-1, len(value) - WORD_WIDTH + 1), 0)
    limit = Mux(negative, Const(-1 << (WORD_WIDTH - 1), signed(WORD_WIDTH)), Const((1 << 31) - 1, signed(WORD_WIDTH)))
    m.d.comb += [
        saturated.eq(overflow),
        word.eq(Mux(saturated, limit, value[:WORD_WIDTH].as_signed())),
    ]
    return word, saturated
