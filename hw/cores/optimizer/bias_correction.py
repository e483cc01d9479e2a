"""Step size with Adam's bias correction."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..fixed.config import DividerConfig, SquareRootConfig
from ..fixed.divider import SequentialDivider
from ..fixed.square_root import SequentialSquareRoot
from ..fixed.wide_multiplier import WideMultiplier
from .adam_ports import PowerPort
from .config import AdamConfig

__all__ = ["BiasCorrection"]

RATE_FRACTION = 20
ONE = 1 << 32
# The radicand is at most 2^64, whose root has 33 bits; the numerator is less than 2^64.
ROOT = SquareRootConfig(width=66)
QUOTIENT = DividerConfig(numerator_width=64, denominator_width=33)


class BiasCorrection(ConfiguredComponent):
    """Running powers of the two decays of each network, and the step size that follows from them.

    ::

        p1 = (p1 * (2^20 - one_minus_beta1)) >> 20                         (the same for p2 and beta2)
        step_size = min(learning_rate * isqrt((2^32 - p2) << 32) div (2^32 - p1), 2^32 - 1)

    Number format: powers with 32 fraction bits, from 2^32 before the first step; floors throughout. With a rate so
    small that p1 stays 2^32, the step size is 2^32 - 1. Setting a power does not change it until the next start.

    Latency: ``latency`` cycles from ``start`` to ``done``. Throughput: one step at a time. No back-pressure. The powers
    of each network and its last step size survive a reset of the domain.

    Parameters
    ----------
    config : AdamConfig

    Members
    -------
    start : In(1)
        Advances the powers of ``network``.
    network : In(range(networks))
    done : Out(1)
        Pulses when ``step_size`` is valid.
    learning_rate : In(32)
    one_minus_beta1, one_minus_beta2 : In(21)
    step_size : Out(32)
        The step size of ``network``.
    powers : Out(33).array(networks, 2)
        p1 and p2 of each network.
    set_power : In(PowerPort(networks))

    Source
    ------
    FIXAR, section III; D. P. Kingma, J. Ba, "Adam", ICLR 2015, section 2 (the efficient order of computation).
    """

    def __init__(self, config: AdamConfig):
        super().__init__(
            config,
            {
                "start": In(1),
                "network": In(range(max(config.networks, 2))),
                "done": Out(1),
                "learning_rate": In(32),
                "one_minus_beta1": In(21),
                "one_minus_beta2": In(21),
                "step_size": Out(32),
                "powers": Out(33).array(config.networks, 2),
                "set_power": In(PowerPort(config.networks)),
            },
        )

    @property
    def latency(self):
        """Cycles from start to done."""
        return ROOT.width // 2 + QUOTIENT.numerator_width + 2 * WideMultiplier.LATENCY + 5

    def elaborate(self, platform):
        m = Module()
        networks = range(self._config.networks)
        powers = [
            [Signal(33, init=ONE, name=f"power_{network}_{moment}", reset_less=True) for moment in range(2)]
            for network in networks
        ]
        step_sizes = [Signal(32, name=f"step_size_{network}", reset_less=True) for network in networks]
        first, second, first_next, second_next = (
            Signal(33, name=name) for name in ("first", "second", "first_next", "second_next")
        )
        with m.Switch(self.network):
            for network in networks:
                with m.Case(network):
                    m.d.comb += [
                        self.step_size.eq(step_sizes[network]),
                        first.eq(powers[network][0]),
                        second.eq(powers[network][1]),
                    ]
        advance, store, result = Signal(), Signal(), Signal(32)
        learning_rate = self._advanced(m, first, second, first_next, second_next)
        self._correct(m, first, second, learning_rate, advance, store, result)
        for network in networks:
            for moment, following in enumerate((first_next, second_next)):
                power, setting = powers[network][moment], self.set_power
                m.d.comb += self.powers[network][moment].eq(power)
                with m.If(advance & (self.network == network)):
                    m.d.sync += power.eq(following)
                with m.If(setting.enable & (setting.network == network) & (setting.moment == moment)):
                    m.d.sync += power.eq(setting.value)
            with m.If(store & (self.network == network)):
                m.d.sync += step_sizes[network].eq(result)
        return m

    def _advanced(self, m, first, second, first_next, second_next):
        """The powers one step later, late by the latency of the multipliers; the registered learning rate."""
        learning_rate = Signal(32, name="learning_rate_held")
        m.d.sync += learning_rate.eq(self.learning_rate)
        for name, power, following, one_minus_decay in (
            ("first", first, first_next, self.one_minus_beta1),
            ("second", second, second_next, self.one_minus_beta2),
        ):
            m.submodules[f"{name}_multiplier"] = multiplier = WideMultiplier(power.shape(), one_minus_decay.shape())
            m.d.comb += [
                multiplier.a.eq(power),
                multiplier.b.eq((1 << RATE_FRACTION) - one_minus_decay),
                following.eq(multiplier.product >> RATE_FRACTION),
            ]
        return learning_rate

    def _correct(self, m, first, second, learning_rate, advance, store, result):
        """The sequence from ``start`` to ``done``: advance the powers, root, product, quotient."""
        m.submodules.root = root = SequentialSquareRoot(ROOT)
        m.submodules.divider = divider = SequentialDivider(QUOTIENT)
        size = Signal(33)
        m.submodules.sizer = sizer = WideMultiplier(learning_rate.shape(), size.shape())
        quotient = Signal(64)
        m.d.comb += [
            root.requests.payload.eq((ONE - second)[:33] << 32),
            root.results.ready.eq(1),
            sizer.a.eq(learning_rate),
            sizer.b.eq(size),
            divider.requests.payload.numerator.eq(sizer.product),
            divider.requests.payload.denominator.eq(ONE - first),
            divider.results.ready.eq(1),
            quotient.eq(divider.results.payload.quotient),
            result.eq(Mux(quotient[32:].any(), Const((1 << 32) - 1), quotient[:32])),
        ]
        with m.FSM(name="bias_correction"):
            with m.State("IDLE"), m.If(self.start):
                m.next = "POWERS_1"
            _wait(m, "POWERS", WideMultiplier.LATENCY - 1, "ADVANCE")
            with m.State("ADVANCE"):
                m.d.comb += advance.eq(1)
                m.next = "ROOT"
            with m.State("ROOT"):
                m.d.comb += root.requests.valid.eq(1)
                with m.If(root.requests.ready):
                    m.next = "SIZE"
            with m.State("SIZE"):
                m.d.sync += size.eq(root.results.payload)
                with m.If(root.results.valid):
                    m.next = "NUMERATOR_1"
            _wait(m, "NUMERATOR", WideMultiplier.LATENCY, "QUOTIENT")
            with m.State("QUOTIENT"):
                m.d.comb += divider.requests.valid.eq(1)
                with m.If(divider.requests.ready):
                    m.next = "STORE"
            with m.State("STORE"):
                m.d.comb += store.eq(divider.results.valid)
                with m.If(divider.results.valid):
                    m.next = "DONE"
            with m.State("DONE"):
                m.d.comb += self.done.eq(1)
                m.next = "IDLE"


def _wait(m, name, cycles, following):
    """States in which a multiplier works, from ``NAME_1`` on, and the state after them."""
    for cycle in range(1, cycles + 1):
        with m.State(f"{name}_{cycle}"):
            m.next = following if cycle == cycles else f"{name}_{cycle + 1}"
