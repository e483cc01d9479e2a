import numpy as np
import pytest
from amaranth.hdl import Cat, Module, Signal
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.verilog.emit import emit
from rewardware.sim.harness.vectors import evaluate
from rewardware.sim.verilator.netlist import Netlist
from rewardware.sim.verilator.tables import share_tables

ROWS = {"narrow": [3, 1, 2], "wide": [(1 << 64) + 5, 0, 1 << 99, 7, (1 << 100) - 1]}
WIDTHS = {"narrow": 2, "wide": 100}


class Tables(wiring.Component):
    """Read-only memories, read in a register and at once, and one that is written."""

    address: In(2)
    write: In(1)
    data: In(9)
    narrow: Out(2)
    low: Out(64)
    high: Out(36)
    kept: Out(9)
    latency = 0

    def __init__(self, added=0):
        super().__init__()
        self._added = added

    def elaborate(self, platform):
        m = Module()
        for name, rows in ROWS.items():
            m.submodules[name] = table = memory.Memory(
                shape=WIDTHS[name], depth=len(rows), init=[row ^ self._added for row in rows]
            )
            read = table.read_port(domain="sync" if name == "wide" else "comb")
            # The last row of the wide one is read, and none that is not there.
            place = Signal(range(len(rows)), name=f"{name}_place")
            with m.If(self.address < min(len(rows), 3)):
                m.d.comb += place.eq(self.address if name == "narrow" else self.address + 2)
            m.d.comb += [
                read.addr.eq(place),
                (self.narrow if name == "narrow" else Cat(self.low, self.high)).eq(read.data),
            ]
        m.submodules.kept = kept = memory.Memory(shape=9, depth=4, init=[100, 200, 300, 400])
        writes, reads = kept.write_port(), kept.read_port()
        m.d.comb += [writes.addr.eq(self.address), writes.data.eq(self.data), writes.en.eq(self.write)]
        m.d.comb += [reads.addr.eq(self.address), self.kept.eq(reads.data)]
        return m


def test_what_nobody_writes_is_a_constant():
    text = emit(Tables(), "top")
    shared = share_tables(text)
    assert text.count("  initial begin\n") == 3 and shared.count("  initial begin\n") == 1
    assert shared.count("  localparam bit ") == 2 and shared.count("\n") == text.count("\n")
    assert "localparam bit [99:0]" in shared and "localparam bit [1:0]" in shared
    # Which outputs follow which inputs is read from it as before.
    found, expected = Netlist(shared, "top"), Netlist(text, "top")
    assert found.dependences == expected.dependences and len(found.dependences) == len(found.modules)
    assert found.sizes == expected.sizes


def test_rows_that_are_not_all_there_are_left_as_they_are():
    text = emit(Tables(), "top")
    for row in ("[2] = 2'h2", "[0] = 2'h3"):
        assert text.count(row) == 1
        line = next(line for line in text.splitlines(keepends=True) if row in line)
        assert share_tables(text.replace(line, "")).count("  localparam bit ") == 1


@pytest.mark.parametrize("added", [0, 1])
def test_the_rows_are_read_and_the_memory_is_written(added):
    """Two simulators of one process have their own."""
    rng = np.random.default_rng(0)
    inputs = {"address": rng.integers(0, 4, 200), "write": rng.integers(0, 2, 200), "data": rng.integers(0, 512, 200)}
    found = evaluate(Tables(added), inputs)
    kept, before = [100, 200, 300, 400], {"wide": 0, "kept": 0}
    for cycle, (address, write, data) in enumerate(zip(*inputs.values(), strict=True)):
        assert found["narrow"][cycle] == ROWS["narrow"][address if address < 3 else 0] ^ added
        if cycle:
            wide = int(found["low"][cycle]) | int(found["high"][cycle]) << 64
            assert wide == before["wide"] and found["kept"][cycle] == before["kept"]
        before = {"wide": ROWS["wide"][address + 2 if address < 3 else 0] ^ added, "kept": kept[address]}
        if write:
            kept[address] = int(data)
