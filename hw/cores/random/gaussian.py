"""Rows of Gaussian noise."""

from amaranth.hdl import Cat, Module, Mux, Signal, signed
from amaranth.lib import data, stream
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..fixed.arithmetic import round_half_up, saturate
from ..fixed.wide_multiplier import WideMultiplier
from .config import GaussianConfig
from .generator import following_state
from .xorshift import STATE_WIDTH, SUBSTITUTE_FOR_ZERO

__all__ = ["GaussianNoise"]

STEPS_A_VALUE = 3
VALUE_WIDTH = 20
VALUE_FRACTION = 16
# Twelve uniform numbers, each with mean (2^16 - 1) / 2.
TWELVE_MEANS = 6 * ((1 << 16) - 1)


class GaussianNoise(ConfiguredComponent):
    """Normally distributed numbers of programmable standard deviation, from a 64-bit xorshift generator.

    Three steps of the generator (shifts 13, 7, 17) give twelve uniform 16-bit numbers u, and::

        value = sum(u) - 6 * (2**16 - 1)                 fraction 16
        noise = sat32(round(value * scale, 16))          fraction 20

    By the central limit theorem the values are close to normal: mean 0 exactly, variance 1 - 2^-32, skewness 0,
    kurtosis 2.9 (normal: 3), range -6 to 6. The period is 2^64 - 1 steps. The first lane of a row is made first.

    Number format: words of 32 bits with 20 fraction bits; rounded half up. A scale below 256 never saturates.

    Latency: a row is offered ``latency`` cycles after the one before was taken; it is made ahead, so that a row asked
    for later than that is there at once. Back-pressure: a row waits for as long as it is not taken. It is a function of
    ``state`` and ``scale`` alone: when one of them is changed from outside, a row that waits is taken back and made
    anew. That breaks the rule that a stream's payload is stable, so change them only while nobody reads.

    Parameters
    ----------
    config : GaussianConfig

    Members
    -------
    seed, load : In(64), In(1)
        Takes ``seed`` as the state. Zero, which the generator would never leave, is replaced by a constant. For
        states unlike each other from similar seeds see :func:`xorshift.state_from_seed`.
    scale : In(32)
        Standard deviation, 20 fraction bits.
    state : Out(64)
        State before the next row to be taken: loading it later repeats what follows.
    noise : stream of rows, out

    Source
    ------
    FIXAR, section III, random number generator; G. Marsaglia, "Xorshift RNGs", Journal of Statistical Software 2003.
    """

    def __init__(self, config: GaussianConfig):
        super().__init__(
            config,
            {
                "seed": In(STATE_WIDTH),
                "load": In(1),
                "scale": In(32),
                "state": Out(STATE_WIDTH, init=SUBSTITUTE_FOR_ZERO),
                "noise": Out(stream.Signature(data.ArrayLayout(32, config.lanes))),
            },
        )

    @property
    def latency(self):
        """Cycles from taking a row until the next one is offered."""
        return STEPS_A_VALUE * self._config.lanes + 6

    def elaborate(self, platform):
        m = Module()
        lanes = self._config.lanes
        present = Signal(STATE_WIDTH, init=SUBSTITUTE_FOR_ZERO)
        steps = Signal(range(STEPS_A_VALUE * lanes + 1))
        running = Signal()
        m.d.comb += running.eq(steps != STEPS_A_VALUE * lanes)

        following = following_state(m, present)

        # Sum of the four uniform numbers of a state, and in the cycle after it of three states less the mean.
        four = Signal(18)
        four_valid = Signal()
        total = Signal(signed(VALUE_WIDTH), init=-TWELVE_MEANS)
        phase = Signal(range(STEPS_A_VALUE))
        value = Signal(signed(VALUE_WIDTH))
        value_valid = Signal()
        complete = Signal()
        m.d.comb += complete.eq(four_valid & (phase == STEPS_A_VALUE - 1))
        m.d.sync += [
            four.eq(sum(following[16 * part : 16 * part + 16] for part in range(4))),
            four_valid.eq(running),
            value_valid.eq(complete),
        ]
        with m.If(running):
            m.d.sync += [present.eq(following), steps.eq(steps + 1)]
        with m.If(four_valid):
            m.d.sync += [phase.eq(phase + 1), total.eq(total + four)]
        with m.If(complete):
            m.d.sync += [phase.eq(0), total.eq(-TWELVE_MEANS), value.eq(total + four)]

        # Scale, round, and shift into the row from the last lane on.
        scale = Signal(32)
        m.submodules.scaler = scaler = WideMultiplier(value.shape(), scale.shape())
        product_valids = Signal(scaler.latency)
        row = Signal(32 * lanes)
        count = Signal(range(lanes + 1))
        word, _ = saturate(round_half_up(scaler.product, VALUE_FRACTION), 32)
        m.d.comb += [scaler.a.eq(value), scaler.b.eq(scale)]
        m.d.sync += product_valids.eq(Cat(value_valid, product_valids))
        with m.If(product_valids[-1]):
            m.d.sync += [row.eq(Cat(row, word)[32:]), count.eq(count + 1)]

        # Start over: after a row that was taken, from a new state, or from the old one with another scale.
        stale = Signal()
        m.d.sync += [scale.eq(self.scale), stale.eq(scale != self.scale)]
        m.d.comb += [
            self.noise.valid.eq((count == lanes) & ~stale),
            self.noise.payload.eq(row),
        ]
        anew = [steps.eq(0), phase.eq(0), total.eq(-TWELVE_MEANS), count.eq(0)]
        anew += [four_valid.eq(0), value_valid.eq(0), product_valids.eq(0)]
        with m.If(self.noise.valid & self.noise.ready):
            m.d.sync += [*anew, self.state.eq(present)]
        with m.If(stale):
            m.d.sync += [*anew, present.eq(self.state)]
        with m.If(self.load):
            start = Signal(STATE_WIDTH)
            m.d.comb += start.eq(Mux(self.seed == 0, SUBSTITUTE_FOR_ZERO, self.seed))
            m.d.sync += [*anew, self.state.eq(start), present.eq(start)]
        return m
