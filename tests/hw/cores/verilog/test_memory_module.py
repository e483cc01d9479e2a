import re
import shutil
import subprocess

import numpy as np
import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import Out
from amaranth.sim import Simulator

from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.cores.verilog.memory_module import MemoryModule
from rewardware.sim.cocotb import simulate

from .memories import Memories, Split

WORDS = ("late", "now", "given", "single")


def amaranth_outputs(inputs):
    outputs, component = [], Memories()

    async def bench(context):
        for values in inputs:
            for name, value in values.items():
                context.set(getattr(component, name), value)
            outputs.append({name: context.get(getattr(component, name)) for name in WORDS})
            await context.tick()

    simulator = Simulator(component)
    simulator.add_clock(1e-8)
    simulator.add_testbench(bench)
    simulator.run()
    return outputs


def test_same_words_as_of_amaranths_memories():
    random = np.random.default_rng(1)
    rows = [0, 1, 2, 1023, 1024, 1499]
    # The first read goes through every register of a read port before anything is compared.
    inputs = [{"address": row, "data": 0, "write": 0, "read": 1} for row in (*rows, 0)]
    inputs += [
        {"address": int(random.choice(rows)), "data": int(data), "write": int(data % 2), "read": int(data % 5 > 0)}
        for data in random.integers(0, 256, 300)
    ]
    outputs = amaranth_outputs(inputs)
    parameters = {"inputs": inputs, "outputs": outputs, "words": WORDS}
    simulate(Memories(), bench="tests.hw.cores.verilog.bench_memory_module", parameters=parameters)


def test_memories_start_as_stated_in_icarus_where_it_is_installed(tmp_path):
    """Rows that nobody has written are zeros, or what the design says, not unknown."""
    if shutil.which("iverilog") is None:
        return
    rows = (0, 1, 2, 3, 1023, 1024, 1499)
    outputs = amaranth_outputs([{"address": row, "data": 0, "write": 0, "read": 1} for row in (0, *rows, 0)])
    ports = ("address", "write", "read", "data", "clk", *WORDS)
    reads = [f"    address = {row}; #5 clk = 1; #5 clk = 0; show;" for row in (0, *rows)]
    bench = [
        "module bench;",
        "  reg [10:0] address = 0; reg write = 0; reg read = 1; reg [7:0] data = 0; reg clk = 0;",
        *(f"  wire [7:0] {name};" for name in WORDS),
        f"  top dut ({', '.join(f'.{port}({port})' for port in ports)});",
        f'  task show; $display("{" ".join(["%d"] * len(WORDS))}", {", ".join(WORDS)}); endtask',
        "  initial begin",
        *reads,
        "  end",
        "endmodule",
    ]
    (tmp_path / "bench.v").write_text("\n".join(bench) + "\n")
    (tmp_path / "top.v").write_text(emit(Memories()))
    for command in (["iverilog", "-g2005", "-o", "bench", "bench.v", "top.v"], ["./bench"]):
        said = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    shown = [dict(zip(WORDS, map(int, line.split()), strict=True)) for line in said.splitlines()]
    clocked = [name for name in WORDS if name != "now"]
    assert [[word[name] for name in clocked] for word in shown] == [
        [word[name] for name in clocked] for word in outputs[1:]
    ]
    assert all(word["now"] == 0 for word in shown) and [word["given"] for word in shown[1:4]] == [3, 0, 9]


def test_equal_memories_are_one_module():
    text = emit(Split())
    assert re.findall(r"^module (\w+)", text, re.MULTILINE) == ["top_memory_16x8", "top_memory_16x8_1", "top"]
    assert re.findall(r"^  (\w+) (?:one|other|third) \(", text, re.MULTILINE) == [
        "top_memory_16x8",
        "top_memory_16x8",
        "top_memory_16x8_1",
    ]


def test_contents_are_a_loop_of_few_rounds():
    """Rows spelt out are minutes of conversion; Quartus refuses a loop of more than 5000 rounds."""
    text = emit(Memories())
    assert len(re.findall("words\\[row\\] = 8'h0;", text)) == 3
    assert "words[0] = 8'h3;\n    words[1] = 8'h0;\n    words[2] = 8'h9;" in text
    assert "first = 3; first < 1500; first = first + 1024" in text


class TwoClocks(wiring.Component):
    """A memory with a port in ``sync`` and others in ``other``."""

    def __init__(self, kind):
        self.kind = kind
        super().__init__({"data": Out(8)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.memory = memory = Memory(shape=8, depth=4, init=[])
        m.d.comb += self.data.eq(memory.read_port().data)
        memory.write_port(domain="other")
        if self.kind == "read":
            memory.read_port(domain="other")
        if self.kind == "write":
            memory.write_port(domain="sync")
        return m


def test_reads_may_have_another_clock_than_writes():
    text = emit(TwoClocks("both"))
    assert "always @(posedge clk) begin\n    if (write_0_enable)" in text
    assert "always @(posedge read_clk)\n    if (read_0_enable)" in text
    assert re.search(r"\.clk\(other_clk\),.*\.read_clk\(clk\)", text, re.DOTALL)


@pytest.mark.parametrize("kind", ["read", "write"])
def test_ports_of_a_kind_are_of_one_clock_domain(kind):
    message = f"{kind.capitalize()} ports of a memory must be in one clock domain, not in other, sync"
    with pytest.raises(ValueError, match=message):
        emit(TwoClocks(kind))


@pytest.mark.parametrize(
    ("add", "message"),
    [
        (lambda memory: memory.read_port(transparent_for=(memory.write_port(),)), "must not be transparent"),
        (lambda memory: memory.write_port(granularity=4), "must write whole rows: use a memory for each lane"),
    ],
)
def test_what_tools_infer_wrongly_is_refused(add, message):
    memory = Memory(shape=8, depth=4, init=[])
    add(memory)
    with pytest.raises(ValueError, match=message):
        MemoryModule.of(memory)
