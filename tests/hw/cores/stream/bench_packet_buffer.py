"""Packets through buffers that are cleared at any time: what follows a clear is whole, what was cut off is ended."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.sim.cocotb import clock_and_reset, compare, rng

CYCLES = 3000
# A row is the number of its packet and its place in it, times an odd number, so that all of its bits change.
PLACES = 8
FACTOR = 40503


class Packets:
    """A source of packets that holds back at random, and keeps the rules unless it is restarted."""

    def __init__(self, port, random):
        self.port, self.random = port, random
        self.packet, self.place, self.length = 0, 0, 1
        self.new()
        port.valid.value = 0

    def new(self):
        self.packet, self.place, self.length = self.packet + 1, 0, int(self.random.integers(1, PLACES))

    def drive(self):
        """After an edge: takes the step that it brought, and offers the next row."""
        if not self.port.valid.value or self.taken:
            self.port.valid.value = int(self.random.random() < 0.7)
        data = (self.packet * PLACES + self.place) * FACTOR % (1 << 16)
        self.port.payload.value = data | (self.place == self.length - 1) << 16

    def sample(self):
        """At an edge."""
        self.taken = bool(self.port.valid.value and self.port.ready.value)
        row = (self.packet, self.place, int(self.place == self.length - 1))
        if self.taken:
            self.place += 1
            if self.place == self.length:
                self.new()
        return row if self.taken else None


class Port:
    def __init__(self, dut, name):
        for part in ("valid", "ready", "payload"):
            setattr(self, part, getattr(dut, f"{name}__{part}"))

    @property
    def taken(self):
        return bool(self.valid.value and self.ready.value)

    @property
    def row(self):
        bits = int(self.payload.value)
        number = bits * pow(FACTOR, -1, 1 << 16) % (1 << 16)
        return number // PLACES, number % PLACES, bits >> 16


@cocotb.test()
async def intake_discards_the_rest_of_what_it_cut(dut):
    random = rng("intake")
    source, sink = Packets(Port(dut, "intake__i"), random), Port(dut, "intake__o")
    dut.intake__clear.value = 0
    await clock_and_reset(dut)
    expected, cut, cleared, discarded = [], None, 0, 0
    for _ in range(CYCLES):
        await RisingEdge(dut.clk)
        clear = bool(dut.intake__clear.value)
        compare(len(expected), dut.intake__level.value, "level", 0)
        compare(source.packet == cut, dut.intake__ending.value, "ending", 0)
        compare(source.place > 0, dut.intake__is_open.value, "is_open", 0)
        row = source.sample()
        if sink.taken and not clear:
            compare(expected.pop(0), sink.row, "rows", 0)
        if row is not None and row[0] != cut:
            expected.append(row)
        elif row is not None:
            discarded += 1
        if clear:
            # Whether the packet is under way after this cycle.
            expected, cut = [], source.packet if source.place else None
            cleared += 1
        source.drive()
        sink.ready.value = int(random.random() < 0.6)
        dut.intake__clear.value = int(random.random() < 0.03)
    assert cleared > 50 and discarded > 50


@cocotb.test()
async def outlet_ends_what_was_cut(dut):
    random = rng("outlet")
    source, sink = Packets(Port(dut, "outlet__i"), random), Port(dut, "outlet__o")
    dut.outlet__clear.value = 0
    await clock_and_reset(dut)
    expected, waiting, is_open, old, ended, cleared = [], None, False, False, 0, 0
    for _ in range(CYCLES):
        await RisingEdge(dut.clk)
        clear = bool(dut.outlet__clear.value)
        row = source.sample()
        offered = sink.row if sink.valid.value else None
        assert dut.outlet__ending.value == old
        assert not (clear and source.port.ready.value), "rows wait while the buffer is cleared"
        assert old or dut.outlet__level.value == len(expected)
        if waiting is not None:
            assert offered == waiting, "the rules of streams"
        elif offered is not None and old:
            assert offered[2], "a packet that was cut off ends"
        waiting = None if sink.taken else offered
        if sink.taken:
            if old and (not expected or offered[:2] != expected[0][:2]):
                ended += 1
            else:
                compare(expected.pop(0), offered, "rows", 0)
            is_open = not offered[2]
            old = old and is_open
        if row is not None:
            assert not old, "rows wait until the packet is ended"
            expected.append(row)
        if clear:
            cleared += 1
            # The row that is offered stays.
            expected = [] if waiting is None else expected[:1]
            old = is_open or waiting is not None
            if source.place:
                source.new()
            source.port.valid.value = 0
        source.taken = source.taken or clear
        source.drive()
        sink.ready.value = int(random.random() < 0.6)
        dut.outlet__clear.value = int(random.random() < 0.03)
    assert cleared > 50 and ended > 20
