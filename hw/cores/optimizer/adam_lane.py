"""One lane of Adam and the soft target update."""

from amaranth.hdl import Module, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ..fixed.arithmetic import round_half_up, saturate
from ..function.reciprocal_square_root import ReciprocalSquareRoot
from .config import OptimizerConfig

__all__ = ["AdamLane"]

RATE_FRACTION = 20
RATE_WIDTH = RATE_FRACTION + 1
RATIO_FRACTION = 20
RATIO_WIDTH = 28
ALPHA_FRACTION = 32


class AdamLane(wiring.Component):
    """Updates one parameter, its moments and its target.

    ::

        m' = (m * 2^20 + (g - m) * c1) / 2^20, toward zero
        v' = v + floor((g*g - v) * c2 / 2^20)
        y, e = reciprocal square root of v' + epsilon_squared
        r  = clamp((m' * y) >> (4 + e), 28 bits signed)
        w' = sat32(w - round(r * alpha, 52 - weight_fraction))
        t' = t + round((w' - t) * tau, 20)

    Number format: g, m, w, t signed 32 bits; v unsigned, at most 2^62, in squared units of g; c1, c2, tau from 0 to 1
    with 20 fraction bits; alpha unsigned with 32 fraction bits. *round* is half up.

    One parameter a cycle, no back-pressure. The words enter and leave at different times, so that nothing waits in
    registers; in cycles after ``gradient``: ``first_moment`` and ``second_moment`` enter at 0, ``weight`` at
    ``weight_delay``, ``target`` at ``target_delay``; ``first_moment_next`` leaves at ``first_latency``,
    ``second_moment_next`` at ``second_latency``, ``weight_next`` and ``saturated`` at ``weight_latency``,
    ``target_next`` at ``latency``.

    Parameters
    ----------
    config : OptimizerConfig

    Members
    -------
    gradient, first_moment : In(signed(32))
    second_moment : In(64)
    weight, target : In(signed(32))
    first_moment_rate, second_moment_rate, target_rate : In(21)
    epsilon_squared : In(32)
        At least 1.
    alpha : In(32)
        Step size with bias correction.
    first_moment_next : Out(signed(32))
    second_moment_next : Out(64)
    weight_next, target_next : Out(signed(32))
    saturated : Out(1)

    Source
    ------
    FIXAR, sections III and VI-B; D. P. Kingma, J. Ba, "Adam", ICLR 2015, algorithm 1, with epsilon inside the root.
    """

    def __init__(self, config: OptimizerConfig):
        self._config = config
        word = signed(32)
        super().__init__(
            {
                "gradient": In(word),
                "first_moment": In(word),
                "second_moment": In(64),
                "weight": In(word),
                "target": In(word),
                "first_moment_rate": In(RATE_WIDTH),
                "second_moment_rate": In(RATE_WIDTH),
                "target_rate": In(RATE_WIDTH),
                "epsilon_squared": In(32),
                "alpha": In(32),
                "first_moment_next": Out(word),
                "second_moment_next": Out(64),
                "weight_next": Out(word),
                "target_next": Out(word),
                "saturated": Out(1),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def first_latency(self):
        """Cycles until the new first moment."""
        return 3

    @property
    def second_latency(self):
        """Cycles until the new second moment."""
        return 4

    @property
    def weight_delay(self):
        """Cycles after the gradient at which the weight is taken."""
        return self.second_latency + 1 + ReciprocalSquareRoot.LATENCY + 4

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
        word = signed(32)

        # 1 to 3: first moment. Toward zero, for a moment of a few LSBs must not stay where the gradient has died.
        difference = Signal(signed(33), reset_less=True)
        step = Signal(signed(33 + RATE_WIDTH), reset_less=True)
        moment_1, moment_2 = (Signal(word, name=f"moment_{stage}", reset_less=True) for stage in (1, 2))
        decayed = Signal(signed(33 + RATE_WIDTH))
        m.d.comb += decayed.eq((moment_2 << RATE_FRACTION) + step)
        m.d.sync += [
            difference.eq(self.gradient - self.first_moment),
            moment_1.eq(self.first_moment),
            step.eq(difference * self.first_moment_rate),
            moment_2.eq(moment_1),
            self.first_moment_next.eq((decayed >> RATE_FRACTION) + (decayed[-1] & decayed[:RATE_FRACTION].any())),
        ]

        # 1 to 4: second moment; its difference is multiplied in two limbs, so that nothing exceeds 64 bits.
        square = Signal(64, reset_less=True)
        variances = [Signal(64, name=f"variance_{stage}", reset_less=True) for stage in (1, 2, 3)]
        change = Signal(signed(64), reset_less=True)
        upper = Signal(signed(32 + RATE_WIDTH), reset_less=True)
        lower = Signal(32 + RATE_WIDTH, reset_less=True)
        m.d.sync += [
            square.eq(self.gradient * self.gradient),
            variances[0].eq(self.second_moment),
            change.eq(square - variances[0]),
            variances[1].eq(variances[0]),
            upper.eq(change[32:].as_signed() * self.second_moment_rate),
            lower.eq(change[:32] * self.second_moment_rate),
            variances[2].eq(variances[1]),
            self.second_moment_next.eq(variances[2] + (upper << (32 - RATE_FRACTION)) + (lower >> RATE_FRACTION)),
        ]

        # 5 and on: reciprocal root.
        m.submodules.root = root = ReciprocalSquareRoot()
        m.d.sync += root.value.eq(self.second_moment_next + self.epsilon_squared)

        moment = self.first_moment_next
        for stage in range(self.second_latency + 1 + root.latency - self.first_latency):
            following = Signal(word, name=f"held_moment_{stage}", reset_less=True)
            m.d.sync += following.eq(moment)
            moment = following

        # The ratio of the moments, the step.
        product = Signal(signed(58), reset_less=True)
        exponent = Signal(6, reset_less=True)
        shifted = Signal(signed(58), reset_less=True)
        ratio = Signal(signed(RATIO_WIDTH), reset_less=True)
        scaled = Signal(signed(RATIO_WIDTH + 33), reset_less=True)
        clamped, _ = saturate(shifted, RATIO_WIDTH)
        m.d.sync += [
            product.eq(moment * root.result),
            exponent.eq(root.half_exponent),
            shifted.eq(product >> (exponent + (24 - RATIO_FRACTION))),
            ratio.eq(clamped),
            scaled.eq(ratio * self.alpha),
        ]

        # Weight.
        moved = Signal(signed(64))
        m.d.comb += moved.eq(
            self.weight - round_half_up(scaled, RATIO_FRACTION + ALPHA_FRACTION - self._config.weight_fraction)
        )
        weight, saturated = saturate(moved, 32)
        m.d.sync += [self.weight_next.eq(weight), self.saturated.eq(saturated)]

        # Target.
        distance = Signal(signed(33), reset_less=True)
        approach = Signal(signed(33 + RATE_WIDTH), reset_less=True)
        target_1, target_2 = (Signal(word, name=f"target_{stage}", reset_less=True) for stage in (1, 2))
        m.d.sync += [
            distance.eq(self.weight_next - self.target),
            target_1.eq(self.target),
            approach.eq(distance * self.target_rate),
            target_2.eq(target_1),
            self.target_next.eq(target_2 + round_half_up(approach, RATE_FRACTION)),
        ]
        return m
