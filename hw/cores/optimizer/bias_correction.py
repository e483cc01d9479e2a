"""Step size with Adam's bias correction."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..fixed.config import DividerConfig, SquareRootConfig
from ..fixed.divider import SequentialDivider
from ..fixed.square_root import SequentialSquareRoot

__all__ = ["BiasCorrection"]

RATE_FRACTION = 20
ONE = 1 << 32
# The radicand is at most 2^64, whose root has 33 bits; the numerator is less than 2^64.
ROOT = SquareRootConfig(width=66)
QUOTIENT = DividerConfig(numerator_width=64, denominator_width=33)


class BiasCorrection(wiring.Component):
    """Running powers of the two decay rates, and the step size that follows from them.

    ::

        p1 = (p1 * (2^20 - c1)) >> 20                                      (the same for p2 and c2)
        alpha = min(learning_rate * isqrt((2^32 - p2) << 32) div (2^32 - p1), 2^32 - 1)

    Number format: powers with 32 fraction bits, from 2^32 before the first step; floors throughout. With a rate so
    small that p1 stays 2^32, alpha is 2^32 - 1. Setting a power does not change alpha until the next start.

    Latency: ``latency`` cycles from ``start`` to ``done``; one step at a time. The powers of each network and its last
    ``alpha`` survive a reset of the domain.

    Members
    -------
    start : In(1)
        Advances the powers of ``network``.
    network : In(1)
    done : Out(1)
        Pulses when ``alpha`` is valid.
    learning_rate : In(32)
    first_moment_rate, second_moment_rate : In(21)
    alpha : Out(32)
        Of ``network``.
    powers : Out(33).array(4)
        p1 and p2 of network 0, then of network 1.
    set_enable : In(1)
        Sets power ``set_select`` to ``set_value``.
    set_select : In(2)
    set_value : In(33)

    Source
    ------
    FIXAR, section III; D. P. Kingma, J. Ba, "Adam", ICLR 2015, section 2 (the efficient order of computation).
    """

    start: In(1)
    network: In(1)
    done: Out(1)
    learning_rate: In(32)
    first_moment_rate: In(21)
    second_moment_rate: In(21)
    alpha: Out(32)
    powers: Out(33).array(4)
    set_enable: In(1)
    set_select: In(2)
    set_value: In(33)

    @property
    def latency(self):
        """Cycles from start to done."""
        return ROOT.width // 2 + QUOTIENT.numerator_width + 8

    def elaborate(self, platform):
        m = Module()
        powers = [Signal(33, init=ONE, name=f"power_{number}", reset_less=True) for number in range(4)]
        alphas = [Signal(32, name=f"alpha_{number}", reset_less=True) for number in range(2)]
        m.d.comb += [self.powers[number].eq(powers[number]) for number in range(4)]
        m.d.comb += self.alpha.eq(Mux(self.network, alphas[1], alphas[0]))

        first = Signal(33)
        second = Signal(33)
        m.d.comb += [
            first.eq(Mux(self.network, powers[2], powers[0])),
            second.eq(Mux(self.network, powers[3], powers[1])),
        ]
        first_next = Signal(33)
        second_next = Signal(33)
        first_decay = Signal(21)
        second_decay = Signal(21)
        first_before = Signal(33)
        second_before = Signal(33)
        learning_rate = Signal(32)
        size = Signal(33)
        # Registered before and behind the multipliers.
        m.d.sync += [
            first_before.eq(first),
            second_before.eq(second),
            learning_rate.eq(self.learning_rate),
            first_decay.eq((1 << RATE_FRACTION) - self.first_moment_rate),
            second_decay.eq((1 << RATE_FRACTION) - self.second_moment_rate),
            first_next.eq((first_before * first_decay) >> RATE_FRACTION),
            second_next.eq((second_before * second_decay) >> RATE_FRACTION),
        ]

        m.submodules.root = root = SequentialSquareRoot(ROOT)
        m.submodules.divider = divider = SequentialDivider(QUOTIENT)
        numerator = Signal(64)
        quotient = Signal(64)
        m.d.comb += [
            root.requests.payload.eq((ONE - second)[:33] << 32),
            root.results.ready.eq(1),
            divider.requests.payload.numerator.eq(numerator),
            divider.requests.payload.denominator.eq(ONE - first),
            divider.results.ready.eq(1),
            quotient.eq(divider.results.payload.quotient),
        ]

        with m.FSM(name="bias_correction"):
            with m.State("IDLE"):
                with m.If(self.start):
                    m.next = "MULTIPLY"
            with m.State("MULTIPLY"):
                m.next = "ADVANCE"
            with m.State("ADVANCE"):
                for network in range(2):
                    with m.If(self.network == network):
                        m.d.sync += [
                            powers[2 * network].eq(first_next),
                            powers[2 * network + 1].eq(second_next),
                        ]
                m.next = "ROOT"
            with m.State("ROOT"):
                m.d.comb += root.requests.valid.eq(1)
                with m.If(root.requests.ready):
                    m.next = "SIZE"
            with m.State("SIZE"):
                m.d.sync += size.eq(root.results.payload)
                with m.If(root.results.valid):
                    m.next = "PRODUCT"
            with m.State("PRODUCT"):
                m.d.sync += numerator.eq(learning_rate * size)
                m.next = "QUOTIENT"
            with m.State("QUOTIENT"):
                m.d.comb += divider.requests.valid.eq(1)
                with m.If(divider.requests.ready):
                    m.next = "STORE"
            with m.State("STORE"):
                for network in range(2):
                    with m.If(divider.results.valid & (self.network == network)):
                        m.d.sync += alphas[network].eq(Mux(quotient[32:].any(), Const((1 << 32) - 1), quotient[:32]))
                with m.If(divider.results.valid):
                    m.next = "DONE"
            with m.State("DONE"):
                m.d.comb += self.done.eq(1)
                m.next = "IDLE"

        with m.If(self.set_enable):
            for number in range(4):
                with m.If(self.set_select == number):
                    m.d.sync += powers[number].eq(self.set_value)
        return m
