"""Small combinational helpers: counts of bits, places of blocks, small multiples."""

from amaranth.hdl import Module, Signal, Value

__all__ = ["place_of_block", "times"]


def place_of_block(m: Module, config, block: Value, name: str):
    """``(core, block of that core)`` of a block of comparators."""
    core = Signal(range(max(config.cores, 2)), name=f"{name}_core")
    inner = Signal(range(max(config.core_blocks, 2)), name=f"{name}_inner")
    m.d.comb += inner.eq(block)
    for number in range(1, config.cores):
        with m.If(block >= number * config.core_blocks):
            m.d.comb += [core.eq(number), inner.eq(block - number * config.core_blocks)]
    return core, inner


def times(value: Value, factor: int) -> Value:
    """A small multiple, by additions: no multiplier is spent on it."""
    return Value.cast(sum(value << bit for bit in range(factor.bit_length()) if factor >> bit & 1))
