"""Recorded ranges into the parameters of codes."""

from amaranth.hdl import Const, Module, Mux, Signal
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..fixed.config import DividerConfig
from ..fixed.divider import SequentialDivider
from .config import RECIPROCAL_FRACTION, RangeConfig
from .parameters import recorded_range, slot_parameters
from .ports import RangeControlPort

__all__ = ["RangeFreezer"]


class RangeFreezer(ConfiguredComponent):
    """Works out the parameters of slot after slot, by the equations of :class:`.RangeUnit`.

    Number format: exact; floors.

    Latency: ``settle`` + 1 cycles before the first slot, 138 to 169 for each. Throughput: one freeze at a time. No
    back-pressure: a freeze that is asked for meanwhile is lost.

    Parameters
    ----------
    config : RangeConfig
    settle : int
        Cycles until a row that was monitored before the freeze is in the recorded ranges.

    Members
    -------
    control : In(RangeControlPort())
        ``clear`` is not for it.
    slot : Out(range(slots))
        Its ``recorded`` range is asked for.
    recorded : In(recorded_range)
        In the same cycle.
    valid : Out(1)
        ``parameters`` are those of ``slot``.
    parameters : Out(slot_parameters)

    Source
    ------
    FIXAR, section IV, Algorithm 1.
    """

    def __init__(self, config: RangeConfig, *, settle: int):
        self._settle = settle
        super().__init__(
            config,
            {
                "control": In(RangeControlPort()),
                "slot": Out(range(config.slots)),
                "recorded": In(recorded_range),
                "valid": Out(1),
                "parameters": Out(slot_parameters),
            },
        )

    @property
    def settle(self):
        """Cycles until a row that was monitored before the freeze is in the recorded ranges."""
        return self._settle

    def elaborate(self, platform):
        m = Module()
        parameters, bits = self.parameters, Signal.like(self.control.bits)
        wait = Signal(range(self._settle + 1))
        difference, opposite = Signal(32), Signal(32)
        scale = Signal(32)
        # Bit length of the scale, by shifting it out; meanwhile the numerator of the zero point.
        length, shifted = Signal(range(33)), Signal(32)
        numerator = Signal(64)
        m.d.comb += scale.eq(difference | (difference == 0))
        with m.FSM() as states:
            m.d.comb += self.control.busy.eq(~states.ongoing("IDLE"))
            with m.State("IDLE"):
                m.d.sync += [self.slot.eq(0), bits.eq(self.control.bits), wait.eq(self._settle)]
                with m.If(self.control.freeze):
                    m.next = "WAIT"
            with m.State("WAIT"):
                m.d.sync += wait.eq(wait - 1)
                with m.If(wait == 0):
                    m.next = "RANGE"
            with m.State("RANGE"):
                m.d.sync += [
                    parameters.minimum.eq(self.recorded.minimum),
                    parameters.maximum.eq(self.recorded.maximum),
                    parameters.bits.eq(bits),
                    parameters.code_maximum.eq((1 << bits) - 1),
                ]
                m.next = "DIFFERENCE"
            with m.State("DIFFERENCE"):
                m.d.sync += [
                    difference.eq(parameters.maximum - parameters.minimum),
                    opposite.eq(-parameters.minimum),
                ]
                m.next = "SCALE"
            with m.State("SCALE"):
                m.d.sync += [parameters.scale.eq(scale), shifted.eq(scale), length.eq(0)]
                m.next = "LENGTH"
            with m.State("LENGTH"):
                m.d.sync += [shifted.eq(shifted >> 1), numerator.eq(opposite << bits)]
                with m.If(shifted == 0):
                    m.next = "DIVIDE_MINIMUM"
                with m.Else():
                    m.d.sync += length.eq(length + 1)
            self._divide(m, states, bits, length, numerator)
            with m.State("WRITE"):
                m.d.comb += self.valid.eq(1)
                m.d.sync += self.slot.eq(self.slot + 1)
                m.next = "RANGE"
                with m.If(self.slot == self._config.slots - 1):
                    m.d.comb += self.control.done.eq(1)
                    m.next = "IDLE"
        return m

    def _divide(self, m, states, bits, length, numerator):
        """The states of the two divisions by the scale: of the zero point, and of a power of two."""
        m.submodules.divider = divider = SequentialDivider(DividerConfig(numerator_width=64, denominator_width=32))
        requests, results = divider.requests, divider.results
        power = Const(1 << RECIPROCAL_FRACTION) << length
        m.d.comb += [
            requests.valid.eq(states.ongoing("DIVIDE_MINIMUM") | states.ongoing("DIVIDE_POWER")),
            requests.payload.numerator.eq(Mux(states.ongoing("DIVIDE_POWER"), power, numerator)),
            requests.payload.denominator.eq(self.parameters.scale),
            results.ready.eq(1),
        ]
        with m.State("DIVIDE_MINIMUM"):
            m.d.sync += self.parameters.shift.eq(length + RECIPROCAL_FRACTION - bits)
            with m.If(requests.ready):
                m.next = "ZERO_POINT"
        with m.State("ZERO_POINT"):
            m.d.sync += self.parameters.zero_point.eq(results.payload.quotient)
            with m.If(results.valid):
                m.next = "DIVIDE_POWER"
        with m.State("DIVIDE_POWER"):
            with m.If(requests.ready):
                m.next = "RECIPROCAL"
        with m.State("RECIPROCAL"):
            m.d.sync += self.parameters.reciprocal.eq(results.payload.quotient)
            with m.If(results.valid):
                m.next = "WRITE"
