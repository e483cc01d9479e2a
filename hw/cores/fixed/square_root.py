"""Integer square root, a bit of the root a cycle."""

from amaranth.hdl import Cat, Const, Module, Signal, signed
from amaranth.lib import stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from .config import SquareRootConfig

__all__ = ["SequentialSquareRoot"]


class SequentialSquareRoot(ConfiguredComponent):
    """Digit by digit square root, for what is needed once in a while.

    ``root = floor(sqrt(radicand))``.

    Number format: unsigned integers, exact.

    Latency: ``width / 2 + 1`` cycles from an accepted request to its result; the next request is accepted in the cycle
    after the result was. Back-pressure: a result waits for as long as it is not accepted.

    Parameters
    ----------
    config : SquareRootConfig

    Members
    -------
    requests : stream of width bits, in
        The radicand.
    results : stream of width / 2 bits, out
        The root.
    """

    def __init__(self, config: SquareRootConfig):
        super().__init__(
            config,
            {"requests": In(stream.Signature(config.width)), "results": Out(stream.Signature(config.width // 2))},
        )

    @property
    def latency(self):
        """Cycles from a request to its result."""
        return self._config.width // 2 + 1

    def elaborate(self, platform):
        m = Module()
        width, steps = self._config.width, self._config.width // 2
        remaining = Signal(range(steps))
        radicand = Signal(width)
        root = Signal(steps)
        # At most twice the root, before two more bits of the radicand enter.
        remainder = Signal(steps + 1)
        trial = Signal(signed(steps + 4))
        fits = Signal()
        m.d.comb += [
            # (2 root + 1)^2 = 4 root^2 + (4 root + 1): is there room for another one?
            trial.eq(Cat(radicand[-2:], remainder) - Cat(Const(1, 2), root)),
            fits.eq(trial >= 0),
            self.results.payload.eq(root),
        ]
        with m.FSM():
            with m.State("idle"):
                m.d.comb += self.requests.ready.eq(1)
                m.d.sync += [radicand.eq(self.requests.payload), root.eq(0), remainder.eq(0), remaining.eq(steps - 1)]
                with m.If(self.requests.valid):
                    m.next = "extract"
            with m.State("extract"):
                m.d.sync += [
                    radicand.eq(radicand << 2),
                    root.eq(Cat(fits, root)),
                    remainder.eq(Cat(radicand[-2:], remainder)),
                    remaining.eq(remaining - 1),
                ]
                with m.If(fits):
                    m.d.sync += remainder.eq(trial)
                with m.If(remaining == 0):
                    m.next = "result"
            with m.State("result"):
                m.d.comb += self.results.valid.eq(1)
                with m.If(self.results.ready):
                    m.next = "idle"
        return m
