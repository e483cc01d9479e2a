"""Memories and read-only memories: equality with the reference cycle by cycle, and their documented errors."""

import numpy as np
import pytest
from amaranth.hdl import unsigned
from amaranth.lib import data

from rewardware.hw.cores.memory.config import MemoryConfig
from rewardware.hw.cores.memory.memory import Memory, Rom
from rewardware.hw.cores.memory.ports import ReadPort, WritePort
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.memory.memory import MemoryReference

from ..bench_play import Expected
from ..side_by_side import SideBySide
from ..stimulus import flags

# Width of a lane, and the memory.
CASES = {
    "block": (9, MemoryConfig(depth=11)),
    "single_row": (3, MemoryConfig(depth=1, hazard="forward")),
    "lanes": (5, MemoryConfig(depth=6, lanes=3, readers=2)),
    "forwarding": (7, MemoryConfig(depth=5, lanes=2, readers=2, hazard="forward")),
    "promised": (8, MemoryConfig(depth=7, hazard="never", style="block")),
    "registered": (6, MemoryConfig(depth=9, readers=2, latency=2)),
    "registered_forwarding": (4, MemoryConfig(depth=3, lanes=3, latency=2, hazard="forward")),
    "combinational": (4, MemoryConfig(depth=5, lanes=2, readers=2, latency=0, style="distributed")),
}
# The contents of memories that do not begin with zeros at power-on.
INITIAL = {"block": (3, 511, 0, 77), "registered": tuple(range(9, 18))}
ROMS = {
    "rom": (10, MemoryConfig(depth=13), tuple(range(1000, 1009))),
    "rom_combinational": (3, MemoryConfig(depth=6, readers=2, latency=0), (5, 1, 7, 2, 0, 3)),
    "rom_registered": (3, MemoryConfig(depth=4, latency=2), (1, 2, 3)),
}
CYCLES = 600


def packed(lanes, width):
    """A row of lanes as one number."""
    return sum(int(word) << width * lane for lane, word in enumerate(lanes))


def played(name, width, config, reference, writes):
    """Inputs of a memory's ports, and what is expected of its outputs.

    Addresses are few enough that reads meet writes often; the reads of the first cycles show how memories
    start, and what was never read is not checked.
    """
    rng = np.random.default_rng(len(name))
    inputs, outputs = {}, {}
    reading = flags(rng, (CYCLES, config.readers), 0.7)
    rows = rng.integers(0, config.depth, (CYCLES, config.readers))
    if writes:
        enables = rng.integers(0, 1 << config.lanes, CYCLES) * flags(rng, CYCLES, 0.8)
        enables[: CYCLES // 10] = 0
        addresses = rng.integers(0, config.depth, CYCLES)
        met = flags(rng, CYCLES, 0.4) == 1
        addresses[met] = rows[met, 0]
        words = rng.integers(0, 1 << width, (CYCLES, config.lanes))
        inputs |= {f"{name}__write__enable": enables, f"{name}__write__address": addresses}
        inputs[f"{name}__write__data"] = np.array([packed(word, width) for word in words])
    shown = []
    for cycle in range(CYCLES):
        asked = [row if on else None for row, on in zip(rows[cycle], reading[cycle], strict=True)]
        write = None
        if writes and enables[cycle]:
            lanes = [int(enables[cycle]) >> lane & 1 for lane in range(config.lanes)]
            write = (addresses[cycle], lanes, words[cycle])
        shown.append(reference.step(asked, write))
    for port in range(config.readers):
        inputs[f"{name}__reads__{port}__enable"] = reading[:, port]
        inputs[f"{name}__reads__{port}__address"] = rows[:, port]
        known = np.array([row[port] is not None for row in shown])
        values = np.array([0 if row[port] is None else packed(row[port], width) for row in shown])
        outputs[f"{name}__reads__{port}__data"] = Expected(values, 0, known)
    return inputs, outputs


def test_equals_reference():
    units, inputs, outputs = {}, {}, {}
    for name, (width, config) in CASES.items():
        init = INITIAL.get(name, ())
        units[name] = Memory(data.ArrayLayout(width, config.lanes), config, init)
        given, expected = played(name, width, config, MemoryReference(config, init), writes=True)
        inputs, outputs = inputs | given, outputs | expected
    for name, (width, config, init) in ROMS.items():
        units[name] = Rom(width, config, init)
        given, expected = played(name, width, config, MemoryReference(config, init), writes=False)
        inputs, outputs = inputs | given, outputs | expected
    simulate(
        SideBySide(units),
        bench="tests.hw.cores.bench_play",
        parameters={"inputs": inputs, "outputs": outputs},
    )


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"depth": 0}, "Depth must be from 1 to 16777216, not 0"),
        ({"depth": 4, "lanes": 0}, "Lanes must be from 1 to 1024, not 0"),
        ({"depth": 4, "readers": 65}, "Readers must be from 1 to 64, not 65"),
        ({"depth": 4, "latency": 3}, "Latency must be from 0 to 2, not 3"),
        ({"depth": 4, "hazard": "new"}, "Hazard must be one of old, forward, never, not 'new'"),
        ({"depth": 4, "style": "ultra"}, "Style must be one of auto, block, distributed, not 'ultra'"),
        ({"depth": 4, "latency": 0, "hazard": "forward"}, "Hazard must be old with a latency of 0, not 'forward'"),
    ],
)
def test_bad_configuration_is_refused(fields, message):
    with pytest.raises(ValueError, match=message):
        MemoryConfig(**fields)


def test_lanes_divide_a_row():
    with pytest.raises(ValueError, match="Lanes must divide the 10 bits of a row, not 3"):
        WritePort(unsigned(10), 4, lanes=3)
    with pytest.raises(ValueError, match="Lanes must divide the 10 bits of a row, not 3"):
        Memory(unsigned(10), MemoryConfig(depth=4, lanes=3))


@pytest.mark.parametrize("kind", [Memory, Rom])
def test_rows_at_power_on_fit(kind):
    with pytest.raises(ValueError, match="Rows must be at most 2, not 3"):
        kind(4, MemoryConfig(depth=2), (1, 2, 3))
    with pytest.raises(ValueError, match="Lanes must be 1 for a memory with rows at power-on, not 2"):
        kind(4, MemoryConfig(depth=2, lanes=2), (1, 2))


def test_ports_show_their_parameters():
    read, write = ReadPort(unsigned(6), 5, latency=2), WritePort(unsigned(6), 1, lanes=2)
    assert (read.shape, read.depth, read.latency) == (unsigned(6), 5, 2)
    assert (write.shape, write.depth, write.lanes) == (unsigned(6), 1, 2)
    with pytest.raises(ValueError, match="Latency must be from 0 to 16, not 17"):
        ReadPort(unsigned(6), 5, latency=17)
    with pytest.raises(ValueError, match="Depth must be at least 1, not 0"):
        WritePort(unsigned(6), 0)


def test_ports_of_equal_parameters_are_equal():
    assert ReadPort(unsigned(6), 5) == ReadPort(unsigned(6), 5) != ReadPort(unsigned(6), 5, latency=2)
    assert WritePort(range(7), 5) == WritePort(range(7), 5) != WritePort(range(7), 5, lanes=3)
    assert ReadPort(unsigned(6), 5) != ReadPort(unsigned(6), 9)
