"""Two buffers of accumulators: one accumulates while the other is drained."""

from amaranth.hdl import Module, Mux, Signal, signed
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out

from .config import ACCUMULATOR_WIDTH, ArrayConfig

__all__ = ["AccumulatorBank"]


class AccumulatorBank(wiring.Component):
    """Ping and pong accumulators of one core: each entry is the sum of what was added to it.

    An addition with ``add_first`` overwrites the entry. Number format: 57-bit signed, no rounding; wraps beyond 57
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
    add_valid, add_first : In(1)
    add_buffer : In(1)
    add_index : In(range(depth))
    add_low, add_high : In(signed(57)).array(lanes)
    drain_enable : In(1)
    drain_buffer : In(1)
    drain_index : In(range(depth))
    drain_low, drain_high : Out(signed(57)).array(lanes)

    Source
    ------
    FIXAR, section V-B.
    """

    def __init__(self, config: ArrayConfig):
        self._config = config
        lanes, depth = config.lanes, config.accumulator_depth
        super().__init__(
            {
                "add_valid": In(1),
                "add_first": In(1),
                "add_buffer": In(1),
                "add_index": In(range(depth)),
                "add_low": In(signed(ACCUMULATOR_WIDTH)).array(lanes),
                "add_high": In(signed(ACCUMULATOR_WIDTH)).array(lanes),
                "drain_enable": In(1),
                "drain_buffer": In(1),
                "drain_index": In(range(depth)),
                "drain_low": Out(signed(ACCUMULATOR_WIDTH)).array(lanes),
                "drain_high": Out(signed(ACCUMULATOR_WIDTH)).array(lanes),
            }
        )

    @property
    def config(self):
        """The configuration."""
        return self._config

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
        depth = self._config.accumulator_depth

        # Every entry is read one cycle before it is written back.
        valid = Signal()
        first = Signal()
        buffer = Signal()
        index = Signal(range(depth))
        drained_buffer = Signal()
        m.d.sync += [
            valid.eq(self.add_valid),
            first.eq(self.add_first),
            buffer.eq(self.add_buffer),
            index.eq(self.add_index),
            drained_buffer.eq(self.drain_buffer),
        ]
        read_enable = [Signal(name=f"read_enable_{number}") for number in range(2)]
        read_index = [Signal(range(depth), name=f"read_index_{number}") for number in range(2)]
        write_enable = [Signal(name=f"write_enable_{number}") for number in range(2)]
        for number in range(2):
            adds = Signal(name=f"adds_{number}")
            m.d.comb += [
                adds.eq(self.add_valid & (self.add_buffer == number)),
                read_enable[number].eq(adds | (self.drain_enable & (self.drain_buffer == number))),
                read_index[number].eq(Mux(adds, self.add_index, self.drain_index)),
                write_enable[number].eq(valid & (buffer == number)),
            ]

        for half, added, drained in (
            ("low", self.add_low, self.drain_low),
            ("high", self.add_high, self.drain_high),
        ):
            for lane in range(self._config.lanes):
                shape = signed(ACCUMULATOR_WIDTH)
                addend = Signal(shape, name=f"{half}_addend_{lane}", reset_less=True)
                total = Signal(shape, name=f"{half}_total_{lane}")
                stored = [Signal(shape, name=f"{half}_stored_{lane}_{number}") for number in range(2)]
                m.d.sync += addend.eq(added[lane])
                m.d.comb += [
                    total.eq(Mux(first, 0, Mux(buffer, stored[1], stored[0])) + addend),
                    drained[lane].eq(Mux(drained_buffer, stored[1], stored[0])),
                ]
                for number in range(2):
                    # An entry is never read while it is written, and saying so spares families whose block memories do
                    # not read the old value the logic to imitate that.
                    memory = Memory(shape=shape, depth=depth, init=[], attrs={"no_rw_check": 1})
                    m.submodules[f"{half}_{lane}_{number}"] = memory
                    read, write = memory.read_port(), memory.write_port()
                    m.d.comb += [
                        read.en.eq(read_enable[number]),
                        read.addr.eq(read_index[number]),
                        stored[number].eq(read.data),
                        write.en.eq(write_enable[number]),
                        write.addr.eq(index),
                        write.data.eq(total),
                    ]
        return m
