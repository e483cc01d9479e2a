"""Small combinational helpers on bits."""

from collections.abc import Iterable, Sequence

from amaranth.hdl import Const, Module, Mux, Signal, Value

__all__ = ["choose", "choose_one_hot", "count_ones", "lowest", "or_tree", "rotate"]


def choose(index: Value, values: Sequence[Value]) -> Value:
    """``values[index]``, for an index below their number: a tree of multiplexers, the highest bit's last."""
    if len(values) == 1:
        return values[0]
    bit = (len(values) - 1).bit_length() - 1
    return Mux(index[bit], choose(index, values[1 << bit :]), choose(index, values[: 1 << bit]))


def choose_one_hot(bits: Iterable[Value], values: Iterable) -> Value:
    """The value whose bit is 1, among values of one width; 0 if no bit is. A value without a bit is never chosen."""
    return or_tree([Mux(bit, value, 0) for bit, value in zip(bits, values, strict=False)])


def or_tree(values: Iterable[Value]) -> Value:
    """The OR of all values, bit by bit; 0 if there are none. A shorter value counts with zeros above it.

    A balanced tree: Yosys leaves a chain of ORs as long as it is.
    """
    level = [Value.cast(value) for value in values]
    while len(level) > 1:
        pairs = [one | other for one, other in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(pairs) * 2 :]
    return level[0] if level else Const(0)


def lowest(m: Module, bits: Value, name: str) -> Signal:
    """Index of the lowest bit that is set; 0 if none is. A tree: halves that are empty are passed over."""
    level = [(bit, Const(0, 0)) for bit in _named(m, bits, name)]
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


def count_ones(m: Module, bits: Value, name: str) -> Signal:
    """How many bits are set, by a balanced tree of adders."""
    level = list(_named(m, bits, name))
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


def rotate(m: Module, words, distance: Value, name: str, *, back: bool = False) -> list[Signal]:
    """Words moved up by ``distance``, around the end: word j becomes element ``(j + distance) mod len(words)``.

    A stage of multiplexers for each bit of ``distance``, which is below the number of words.

    Parameters
    ----------
    m : Module
    words : list of Value
        All have one shape.
    distance : Value
        Unsigned.
    name : str
        Prefix of the signals.
    back : bool
        Moved down instead: element j is word ``(j + distance) mod len(words)``.
    """
    count = len(words)
    for bit in range((count - 1).bit_length()):
        step = (1 << bit) if back else -(1 << bit)
        stage = [Signal.like(word, name=f"{name}_{bit}_{number}") for number, word in enumerate(words)]
        m.d.comb += [word.eq(Mux(distance[bit], words[(j + step) % count], words[j])) for j, word in enumerate(stage)]
        words = stage
    return words


def _named(m, bits, name):
    """Bits as a signal: a bit of an expression would be the whole expression again in the Verilog text."""
    signal = Signal(len(bits), name=f"{name}_bits")
    m.d.comb += signal.eq(bits)
    return signal
