"""Small combinational helpers: counts of bits, places of blocks, small multiples."""

from amaranth.hdl import Module, Signal, Value

__all__ = ["count_ones", "place_of_block", "times"]


def count_ones(m: Module, bits: Value, name: str) -> Signal:
    """How many bits are set."""
    level = [bits[index] for index in range(len(bits))]
    depth = 0
    while len(level) > 1:
        sums = []
        for number in range(0, len(level) - 1, 2):
            total = Signal(depth + 2, name=f"{name}_{depth}_{number}")
            m.d.comb += total.eq(level[number] + level[number + 1])
            sums.append(total)
        if len(level) % 2:
            sums.append(level[-1])
        level = sums
        depth += 1
    result = Signal(range(len(bits) + 1), name=name)
    m.d.comb += result.eq(level[0])
    return result


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
