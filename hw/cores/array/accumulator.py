"""Two buffers of accumulators: one accumulates while the other is drained."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ..component import ConfiguredComponent
from ..memory.config import MemoryConfig
from ..memory.memory import Memory
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

        buffer 0 ----.                         every entry is read one cycle before it is written back
        buffer 1 --> Mux --> + <-- addend
            ^                |
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
        lanes, depth = self._config.lanes, self._config.accumulator_depth
        add, drain = self.add, self.drain
        valid, first, buffer, drained_buffer = (Signal(name=name) for name in ("valid", "first", "buffer", "drained"))
        entry = Signal(range(depth))
        # The sums of all lanes, the low ones first.
        sums = data.ArrayLayout(signed(ACCUMULATOR_WIDTH), 2 * lanes)
        addends = [Signal(sums.elem_shape, name=f"addend_{lane}", reset_less=True) for lane in range(2 * lanes)]
        totals = Signal(sums)
        m.d.sync += [
            valid.eq(add.valid),
            first.eq(add.first),
            buffer.eq(add.buffer),
            entry.eq(add.entry),
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
                read.enable.eq(adds | (drain.enable & (drain.buffer == number))),
                read.address.eq(Mux(adds, add.entry, drain.entry)),
                write.enable.eq((valid & (buffer == number)).replicate(2 * lanes)),
                write.address.eq(entry),
                write.data.eq(totals),
            ]
            stored.append(read.data)
        for lane, drained in enumerate([*drain.low, *drain.high]):
            # Yosys orders operands by name: where its name sorts after the addend's, the choice fits the adder's LUTs.
            before = Signal(sums.elem_shape, name=f"before_{lane}")
            m.d.comb += [
                drained.eq(Mux(drained_buffer, stored[1][lane], stored[0][lane])),
                before.eq(Mux(first, 0, Mux(buffer, stored[1][lane], stored[0][lane]))),
                totals[lane].eq(addends[lane] + before),
            ]
        return m
