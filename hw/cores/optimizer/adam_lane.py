"""One lane of Adam and the soft target update."""

from amaranth.hdl import Module, Signal, signed
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..fixed.arithmetic import round_half_up, saturate
from ..fixed.wide_multiplier import WideMultiplier
from ..function.reciprocal_square_root import ReciprocalSquareRoot
from ..pipeline import delay
from .config import AdamConfig

__all__ = ["AdamLane"]

RATE_FRACTION = 20
RATE_WIDTH = RATE_FRACTION + 1
RATIO_FRACTION = 20
RATIO_WIDTH = 28
STEP_FRACTION = 32


class AdamLane(ConfiguredComponent):
    """Updates one parameter, its moments and its target.

    ::

        m' = (m * 2^20 + (g - m) * one_minus_beta1) / 2^20, toward zero
        v' = v + floor((g*g - v) * one_minus_beta2 / 2^20)
        y, e = reciprocal square root of v' + epsilon_squared
        r  = clamp((m' * y) >> (4 + e), 28 bits signed)
        w' = sat32(w - round(r * step_size, 52 - weight_fraction))
        t' = t + round((w' - t) * tau, 20)

    Number format: g, m, w, t signed 32 bits; v unsigned, at most 2^62, in squared units of g; one_minus_beta1,
    one_minus_beta2 and tau from 0 to 1 with 20 fraction bits; step_size unsigned with 32 fraction bits. *round* is half
    up.

    One parameter a cycle, no back-pressure. The words enter and leave at different times, so that nothing waits in
    registers; in cycles after ``gradient``: ``first_moment`` and ``second_moment`` enter at 0, ``weight`` at
    ``weight_delay``, ``target`` at ``target_delay``; ``first_moment_next`` leaves at ``first_latency``,
    ``second_moment_next`` at ``second_latency``, ``weight_next`` and ``saturated`` at ``weight_latency``,
    ``target_next`` at ``latency``.

    Parameters
    ----------
    config : AdamConfig

    Members
    -------
    gradient, first_moment : In(signed(32))
    second_moment : In(64)
    weight, target : In(signed(32))
    one_minus_beta1, one_minus_beta2, tau : In(21)
    epsilon_squared : In(32)
        At least 1.
    step_size : In(32)
        Learning rate with bias correction.
    first_moment_next : Out(signed(32))
    second_moment_next : Out(64)
    weight_next, target_next : Out(signed(32))
    saturated : Out(1)

    Source
    ------
    FIXAR, sections III and VI-B; D. P. Kingma, J. Ba, "Adam", ICLR 2015, algorithm 1, with epsilon inside the root.
    """

    def __init__(self, config: AdamConfig):
        word = signed(32)
        super().__init__(
            config,
            {
                "gradient": In(word),
                "first_moment": In(word),
                "second_moment": In(64),
                "weight": In(word),
                "target": In(word),
                "one_minus_beta1": In(RATE_WIDTH),
                "one_minus_beta2": In(RATE_WIDTH),
                "tau": In(RATE_WIDTH),
                "epsilon_squared": In(32),
                "step_size": In(32),
                "first_moment_next": Out(word),
                "second_moment_next": Out(64),
                "weight_next": Out(word),
                "target_next": Out(word),
                "saturated": Out(1),
            },
        )

    @property
    def first_latency(self):
        """Cycles until the new first moment."""
        return WideMultiplier.LATENCY + 1

    @property
    def second_latency(self):
        """Cycles until the new second moment."""
        return 2 * WideMultiplier.LATENCY + 1

    @property
    def weight_delay(self):
        """Cycles after the gradient at which the weight is taken."""
        return self.second_latency + 2 + ReciprocalSquareRoot.LATENCY + 2 * WideMultiplier.LATENCY

    @property
    def weight_latency(self):
        """Cycles until the new weight."""
        return self.weight_delay + 2

    @property
    def target_delay(self):
        """Cycles after the gradient at which the target is taken."""
        return self.weight_latency

    @property
    def latency(self):
        """Cycles until the new target, the last of the results."""
        return self.target_delay + WideMultiplier.LATENCY + 1

    def elaborate(self, platform):
        m = Module()
        self._update_first_moment(m)
        self._update_second_moment(m)
        ratio = self._ratio(m)

        # Weight.
        m.submodules.scaler = scaler = WideMultiplier(ratio.shape(), self.step_size.shape())
        m.d.comb += [scaler.a.eq(ratio), scaler.b.eq(self.step_size)]
        moved = Signal(signed(64), reset_less=True)
        weight, saturated = saturate(moved, 32)
        shift = RATIO_FRACTION + STEP_FRACTION - self._config.weight_fraction
        m.d.sync += [
            moved.eq(self.weight - round_half_up(scaler.product, shift)),
            self.weight_next.eq(weight),
            self.saturated.eq(saturated),
        ]

        # Target.
        m.submodules.approacher = approacher = WideMultiplier(signed(33), self.tau.shape())
        target = delay(m, self.target, approacher.latency, "target")
        m.d.comb += [approacher.a.eq(self.weight_next - self.target), approacher.b.eq(self.tau)]
        m.d.sync += self.target_next.eq(target + round_half_up(approacher.product, RATE_FRACTION))
        return m

    def _update_first_moment(self, m):
        """In four cycles. Toward zero, for a moment of a few LSBs must not stay where the gradient has died."""
        m.submodules.stepper = stepper = WideMultiplier(signed(33), self.one_minus_beta1.shape())
        decayed = Signal(signed(33 + RATE_WIDTH))
        moment = delay(m, self.first_moment, stepper.latency, "first_moment")
        m.d.comb += [
            stepper.a.eq(self.gradient - self.first_moment),
            stepper.b.eq(self.one_minus_beta1),
            decayed.eq((moment << RATE_FRACTION) + stepper.product),
        ]
        toward_zero = decayed[-1] & decayed[:RATE_FRACTION].any()
        m.d.sync += self.first_moment_next.eq((decayed >> RATE_FRACTION) + toward_zero)

    def _update_second_moment(self, m):
        """In seven cycles; the difference is multiplied in two limbs, so that nothing exceeds 64 bits."""
        m.submodules.squarer = squarer = WideMultiplier(self.gradient.shape(), self.gradient.shape())
        change = Signal(signed(64))
        limbs = change[32:].as_signed(), change[:32]
        m.submodules.upper = upper = WideMultiplier(limbs[0].shape(), self.one_minus_beta2.shape())
        m.submodules.lower = lower = WideMultiplier(limbs[1].shape(), self.one_minus_beta2.shape())
        moment = delay(m, self.second_moment, squarer.latency, "second_moment")
        unchanged = delay(m, moment, upper.latency, "unchanged_moment")
        m.d.comb += [
            squarer.a.eq(self.gradient),
            squarer.b.eq(self.gradient),
            change.eq(squarer.product - moment),
        ]
        for multiplier, limb in zip((upper, lower), limbs, strict=True):
            m.d.comb += [multiplier.a.eq(limb), multiplier.b.eq(self.one_minus_beta2)]
        step = (upper.product << (32 - RATE_FRACTION)) + (lower.product >> RATE_FRACTION)
        m.d.sync += self.second_moment_next.eq(unchanged + step)

    def _ratio(self, m):
        """First moment over the root of the second."""
        m.submodules.root = root = ReciprocalSquareRoot()
        m.d.sync += root.value.eq(self.second_moment_next + self.epsilon_squared)
        waiting = self.second_latency + 1 + root.latency - self.first_latency
        moment = delay(m, self.first_moment_next, waiting, "moment")
        m.submodules.divider = divider = WideMultiplier(moment.shape(), root.result.shape())
        exponent = delay(m, root.half_exponent, divider.latency, "exponent")
        shifted = Signal(signed(58), reset_less=True)
        ratio = Signal(signed(RATIO_WIDTH))
        clamped, _ = saturate(shifted, RATIO_WIDTH)
        m.d.comb += [divider.a.eq(moment), divider.b.eq(root.result), ratio.eq(clamped)]
        m.d.sync += shifted.eq(divider.product >> (exponent + (24 - RATIO_FRACTION)))
        return ratio
