"""Two buffers of accumulators: one accumulates while the other is drained."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..pipeline import delay
from .config import ACCUMULATOR_WIDTH, ArrayConfig

__all__ = ["AccumulatorBank", "AddPort", "DrainPort"]


class AddPort(wiring.Signature):
    """Adds a row of sums to an entry, seen from the user.

    Parameters
    ----------
    config : ArrayConfig

    Members
    -------
    valid : Out(1)
    first : Out(1)
        Overwrite the entry.
    buffer : Out(1)
    entry : Out(range(depth))
    low, high : Out(signed(57)).array(lanes)
        One cycle after the rest.
    """

    def __init__(self, config: ArrayConfig):
        sums = Out(signed(ACCUMULATOR_WIDTH)).array(config.lanes)
        entry = range(config.accumulator_depth)
        super().__init__(
            {
                "valid": Out(1),
                "first": Out(1),
                "buffer": Out(1),
                "entry": Out(entry),
                "low": sums,
                "high": sums,
            }
        )


class DrainPort(wiring.Signature):
    """Reads the sums of an entry, seen from the user.

    Parameters
    ----------
    config : ArrayConfig

    Members
    -------
    enable : Out(1)
    buffer : Out(1)
    entry : Out(range(depth))
    low, high : In(signed(57)).array(lanes)
        One cycle after the request.
    """

    def __init__(self, config: ArrayConfig):
        sums = In(signed(ACCUMULATOR_WIDTH)).array(config.lanes)
        entry = range(config.accumulator_depth)
        super().__init__({"enable": Out(1), "buffer": Out(1), "entry": Out(entry), "low": sums, "high": sums})


class AccumulatorBank(ConfiguredComponent):
    """Ping and pong accumulators of one core: each entry is the sum of what was added to it.

    ::

        buffer 0 ----.                                     every entry is read two cycles before it is written back
        buffer 1 --> Mux --> register --> + <-- addend
            ^                             |
            '-----------------------------'                the other buffer is drained

    An addition with ``first`` overwrites the entry. Number format: 57-bit signed, no rounding; wraps beyond 57
    bits, which 511 products of 32 by 17 bits cannot reach.

    Latency: an addition that is asked for in cycle t may be followed by another one of the same entry in cycle
    ``t + revisit`` or later, and is seen by a drain in cycle ``t + settling`` or later; one addition a cycle otherwise.
    Drained sums come one cycle after the request. In one cycle, addition and drain must be of different buffers; if
    they are not, the drained value is undefined. No back-pressure.

    Parameters
    ----------
    config : ArrayConfig

    Members
    -------
    add : In(AddPort(config))
    drain : In(DrainPort(config))

    Source
    ------
    FIXAR, section V-B.
    """

    def __init__(self, config: ArrayConfig):
        super().__init__(config, {"add": In(AddPort(config)), "drain": In(DrainPort(config))})

    @property
    def latency(self):
        """Cycles from a drain request to its sums."""
        return 1

    @property
    def revisit(self):
        """Cycles after an addition until its entry may be added to again: a tile takes one for each lane."""
        return min(self._config.lanes, self.settling)

    @property
    def settling(self):
        """Cycles after an addition until its entry may be drained."""
        return 3

    def elaborate(self, platform):
        m = Module()
        lanes, depth = self._config.lanes, self._config.accumulator_depth
        add, drain = self.add, self.drain
        # The sums of all lanes, the low ones first.
        sums = data.ArrayLayout(signed(ACCUMULATOR_WIDTH), 2 * lanes)
        addends = Signal(sums, reset_less=True)
        before = Signal(sums, reset_less=True)
        totals = Signal(sums)
        drained_buffer = Signal()
        request = {name: getattr(add, name) for name in ("valid", "first", "buffer", "entry")}
        read_now = {name: delay(m, value, 1, name, reset_less=name != "valid") for name, value in request.items()}
        added_now = {
            name: delay(m, value, 1, f"added_{name}", reset_less=name != "valid") for name, value in read_now.items()
        }
        forwards = self._forwards(m, request, added_now)
        m.d.sync += [
            drained_buffer.eq(drain.buffer),
            *(addend.eq(given) for addend, given in zip(addends, [*add.low, *add.high], strict=True)),
        ]
        stored = []
        for number in range(2):
            # An entry is never read while it is written, and saying so spares families whose block memories do not read
            # the old value the logic to imitate that.
            memory = Memory(sums, MemoryConfig(depth=depth, lanes=2 * lanes, hazard="never"))
            m.submodules[f"buffer_{number}"] = memory
            read, write = memory.reads[0], memory.write
            adds = Signal(name=f"adds_{number}")
            m.d.comb += [
                adds.eq(add.valid & (add.buffer == number)),
                read.enable.eq((adds & ~forwards) | (drain.enable & (drain.buffer == number))),
                read.address.eq(Mux(adds, add.entry, drain.entry)),
                write.enable.eq((added_now["valid"] & (added_now["buffer"] == number)).replicate(2 * lanes)),
                write.address.eq(added_now["entry"]),
                write.data.eq(totals),
            ]
            stored.append(read.data)
        for lane, drained in enumerate([*drain.low, *drain.high]):
            found = Mux(read_now["first"], 0, Mux(read_now["buffer"], stored[1][lane], stored[0][lane]))
            m.d.comb += [
                drained.eq(Mux(drained_buffer, stored[1][lane], stored[0][lane])),
                totals[lane].eq(addends[lane] + before[lane]),
            ]
            m.d.sync += before[lane].eq(found)
        if self.revisit < self.settling:
            self._forward(m, forwards, totals, before, read_now["first"])
        return m

    def _forwards(self, m, request, added_now):
        """Whether an addition is to the entry that is written in this cycle."""
        forwards = Signal()
        if self.revisit < self.settling:
            same = [request[name] == added_now[name] for name in ("buffer", "entry")]
            m.d.comb += forwards.eq(request["valid"] & added_now["valid"] & same[0] & same[1])
        return forwards

    @staticmethod
    def _forward(m, forwards, totals, before, first):
        """Give an addition what was written when its entry was to be read."""
        written = Signal.like(totals, reset_less=True)
        m.d.sync += written.eq(totals)
        with m.If(delay(m, forwards, 1, "forwards", reset_less=False) & ~first):
            m.d.sync += before.eq(written)
