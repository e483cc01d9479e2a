"""Recorded ranges of tensors, and the parameters of their codes."""

from amaranth.hdl import Const, Module, Mux, Signal, signed
from amaranth.lib.wiring import In, connect, flipped

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..memory.ports import ReadPort, WritePort
from .config import RECIPROCAL_FRACTION, RangeConfig
from .parameters import recorded_range, slot_parameters
from .ports import LookupPort, MonitorPort, RangeControlPort
from .range_freezer import RangeFreezer

__all__ = ["RangeUnit"]

# Parameters of a slot that was never frozen: those of [0, 0] with 16 bits.
UNFROZEN = slot_parameters.const(
    {
        "scale": 1,
        "reciprocal": 1 << RECIPROCAL_FRACTION + 1,
        "shift": RECIPROCAL_FRACTION + 1 - 16,
        "bits": 16,
        "code_maximum": (1 << 16) - 1,
    }
)


class RangeUnit(ConfiguredComponent):
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
    later, one row a cycle. A freeze takes 138 to 169 cycles a slot and waits for the rows on their way; ``done`` is
    high for one cycle at its end. Monitoring, clearing and writing while it runs is not allowed. No back-pressure.

    Parameters
    ----------
    config : RangeConfig

    Members
    -------
    monitor : In(MonitorPort(slots, cores, lanes))
        A row of every core to record.
    control : In(RangeControlPort())
    read : In(ReadPort(recorded_range, slots))
        The range of a slot.
    write : In(WritePort(recorded_range, slots))
        Sets a range, extended to contain zero.
    lookups : In(LookupPort(slots)).array(lookups)

    Source
    ------
    FIXAR, section IV, Algorithm 1.
    """

    def __init__(self, config: RangeConfig):
        super().__init__(
            config,
            {
                "monitor": In(MonitorPort(config.slots, config.cores, config.lanes)),
                "control": In(RangeControlPort()),
                "read": In(ReadPort(recorded_range, config.slots)),
                "write": In(WritePort(recorded_range, config.slots)),
                "lookups": In(LookupPort(config.slots)).array(config.lookups),
            },
        )

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
            with m.If(self.write.enable & (self.write.address == number)):
                minimum, maximum = self.write.data.minimum, self.write.data.maximum
                m.d.sync += [
                    minima[number].eq(Mux(minimum < 0, minimum, 0)),
                    maxima[number].eq(Mux(maximum > 0, maximum, 0)),
                ]
            with m.If(self.control.clear):
                m.d.sync += [minima[number].eq(0), maxima[number].eq(0)]
        with m.If(self.read.enable):
            m.d.sync += [
                self.read.data.minimum.eq(selected(minima, self.read.address, "read_minimum")),
                self.read.data.maximum.eq(selected(maxima, self.read.address, "read_maximum")),
            ]

        m.submodules.freezer = freezer = RangeFreezer(self._config, settle=self.monitor_latency)
        connect(m, flipped(self.control), freezer.control)
        m.d.comb += [
            freezer.recorded.minimum.eq(selected(minima, freezer.slot, "least")),
            freezer.recorded.maximum.eq(selected(maxima, freezer.slot, "greatest")),
        ]
        config = MemoryConfig(depth=self._config.slots, readers=self._config.lookups)
        m.submodules.frozen = frozen = Memory(slot_parameters, config, [UNFROZEN.as_bits()] * config.depth)
        m.d.comb += [
            frozen.write.enable.eq(freezer.valid),
            frozen.write.address.eq(freezer.slot),
            frozen.write.data.eq(freezer.parameters),
        ]
        for lookup, read in zip(self.lookups, frozen.reads, strict=True):
            m.d.comb += [
                read.enable.eq(1),
                read.address.eq(lookup.slot),
                lookup.parameters.eq(read.data),
            ]
        return m

    def _monitored(self, m):
        """Smallest and largest value of a row, zero included, by a tree with a register after each level."""
        lows = []
        for number, value in enumerate(self.monitor.values):
            masked = Signal(signed(32), name=f"masked_{number}")
            m.d.sync += masked.eq(Mux(self.monitor.mask[number], value, 0))
            lows.append(masked)
        highs = lows
        valid, slot = Signal(name="valid_masked"), Signal.like(self.monitor.slot, name="slot_masked")
        m.d.sync += [valid.eq(self.monitor.valid), slot.eq(self.monitor.slot)]
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


def _pairs(values):
    return [values[index : index + 2] for index in range(0, len(values), 2)]
