"""Recorded ranges of tensors, and the parameters of their codes."""

from amaranth.hdl import Const, Module, Mux, Signal, signed
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from ..fixed.config import DividerConfig
from ..fixed.divider import SequentialDivider
from .config import RECIPROCAL_FRACTION, RangeConfig
from .parameters import slot_parameters

__all__ = ["RangeUnit", "slot_parameters"]


class RangeUnit(wiring.Component):
    """Follows minimum and maximum of each tensor, and freezes them into the parameters of its codes.

    A range starts as [0, 0] and grows with every value that is monitored. Freezing with n bits computes for each slot::

        scale S     = max(1, maximum - minimum)
        zero_point  = floor(-minimum * 2**n / S)
        reciprocal  = floor(2**(k + 30) / S)         k = bit length of S
        shift       = k + 30 - n

    Lookups give what was frozen last; monitoring further changes the range only. A slot never frozen has the
    parameters of [0, 0] with 16 bits.

    Number format: words of 32 bits; exact.

    Latency: a lookup takes 1 cycle, a host's read 1 cycle; a monitored row is in the range ``monitor_latency`` cycles
    later, one row a cycle. A freeze takes 139 to 170 cycles a slot and waits for the rows on their way; ``done`` is
    high for one cycle at its end. Monitoring, clearing and writing while it runs is not allowed. No back-pressure.

    Parameters
    ----------
    config : RangeConfig

    Members
    -------
    monitor_valid, monitor_slot : In
        A row of every core to record.
    monitor_values : In(signed(32)).array(cores, lanes)
    monitor_mask : In(lanes).array(cores)
        Lanes that count.
    clear : In(1)
        Every range to [0, 0]; rows on their way are recorded after.
    freeze, bits : In(1), In(5)
        Pulse that freezes all slots with codes of ``bits`` bits, 8 to 16.
    busy, done : Out(1)
    write_enable, write_slot, write_minimum, write_maximum : In
        Sets a range, extended to contain zero.
    read_slot : In
    read_minimum, read_maximum : Out(signed(32))
        The range of ``read_slot`` a cycle before.
    lookup_slots : In(range(slots)).array(lookups)
    lookup_parameters : Out(slot_parameters).array(lookups)
        Parameters of the slots a cycle before.

    Source
    ------
    FIXAR, section IV, Algorithm 1.
    """

    def __init__(self, config: RangeConfig):
        self._config = config
        slot = range(config.slots)
        super().__init__(
            {
                "monitor_valid": In(1),
                "monitor_slot": In(slot),
                "monitor_values": In(signed(32)).array(config.cores, config.lanes),
                "monitor_mask": In(config.lanes).array(config.cores),
                "clear": In(1),
                "freeze": In(1),
                "bits": In(5),
                "busy": Out(1),
                "done": Out(1),
                "write_enable": In(1),
                "write_slot": In(slot),
                "write_minimum": In(signed(32)),
                "write_maximum": In(signed(32)),
                "read_slot": In(slot),
                "read_minimum": Out(signed(32)),
                "read_maximum": Out(signed(32)),
                "lookup_slots": In(slot).array(config.lookups),
                "lookup_parameters": Out(slot_parameters).array(config.lookups),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

    @property
    def latency(self):
        """Cycles from a slot to its parameters."""
        return 1

    @property
    def monitor_latency(self):
        """Cycles until a monitored row is in the range."""
        return 2 + (self._config.cores * self._config.lanes - 1).bit_length()

    def elaborate(self, platform):
        m = Module()
        slots = range(self._config.slots)
        minima = [Signal(signed(32), name=f"minimum_{slot}") for slot in slots]
        maxima = [Signal(signed(32), name=f"maximum_{slot}") for slot in slots]

        def selected(values, slot, name):
            value = Signal(signed(32), name=name)
            with m.Switch(slot):
                for number in slots:
                    with m.Case(number):
                        m.d.comb += value.eq(values[number])
            return value

        valid, slot, low, high = self._monitored(m)
        # Every slot compares by itself: choosing the slot first would put its multiplexer before the comparison.
        for number in slots:
            chosen = valid & (slot == number)
            with m.If(chosen & (low < minima[number])):
                m.d.sync += minima[number].eq(low)
            with m.If(chosen & (high > maxima[number])):
                m.d.sync += maxima[number].eq(high)
            with m.If(self.write_enable & (self.write_slot == number)):
                m.d.sync += [
                    minima[number].eq(Mux(self.write_minimum < 0, self.write_minimum, 0)),
                    maxima[number].eq(Mux(self.write_maximum > 0, self.write_maximum, 0)),
                ]
            with m.If(self.clear):
                m.d.sync += [minima[number].eq(0), maxima[number].eq(0)]
        m.d.sync += [
            self.read_minimum.eq(selected(minima, self.read_slot, "read_minimum_next")),
            self.read_maximum.eq(selected(maxima, self.read_slot, "read_maximum_next")),
        ]

        unfrozen = slot_parameters.const(
            {
                "scale": 1,
                "reciprocal": 1 << RECIPROCAL_FRACTION + 1,
                "shift": RECIPROCAL_FRACTION + 1 - 16,
                "bits": 16,
                "code_maximum": (1 << 16) - 1,
            }
        )
        m.submodules.frozen = frozen = memory.Memory(
            shape=slot_parameters, depth=self._config.slots, init=[unfrozen] * self._config.slots
        )
        write = frozen.write_port()
        for slot_in, parameters in zip(self.lookup_slots, self.lookup_parameters, strict=True):
            read = frozen.read_port()
            m.d.comb += [read.addr.eq(slot_in), parameters.eq(read.data)]
        self._freeze(m, write, lambda slot: (selected(minima, slot, "least"), selected(maxima, slot, "greatest")))
        return m

    def _monitored(self, m):
        """Smallest and largest value of a row, zero included, by a tree with a register after each level."""
        lows = []
        for core, values in enumerate(self.monitor_values):
            for lane, value in enumerate(values):
                masked = Signal(signed(32), name=f"masked_{core}_{lane}")
                m.d.sync += masked.eq(Mux(self.monitor_mask[core][lane], value, 0))
                lows.append(masked)
        highs = lows
        valid, slot = Signal(name="valid_masked"), Signal.like(self.monitor_slot, name="slot_masked")
        m.d.sync += [valid.eq(self.monitor_valid), slot.eq(self.monitor_slot)]
        level = 0
        while len(lows) > 1:
            lows = [self._better(m, pair, f"low_{level}_{i}", False) for i, pair in enumerate(_pairs(lows))]
            highs = [self._better(m, pair, f"high_{level}_{i}", True) for i, pair in enumerate(_pairs(highs))]
            next_valid = Signal(name=f"valid_{level}")
            next_slot = Signal.like(slot, name=f"slot_{level}")
            m.d.sync += [next_valid.eq(valid), next_slot.eq(slot)]
            valid, slot, level = next_valid, next_slot, level + 1
        return valid, slot, lows[0], highs[0]

    @staticmethod
    def _better(m, pair, name, larger):
        chosen = Signal(signed(32), name=name)
        first, second = pair[0], pair[-1]
        m.d.sync += chosen.eq(Mux((first > second) == Const(larger, 1), first, second))
        return chosen

    def _freeze(self, m, write, range_of):
        m.submodules.divider = divider = SequentialDivider(DividerConfig(numerator_width=64, denominator_width=32))
        slot = Signal.like(self.read_slot)
        bits = Signal.like(self.bits)
        wait = Signal(range(self.monitor_latency + 1))
        minimum, maximum = range_of(slot)
        parameters = Signal(slot_parameters)
        difference = Signal(32)
        scale = Signal(32)
        # Bit length of the scale, by shifting it out; meanwhile the numerator of the zero point.
        length = Signal(range(33))
        rest = Signal(32)
        numerator = Signal(64)
        m.d.comb += [
            difference.eq(parameters.maximum - parameters.minimum),
            scale.eq(difference | (difference == 0)),
            write.addr.eq(slot),
            write.data.eq(parameters),
            divider.requests.payload.denominator.eq(parameters.scale),
            divider.results.ready.eq(1),
        ]
        with m.FSM() as states:
            m.d.comb += self.busy.eq(~states.ongoing("idle"))
            with m.State("idle"):
                m.d.sync += [slot.eq(0), bits.eq(self.bits), wait.eq(self.monitor_latency)]
                with m.If(self.freeze):
                    m.next = "drain"
            with m.State("drain"):
                m.d.sync += wait.eq(wait - 1)
                with m.If(wait == 0):
                    m.next = "range"
            with m.State("range"):
                m.d.sync += [
                    parameters.minimum.eq(minimum),
                    parameters.maximum.eq(maximum),
                    parameters.bits.eq(bits),
                    parameters.code_maximum.eq((1 << bits) - 1),
                ]
                m.next = "scale"
            with m.State("scale"):
                m.d.sync += [parameters.scale.eq(scale), rest.eq(scale), length.eq(0)]
                m.next = "length"
            with m.State("length"):
                m.d.sync += [rest.eq(rest >> 1), numerator.eq((-parameters.minimum) << bits)]
                with m.If(rest == 0):
                    m.next = "divide range"
                with m.Else():
                    m.d.sync += length.eq(length + 1)
            with m.State("divide range"):
                m.d.comb += [
                    divider.requests.valid.eq(1),
                    divider.requests.payload.numerator.eq(numerator),
                ]
                m.d.sync += parameters.shift.eq(length + RECIPROCAL_FRACTION - bits)
                with m.If(divider.requests.ready):
                    m.next = "zero point"
            with m.State("zero point"):
                m.d.sync += parameters.zero_point.eq(divider.results.payload.quotient)
                with m.If(divider.results.valid):
                    m.next = "divide power"
            with m.State("divide power"):
                m.d.comb += [
                    divider.requests.valid.eq(1),
                    divider.requests.payload.numerator.eq(Const(1 << RECIPROCAL_FRACTION) << length),
                ]
                with m.If(divider.requests.ready):
                    m.next = "reciprocal"
            with m.State("reciprocal"):
                m.d.sync += parameters.reciprocal.eq(divider.results.payload.quotient)
                with m.If(divider.results.valid):
                    m.next = "write"
            with m.State("write"):
                m.d.comb += write.en.eq(1)
                m.d.sync += slot.eq(slot + 1)
                m.next = "range"
                with m.If(slot == self._config.slots - 1):
                    m.d.comb += self.done.eq(1)
                    m.next = "idle"


def _pairs(values):
    return [values[index : index + 2] for index in range(0, len(values), 2)]
