"""Networks that close up, spread out and turn the words of a row of lanes."""

from amaranth.hdl import Const, Module, Mux, Signal, Value

from ..bits import count_ones

__all__ = ["close_up", "spread_out"]


def _distances(m: Module, mask: Value, name: str):
    """For each lane how many masked lanes are below it."""
    for lane in range(len(mask)):
        yield count_ones(m, ~mask[:lane], f"{name}_{lane}") if lane else Const(0, 1)


def close_up(m: Module, words, mask: Value, name: str):
    """Element j is the word of the j-th lane of ``mask``; what is after the last one means nothing.

    Every word moves down by the masked lanes below it, by powers of two from the lowest up: no two ever meet, as the
    lanes of the mask keep their order and their distances never grow.
    """
    lanes = len(words)
    present = list(mask)
    distances = list(_distances(m, mask, f"{name}_distance"))
    for bit in range((lanes - 1).bit_length()):
        step = 1 << bit
        moved_words, moved_present, moved_distances = [], [], []
        for lane in range(lanes):
            comes = Signal(name=f"{name}_comes_{bit}_{lane}")
            stays = Signal(name=f"{name}_stays_{bit}_{lane}")
            word = Signal(words[lane].shape(), name=f"{name}_word_{bit}_{lane}")
            there = Signal(name=f"{name}_there_{bit}_{lane}")
            distance = Signal(range(lanes), name=f"{name}_distance_{bit}_{lane}")
            source = lane + step
            m.d.comb += stays.eq(present[lane] & ~_bit(distances[lane], bit))
            if source < lanes:
                m.d.comb += [
                    comes.eq(present[source] & _bit(distances[source], bit)),
                    word.eq(Mux(comes, words[source], words[lane])),
                    distance.eq(Mux(comes, distances[source], distances[lane])),
                ]
            else:
                m.d.comb += [word.eq(words[lane]), distance.eq(distances[lane])]
            m.d.comb += there.eq(comes | stays)
            moved_words.append(word)
            moved_present.append(there)
            moved_distances.append(distance)
        words, present, distances = moved_words, moved_present, moved_distances
    return words


def spread_out(m: Module, words, mask: Value, name: str):
    """The word of the j-th lane of ``mask`` is element j; other lanes mean nothing. The inverse of :func:`close_up`.

    The moves of ``close_up`` in reverse order; where a word is to go at each stage follows from the mask alone.
    """
    lanes = len(words)
    present = list(mask)
    distances = list(_distances(m, mask, f"{name}_distance"))
    moves = []
    for bit in range((lanes - 1).bit_length()):
        step = 1 << bit
        comes, there, after = [], [], []
        for lane in range(lanes):
            source = lane + step
            moving = Signal(name=f"{name}_moves_{bit}_{lane}")
            found = Signal(name=f"{name}_there_{bit}_{lane}")
            distance = Signal(range(lanes), name=f"{name}_distance_{bit}_{lane}")
            if source < lanes:
                m.d.comb += [
                    moving.eq(present[source] & _bit(distances[source], bit)),
                    distance.eq(Mux(moving, distances[source], distances[lane])),
                ]
            else:
                m.d.comb += distance.eq(distances[lane])
            m.d.comb += found.eq(moving | (present[lane] & ~_bit(distances[lane], bit)))
            comes.append(moving)
            there.append(found)
            after.append(distance)
        moves.append(comes)
        present, distances = there, after
    for bit in reversed(range(len(moves))):
        step = 1 << bit
        spread = []
        for lane in range(lanes):
            word = Signal(words[lane].shape(), name=f"{name}_word_{bit}_{lane}")
            back = lane - step
            m.d.comb += word.eq(Mux(moves[bit][back], words[back], words[lane]) if back >= 0 else words[lane])
            spread.append(word)
        words = spread
    return words


def _bit(value: Value, bit: int) -> Value:
    return value[bit] if bit < len(value) else Const(0, 1)
