"""The division that ends Winograd's algorithm, of numbers that are multiples of the divisor."""

from amaranth.hdl import Module, Signal, signed
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .quotient_config import QuotientConfig

__all__ = ["ExactQuotient"]


class ExactQuotient(ConfiguredComponent):
    """``dividend / divisor``, where nothing remains, by a few additions.

    The power of two is a shift. The inverse of ``1 + z``, ``z = 2**k``, modulo a power of two is ``(1 - z) (1 + z**2)
    (1 + z**4) ...``, a shift and an addition each. So only the lower bits of a dividend need be right: sums may have
    wrapped, as long as the quotient fits.

    The result means nothing for other dividends.

    Latency: ``latency`` cycles, one for each addition: none for F(2, 3), 4 for F(4, 3) with 32 bits. Throughput: a
    quotient a cycle. No back-pressure.

    Parameters
    ----------
    config : QuotientConfig

    Members
    -------
    dividend : In(signed(width))
    quotient : Out(signed(result_width))
    """

    def __init__(self, config: QuotientConfig):
        super().__init__(config, {"dividend": In(signed(config.width)), "quotient": Out(signed(config.result_width))})

    @property
    def latency(self):
        """Cycles from a dividend to its quotient."""
        return len(self._config.steps)

    def elaborate(self, platform):
        m = Module()
        shape = signed(self._config.result_width)
        value = Signal(shape)
        m.d.comb += value.eq(self.dividend >> self._config.shift)
        for number, step in enumerate(self._config.steps):
            following = Signal(shape, name=f"product_{number}", reset_less=True)
            m.d.sync += following.eq(value + (value << step) if number else value - (value << step))
            value = following
        m.d.comb += self.quotient.eq(value)
        return m
