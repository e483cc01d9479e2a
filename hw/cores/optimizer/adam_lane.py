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
        return 3

    @property
    def second_latency(self):
        """Cycles until the new second moment."""
        return 5

    @property
    def weight_delay(self):
        """Cycles after the gradient at which the weight is taken."""
        return self.second_latency + 1 + ReciprocalSquareRoot.LATENCY + 5

    @property
    def weight_latency(self):
        """Cycles until the new weight."""
        return self.weight_delay + 1

    @property
    def target_delay(self):
        """Cycles after the gradient at which the target is taken."""
        return self.weight_latency

    @property
    def latency(self):
        """Cycles until the new target, the last of the results."""
        return self.target_delay + 3

    def elaborate(self, platform):
        m = Module()
        self._update_first_moment(m)
        self._update_second_moment(m)
        ratio = self._ratio(m)

        # Weight.
        m.submodules.scaler = scaler = WideMultiplier(ratio.shape(), self.step_size.shape())
        m.d.comb += [scaler.a.eq(ratio), scaler.b.eq(self.step_size)]
        moved = Signal(signed(64))
        weight, saturated = saturate(moved, 32)
        shift = RATIO_FRACTION + STEP_FRACTION - self._config.weight_fraction
        m.d.comb += moved.eq(self.weight - round_half_up(scaler.product, shift))
        m.d.sync += [self.weight_next.eq(weight), self.saturated.eq(saturated)]

        # Target.
        distance = Signal(signed(33), reset_less=True)
        approach = Signal(signed(33 + RATE_WIDTH), reset_less=True)
        target = delay(m, self.target, 2, "target")
        m.d.sync += [
            distance.eq(self.weight_next - self.target),
            approach.eq(distance * self.tau),
            self.target_next.eq(target + round_half_up(approach, RATE_FRACTION)),
        ]
        return m

    def _update_first_moment(self, m):
        """In three cycles. Toward zero, for a moment of a few LSBs must not stay where the gradient has died."""
        difference = Signal(signed(33), reset_less=True)
        step = Signal(signed(33 + RATE_WIDTH), reset_less=True)
        decayed = Signal(signed(33 + RATE_WIDTH))
        moment = delay(m, self.first_moment, 2, "first_moment")
        m.d.comb += decayed.eq((moment << RATE_FRACTION) + step)
        m.d.sync += [
            difference.eq(self.gradient - self.first_moment),
            step.eq(difference * self.one_minus_beta1),
            self.first_moment_next.eq((decayed >> RATE_FRACTION) + (decayed[-1] & decayed[:RATE_FRACTION].any())),
        ]

    def _update_second_moment(self, m):
        """In five cycles; the difference is multiplied in two limbs, so that nothing exceeds 64 bits."""
        m.submodules.squarer = squarer = WideMultiplier(self.gradient.shape(), self.gradient.shape())
        change = Signal(signed(64), reset_less=True)
        upper = Signal(signed(32 + RATE_WIDTH), reset_less=True)
        lower = Signal(32 + RATE_WIDTH, reset_less=True)
        moment = delay(m, self.second_moment, squarer.latency, "second_moment")
        moment_3 = delay(m, moment, 2, "unchanged_moment")
        m.d.comb += [squarer.a.eq(self.gradient), squarer.b.eq(self.gradient)]
        m.d.sync += [
            change.eq(squarer.product - moment),
            upper.eq(change[32:].as_signed() * self.one_minus_beta2),
            lower.eq(change[:32] * self.one_minus_beta2),
            self.second_moment_next.eq(moment_3 + (upper << (32 - RATE_FRACTION)) + (lower >> RATE_FRACTION)),
        ]

    def _ratio(self, m):
        """First moment over the root of the second, in the cycle before it is multiplied by the step size."""
        m.submodules.root = root = ReciprocalSquareRoot()
        m.d.sync += root.value.eq(self.second_moment_next + self.epsilon_squared)
        waiting = self.second_latency + 1 + root.latency - self.first_latency
        moment = delay(m, self.first_moment_next, waiting, "moment")
        product = Signal(signed(58), reset_less=True)
        exponent = Signal(6, reset_less=True)
        shifted = Signal(signed(58), reset_less=True)
        ratio = Signal(signed(RATIO_WIDTH), reset_less=True)
        clamped, _ = saturate(shifted, RATIO_WIDTH)
        m.d.sync += [
            product.eq(moment * root.result),
            exponent.eq(root.half_exponent),
            shifted.eq(product >> (exponent + (24 - RATIO_FRACTION))),
            ratio.eq(clamped),
        ]
        return ratio
