"""The child to descend to: the greatest of F scores, by comparison and look-up."""

from amaranth.hdl import Cat, Const, Module, Mux, Signal, signed, unsigned
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ..bits import choose_one_hot
from ..component import ConfiguredComponent
from ..pipeline import delay
from .selector_config import SelectorConfig, comparison_pairs, comparison_table

__all__ = ["Selector"]


class Selector(ConfiguredComponent):
    """Finds the greatest of F values; of equal ones that with the lowest index.

    The values are cut into groups of f at most, and so are the winners of the groups, until one is left: ceil(log_f F)
    levels. In a group every value is compared with every other one, C(f, 2) comparators. With ``"lookup"`` the
    results index a table of 2^C(f, 2) winners, of which f! rows can occur and the others are not cared for: what is
    built is a decision diagram that tells apart those that can. With ``"logic"`` the winner is the value that wins
    all of its comparisons.

    Latency: none, or with ``registered`` one cycle less than there are levels. Throughput: one set of values a cycle.
    There is no back-pressure.

    Parameters
    ----------
    config : SelectorConfig

    Members
    -------
    keys : in, array of F values
    index : out
        The place of the greatest.
    one_hot : out, F bits
        The same, one bit.
    greatest : out
        The value itself.

    Source
    ------
    Meng's dissertation, section 3.3.2, Fig. 3.26.
    """

    def __init__(self, config: SelectorConfig):
        shape = signed(config.width) if config.signed else unsigned(config.width)
        super().__init__(
            config,
            {
                "keys": In(data.ArrayLayout(shape, config.values)),
                "index": Out(range(config.values)),
                "one_hot": Out(config.values),
                "greatest": Out(shape),
            },
        )

    @property
    def latency(self):
        """Cycles from values to winner."""
        return len(self._config.levels) - 1 if self._config.registered else 0

    def elaborate(self, platform):
        m = Module()
        keys = [self.keys[value] for value in range(self._config.values)]
        one_hots = [Const(1, 1)] * len(keys)
        for level, sizes in enumerate(self._config.levels):
            if level and self._config.registered:
                keys = [delay(m, key, 1, f"key_{level}_{number}") for number, key in enumerate(keys)]
                one_hots = [delay(m, bits, 1, f"one_hot_{level}_{number}") for number, bits in enumerate(one_hots)]
            winners, places = [], []
            for number, size in enumerate(sizes):
                group, keys = keys[:size], keys[size:]
                inside, one_hots = one_hots[:size], one_hots[size:]
                key, wins = self._greatest(m, group, f"{level}_{number}")
                chosen = Signal(sum(map(len, inside)), name=f"chosen_{level}_{number}")
                m.d.comb += chosen.eq(Cat(Mux(wins[value], bits, 0) for value, bits in enumerate(inside)))
                winners.append(key)
                places.append(chosen)
            keys, one_hots = winners, places
        m.d.comb += [
            self.one_hot.eq(one_hots[0]),
            self.index.eq(_number(self.one_hot)),
            self.greatest.eq(keys[0]),
        ]
        return m

    def _greatest(self, m, keys, name):
        """Greatest value of a group, and one bit for which it is."""
        if len(keys) == 1:
            return keys[0], Const(1, 1)
        wins = Signal(len(keys), name=f"wins_{name}")
        index = Signal(range(len(keys)), name=f"index_{name}")
        pairs = comparison_pairs(len(keys))
        compared = Signal(len(pairs), name=f"compared_{name}")
        m.d.comb += compared.eq(Cat(keys[lower] >= keys[upper] for lower, upper in pairs))
        if self._config.comparison == "lookup":
            winner = _look_up(m, comparison_table(len(keys)), compared, name)
            m.d.comb += [index.eq(winner), wins.eq(Cat(index == value for value in range(len(keys))))]
        else:
            for value in range(len(keys)):
                results = [compared[bit] ^ (value == pair[1]) for bit, pair in enumerate(pairs) if value in pair]
                m.d.comb += wins[value].eq(Cat(results).all())
            m.d.comb += index.eq(_number(wins))
        key = Signal.like(keys[0], name=f"greatest_{name}")
        with m.Switch(index):
            for value in range(len(keys) - 1):
                with m.Case(value):
                    m.d.comb += key.eq(keys[value])
            with m.Default():
                m.d.comb += key.eq(keys[-1])
        return key, wins


def _number(one_hot):
    """Place of the one bit that is set."""
    return choose_one_hot(one_hot, range(len(one_hot)))


def _look_up(m, table, pattern, name):
    """The entry of a table whose other rows are not cared for: a reduced decision diagram over the index's bits."""
    nodes: dict[frozenset[tuple[int, int]], Signal] = {}

    def visit(rows, bits):
        for bit in bits:
            merged: dict[int, int] = {}
            if all(merged.setdefault(row & ~(1 << bit), entry) == entry for row, entry in rows.items()):
                rows, bits = merged, [other for other in bits if other != bit]
        if not bits:
            return Const(*rows.values())
        key = frozenset(rows.items())
        if key not in nodes:
            bit = bits[0]
            halves = [{row: entry for row, entry in rows.items() if row >> bit & 1 == half} for half in (0, 1)]
            low, high = (visit(half, bits[1:]) for half in halves)
            nodes[key] = Signal(range(max(table.values()) + 1), name=f"entry_{name}_{len(nodes)}")
            m.d.comb += nodes[key].eq(Mux(pattern[bit], high, low))
        return nodes[key]

    return visit(table, list(range(len(pattern))))
