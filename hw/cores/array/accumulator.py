"""Two buffers of accumulators: one accumulates while the other is drained."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
from ..pipeline import delay, delay_record
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

        buffer 0 ----.                         every entry is read one cycle before it is written back, two if pipelined
        buffer 1 --> Mux --> + <-- addend
            ^     (register) |
            '----------------'                 the other buffer is drained

    An addition with ``first`` overwrites the entry. Number format: 57-bit signed, no rounding; wraps beyond 57
    bits, which 511 products of 32 by 17 bits cannot reach.

    Latency: an addition in cycle t is seen by a drain or another addition of the same entry in cycle
    ``t + revisit`` or later; one addition a cycle otherwise. Drained sums come one cycle after the request. In one
    cycle, addition and drain must be of different buffers; if they are not, the drained value is undefined. No
    back-pressure.

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
        """Cycles after an addition until its entry may be added to, or drained, again."""
        return 2

    def elaborate(self, platform):
        m = Module()
        lanes, depth, add, drain = self._config.lanes, self._config.accumulator_depth, self.add, self.drain
        pipelined = self._config.pipelined
        # The sums of all lanes, the low ones first.
        sums = data.ArrayLayout(signed(ACCUMULATOR_WIDTH), 2 * lanes)
        totals, drained_buffer = Signal(sums), Signal()
        request = Signal(data.StructLayout({"valid": 1, "first": 1, "buffer": 1, "entry": range(depth)}))
        m.d.comb += [request[name].eq(getattr(add, name)) for name in ("valid", "first", "buffer", "entry")]
        # The additions that were read for, and whose sums are written, in this cycle.
        read_for = delay_record(m, request, 1, "read_for")
        added_to = delay_record(m, read_for, 1, "added_to") if pipelined else read_for
        # Without the register an entry is never read while it is written, and saying so spares families whose block
        # memories do not read the old value the logic to imitate that.
        memory_config = MemoryConfig(depth=depth, lanes=2 * lanes, hazard="forward" if pipelined else "never")
        stored = []
        for number in range(2):
            m.submodules[f"buffer_{number}"] = memory = Memory(sums, memory_config)
            read, write = memory.reads[0], memory.write
            adds = Signal(name=f"adds_{number}")
            m.d.comb += [
                adds.eq(add.valid & (add.buffer == number)),
                read.enable.eq(adds | (drain.enable & (drain.buffer == number))),
                read.address.eq(Mux(adds, add.entry, drain.entry)),
                write.enable.eq((added_to.valid & (added_to.buffer == number)).replicate(2 * lanes)),
                write.address.eq(added_to.entry),
                write.data.eq(totals),
            ]
            stored.append(read.data)
        m.d.sync += drained_buffer.eq(drain.buffer)
        for lane, (given, drained) in enumerate(zip([*add.low, *add.high], [*drain.low, *drain.high], strict=True)):
            # Yosys orders operands by name: where its name sorts after the addend's, the choice fits the adder's LUTs.
            before = Signal(sums.elem_shape, name=f"before_{lane}")
            m.d.comb += [
                drained.eq(Mux(drained_buffer, stored[1][lane], stored[0][lane])),
                before.eq(Mux(read_for.first, 0, Mux(read_for.buffer, stored[1][lane], stored[0][lane]))),
                totals[lane].eq(
                    delay(m, given, 1 + pipelined, f"addend_{lane}") + delay(m, before, pipelined, f"before_{lane}")
                ),
            ]
        return m
