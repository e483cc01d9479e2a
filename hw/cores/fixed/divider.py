"""Division of unsigned integers, a bit a cycle."""

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import DividerConfig

__all__ = ["SequentialDivider"]


class SequentialDivider(ConfiguredComponent):
    """Restoring division, for what is divided once in a while.

    ``quotient = floor(numerator / denominator)``, ``remainder = numerator - quotient * denominator``.

    Number format: unsigned integers, exact. Division by zero gives a quotient of all ones.

    Latency: ``numerator_width + 1`` cycles from an accepted request to its result; the next request is accepted in the
    cycle after the result was. Back-pressure: a result waits for as long as it is not accepted.

    Parameters
    ----------
    config : DividerConfig

    Members
    -------
    requests : stream of {numerator, denominator}, in
    results : stream of {quotient, remainder}, out
    """

    def __init__(self, config: DividerConfig):
        numerator, denominator = config.numerator_width, config.denominator_width
        request = data.StructLayout({"numerator": numerator, "denominator": denominator})
        result = data.StructLayout({"quotient": numerator, "remainder": denominator})
        super().__init__(config, {"requests": In(stream.Signature(request)), "results": Out(stream.Signature(result))})

    @property
    def latency(self):
        """Cycles from a request to its result."""
        return self._config.numerator_width + 1

    def elaborate(self, platform):
        m = Module()
        steps, width = self._config.numerator_width, self._config.denominator_width
        remaining = Signal(range(steps + 1))
        denominator = Signal(width)
        # Numerator bits leave at the top while quotient bits enter at the bottom.
        bits = Signal(steps)
        remainder = Signal(width)
        trial = Signal(width + 1)
        fits = Signal()
        m.d.comb += [
            trial.eq(Cat(bits[-1], remainder)),
            fits.eq(trial >= denominator),
            self.results.payload.quotient.eq(bits),
            self.results.payload.remainder.eq(remainder),
        ]
        with m.FSM():
            with m.State("idle"):
                m.d.comb += self.requests.ready.eq(1)
                m.d.sync += [
                    bits.eq(self.requests.payload.numerator),
                    denominator.eq(self.requests.payload.denominator),
                    remainder.eq(0),
                    remaining.eq(steps - 1),
                ]
                with m.If(self.requests.valid):
                    m.next = "divide"
            with m.State("divide"):
                m.d.sync += [
                    bits.eq(Cat(fits, bits[:-1])),
                    remaining.eq(remaining - 1),
                    remainder.eq(trial),
                ]
                with m.If(fits):
                    m.d.sync += remainder.eq(trial - denominator)
                with m.If(remaining == 0):
                    m.next = "result"
            with m.State("result"):
                m.d.comb += self.results.valid.eq(1)
                with m.If(self.results.ready):
                    m.next = "idle"
        return m
