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

        buffer 0 ----.                         every entry is read one cycle before it is written back, or two
        buffer 1 --> Mux --> + <-- addend
            ^     (register) |                 (if pipelined)
            '----------------'                 the other buffer is drained

    An addition with ``first`` overwrites the entry. Number format: 57-bit signed, no rounding; wraps beyond 57
    bits, which 511 products of 32 by 17 bits cannot reach.

    Latency: an addition in cycle t is seen by another addition of the same entry in cycle ``t + revisit`` or later, and
    by a drain in cycle ``t + settling`` or later; one addition a cycle otherwise. Drained sums come one cycle after the
    request. In one cycle, addition and drain must be of different buffers; if they are not, the drained value is
    undefined. No back-pressure.

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
        """Cycles after an addition until its entry may be added to again: as many as there are lanes are enough."""
        return 2

    @property
    def settling(self):
        """Cycles after an addition until its entry may be drained."""
        return 2 + self._config.pipelined

    def elaborate(self, platform):
        m = Module()
        lanes, depth, add, drain = self._config.lanes, self._config.accumulator_depth, self.add, self.drain
        pipelined = self._config.pipelined
        # The sums of all lanes, the low ones first.
        sums = data.ArrayLayout(signed(ACCUMULATOR_WIDTH), 2 * lanes)
        totals, forwards, drained_buffer = Signal(sums), Signal(), Signal()
        request = {name: getattr(add, name) for name in ("valid", "first", "buffer", "entry")}
        # The additions that were read for, and whose sums are written, in this cycle.
        read_for = _later(m, request, "read_for")
        added_to = _later(m, read_for, "added_to") if pipelined else read_for
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
                write.enable.eq((added_to["valid"] & (added_to["buffer"] == number)).replicate(2 * lanes)),
                write.address.eq(added_to["entry"]),
                write.data.eq(totals),
            ]
            stored.append(read.data)
        m.d.sync += drained_buffer.eq(drain.buffer)
        held = []
        for lane, (given, drained) in enumerate(zip([*add.low, *add.high], [*drain.low, *drain.high], strict=True)):
            # Yosys orders operands by name: where its name sorts after the addend's, the choice fits the adder's LUTs.
            before = Signal(sums.elem_shape, name=f"before_{lane}", reset_less=True)
            m.d.comb += [
                drained.eq(Mux(drained_buffer, stored[1][lane], stored[0][lane])),
                totals[lane].eq(delay(m, given, 1 + pipelined, f"addend_{lane}") + before),
            ]
            m.d[("comb", "sync")[pipelined]] += before.eq(
                Mux(read_for["first"], 0, Mux(read_for["buffer"], stored[1][lane], stored[0][lane]))
            )
            held.append(before)
        if pipelined:
            self._forward(m, request, read_for, added_to, forwards, totals, held)
        return m

    @staticmethod
    def _forward(m, request, read_for, added_to, forwards, totals, held):
        """An addition to the entry that is written in this cycle gets it from the register of what was written."""
        same = [request[name] == added_to[name] for name in ("buffer", "entry")]
        written = Signal.like(totals, reset_less=True)
        m.d.comb += forwards.eq(request["valid"] & added_to["valid"] & same[0] & same[1])
        m.d.sync += written.eq(totals)
        with m.If(delay(m, forwards, 1, "forwarded", reset_less=False) & ~read_for["first"]):
            m.d.sync += [before.eq(sum_) for before, sum_ in zip(held, written, strict=True)]


def _later(m, addition, name):
    """An addition a cycle later; only whether there is one is reset."""
    return {
        field: delay(m, value, 1, f"{name}_{field}", reset_less=field != "valid") for field, value in addition.items()
    }
