"""Small combinational helpers on bits."""

from amaranth.hdl import Const, Module, Mux, Signal, Value

__all__ = ["lowest"]


def lowest(m: Module, bits: Value, name: str) -> Signal:
    """Index of the lowest bit that is set; 0 if none is. A tree: halves that are empty are passed over."""
    level = [(bits[index], Const(0, 0)) for index in range(len(bits))]
    depth = 0
    while len(level) > 1:
        pairs = []
        for number in range(0, len(level) - 1, 2):
            (low_any, low_index), (high_any, high_index) = level[number : number + 2]
            some = Signal(name=f"{name}_any_{depth}_{number}")
            index = Signal(depth + 1, name=f"{name}_index_{depth}_{number}")
            m.d.comb += [
                some.eq(low_any | high_any),
                index.eq(Mux(low_any, low_index, high_index | 1 << depth)),
            ]
            pairs.append((some, index))
        if len(level) % 2:
            pairs.append(level[-1])
        level = pairs
        depth += 1
    result = Signal(max(depth, 1), name=name)
    m.d.comb += result.eq(level[0][1])
    return result
