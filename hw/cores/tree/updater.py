"""Value of an edge and its factor of exploration, from its visits and rewards."""

from amaranth.hdl import Cat, Const, Module, Signal, signed
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..fixed.arithmetic import saturate
from ..pipeline import delay
from .config import (
    FACTOR_WIDTH,
    PRIOR_WIDTH,
    REWARD_FRACTION,
    SCORE_FRACTION,
    TOTAL_WIDTH,
    VALUE_WIDTH,
    VISIT_WIDTH,
    TreeConfig,
)
from .count_table import CountTable
from .functions import (
    RECIPROCAL_FRACTION,
    RECIPROCAL_ROOT_FRACTION,
    reciprocal_root_table,
    reciprocal_table,
)

__all__ = ["Updater"]

# Cycles until a count is looked up.
LOOKED_UP = 6
# The narrower factor of a product that one multiplier of UltraScale+ takes, without the sign.
HALF_WIDTH = 17
# Bits of a value before it is rounded: one below its unit, one for a carry out of range.
UNROUNDED_WIDTH = VALUE_WIDTH + 2


class Updater(ConfiguredComponent):
    """Computes V = W / N and, of UCT r = 1 / sqrt(N), of PUCT r = P / (1 + N).

    With ``N = 2**e * m``: ``V = (W * reciprocal(m) + 2**(e + 13)) >> (e + 14)``, saturated to 20 bits;
    ``r = root >> (e // 2 + 1)``, root the table's for 2 m where e is odd, or with ``1 + N = 2**e * m``
    ``r = (P * reciprocal(m)) >> (18 + e)``. Shifts round down; formats and errors of the tables are in docs/mcts.md.

    Latency: 11 cycles (normalisation 2, tables 4, product 2, shift 2, rounding 1); one edge a cycle. No back-pressure.

    Parameters
    ----------
    config : TreeConfig
        The policy counts.

    Members
    -------
    visits : In(16)
        N, at least 1.
    total : In(signed(32))
        W, from ``-2**15 * visits`` to ``2**15 * visits``: what so many rewards can sum up to.
    prior : In(16)
        P, there in PUCT only.
    value : Out(signed(20))
        V.
    factor : Out(17)
        r.
    """

    LATENCY = 11

    def __init__(self, config: TreeConfig):
        prior = {} if config.policy == "uct" else {"prior": In(PRIOR_WIDTH)}
        super().__init__(
            config,
            {
                "visits": In(VISIT_WIDTH),
                "total": In(signed(TOTAL_WIDTH)),
                **prior,
                "value": Out(signed(VALUE_WIDTH)),
                "factor": Out(FACTOR_WIDTH),
            },
        )

    @property
    def latency(self):
        """Cycles from visits to value and factor."""
        return self.LATENCY

    def elaborate(self, platform):
        m = Module()
        reciprocal, exponent = self._look_up(m, "reciprocal", reciprocal_table(), self.visits)
        self._value(m, reciprocal, exponent)
        if self._config.policy == "uct":
            root, exponent = self._look_up(m, "root", reciprocal_root_table(), self.visits)
            factor = Signal(FACTOR_WIDTH, name="shifted_root", reset_less=True)
            m.d.sync += factor.eq(root >> exponent[1:] + (RECIPROCAL_ROOT_FRACTION - SCORE_FRACTION))
            done = LOOKED_UP + 1
        else:
            following = Signal(VISIT_WIDTH + 1)
            m.d.comb += following.eq(self.visits + 1)
            reciprocal, exponent = self._look_up(m, "following", reciprocal_table(), following)
            product = Signal(PRIOR_WIDTH + len(reciprocal), reset_less=True)
            factor = Signal(FACTOR_WIDTH, name="shifted_product", reset_less=True)
            m.d.sync += [
                product.eq(reciprocal * delay(m, self.prior, LOOKED_UP, "prior")),
                factor.eq(product[RECIPROCAL_FRACTION:] >> delay(m, exponent, 1, "factor_exponent")),
            ]
            done = LOOKED_UP + 2
        m.d.comb += self.factor.eq(delay(m, factor, self.latency - done, "factor"))
        return m

    def _look_up(self, m, name, table, count):
        """A function of a count, and the count's exponent."""
        m.submodules[name] = looked_up = CountTable(table, len(count))
        m.d.comb += looked_up.count.eq(count)
        return looked_up.result, looked_up.exponent

    def _value(self, m, reciprocal, exponent):
        total = delay(m, self.total, LOOKED_UP, "total")
        low, high = (Signal(signed(size), name=name, reset_less=True) for name, size in (("low", 37), ("high", 35)))
        product = Signal(signed(TOTAL_WIDTH + len(reciprocal)), reset_less=True)
        m.d.sync += [
            low.eq(total[:HALF_WIDTH] * reciprocal),
            high.eq(total[HALF_WIDTH:].as_signed() * reciprocal),
            product.eq((high << HALF_WIDTH) + low),
        ]
        # One bit below the unit is kept for rounding. Bits above those a value can have are not shifted down.
        exponent = delay(m, exponent, 2, "value_exponent")
        cut = Signal(signed(UNROUNDED_WIDTH + 15))
        partly = Signal(signed(UNROUNDED_WIDTH + 3), reset_less=True)
        unrounded = Signal(signed(UNROUNDED_WIDTH), reset_less=True)
        rounded = Signal(signed(UNROUNDED_WIDTH))
        value = Signal(signed(VALUE_WIDTH), reset_less=True)
        m.d.comb += [
            cut.eq(product >> REWARD_FRACTION + RECIPROCAL_FRACTION - SCORE_FRACTION - 1),
            rounded.eq((unrounded + 1) >> 1),
        ]
        m.d.sync += [
            partly.eq(cut >> Cat(Const(0, 2), exponent[2:])),
            unrounded.eq(partly >> delay(m, exponent[:2], 1, "low_exponent")),
            value.eq(saturate(rounded, VALUE_WIDTH)[0]),
        ]
        m.d.comb += self.value.eq(value)
        return value
