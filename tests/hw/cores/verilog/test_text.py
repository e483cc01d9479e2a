"""Each rule on the text: what a tool makes of Amaranth's Verilog without it, and with it."""

import re
import subprocess

import pytest
from amaranth.back import verilog
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.random.config import GaussianConfig
from rewardware.hw.cores.random.gaussian import GaussianNoise
from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.cores.verilog.text import (
    LINE_LENGTH,
    begin_processes,
    clean,
    join_processes,
    name_elements,
    remove_empty,
    wrap,
)
from rewardware.hw.soc.export.tools import ToolError, run_tool
from rewardware.sim.cocotb import simulate
from rewardware.sim.verilator.toolchain import find_toolchain


def amaranth_verilog(component):
    return verilog.convert(component, name="top", emit_src=False, strip_internal_attrs=True)


def verilator_says(text, folder):
    (folder / "top.v").write_text(text)
    tools = find_toolchain()
    command = [tools.verilator, "--lint-only", "-Wall", "--top-module", "top", "top.v"]
    return subprocess.run(command, cwd=folder, env=tools.environment, capture_output=True, text=True).stderr


class Narrow(wiring.Component):
    """A signal without bits, as the index of a table with one row is."""

    def __init__(self):
        super().__init__({"i": In(4), "o": Out(4)})

    def elaborate(self, platform):
        m = Module()
        index = Signal(range(1))
        m.d.comb += [index.eq(self.i), self.o.eq(self.i + index)]
        return m


def test_signals_without_bits_are_removed(tmp_path):
    """Verilator takes ``wire [-1:0] x`` for two bits, and warns of its range."""
    text = amaranth_verilog(Narrow())
    assert "[-1:0]" in text and "ASCRANGE" in verilator_says(text, tmp_path)
    assert "[-1:0]" not in emit(Narrow()) and "ASCRANGE" not in verilator_says(emit(Narrow()), tmp_path)


def test_a_signal_without_bits_that_is_used_is_refused():
    with pytest.raises(ValueError, match="Signal index has no bits, which Verilog cannot express, but is used"):
        remove_empty("module top(i);\n  wire [-1:0] index;\n  assign x = y[index];\nendmodule\n")


def test_elements_of_arrays_have_plain_names(tmp_path):
    r"""In a netlist of single bits, ``\w[0] `` is bit 0 of ``w``: Yosys finds it driven twice."""
    text = emit(GaussianNoise(GaussianConfig(lanes=3)))
    assert "noise__payload_2_element" in text
    assert not re.search(r"\\[^$\s]*\[", text)
    module = (
        "module top(input a, input b, output x, output y);\n"
        "  wire \\w[0] ;\n  wire [1:0] w;\n"
        "  assign \\w[0]  = a & b;\n  assign w = {a ^ b, a | b};\n"
        "  assign x = \\w[0] ^ w[0];\n  assign y = w[1];\nendmodule\n"
    )

    def through_netlist(text):
        (tmp_path / "top.v").write_text(text)
        script = "read_verilog top.v; hierarchy -top top; techmap; write_blif top.blif; design -reset"
        run_tool("yosys", ["-q", "-p", f"{script}; read_blif top.blif; check -assert"], tmp_path, "log")

    with pytest.raises(ToolError, match="Found 1 problems in 'check -assert'"):
        through_netlist(module)
    through_netlist(name_elements(module))


def test_elements_of_different_arrays_keep_different_names():
    assert name_elements(r"\w[3][0] , \w$3[0] ;") == "w_3_0_element , w$3_0_element ;"


class PartlyConstant(wiring.Component):
    """Some bits of the output depend on the inputs, the others are always the same."""

    def __init__(self):
        super().__init__({"choose": In(1), "value": In(4), "o": Out(8)})

    def elaborate(self, platform):
        m = Module()
        mixed = Signal(8)
        m.d.comb += [mixed.eq(0xB0), self.o.eq(mixed)]
        with m.If(self.choose):
            m.d.comb += mixed[:4].eq(self.value)
        return m


def test_constant_parts_take_effect():
    """Constant parts are no ``always @*`` that reads nothing, which would stay unknown in a simulator of Verilog."""
    assert "always @*\n    o[7:4] = 4'hb;" in amaranth_verilog(PartlyConstant())
    simulate(PartlyConstant(), bench="tests.hw.cores.verilog.bench_text", tests="constant_parts")


def test_processes_begin_by_a_change_in_the_first_time_step():
    yosys = "module top(o);\n  reg \\$auto$verilog_backend.cc:1:dump_module$1  = 0;\n  output o;\n  reg o;\n"
    process = (
        "  always @* begin\n    if (\\$auto$verilog_backend.cc:1:dump_module$1 ) begin end\n    o = 1'h1;\n  end\n"
    )
    text = begin_processes(f"{yosys}{process}endmodule\n")
    assert text.startswith("module top(o);\n  reg \\$beginning ;\n  initial \\$beginning <= 1'b0;\n  output o;\n")
    assert "if (\\$beginning ) begin end\n    o = 1'h1;" in text and "$auto" not in text
    for value in ("1'h1", "y", "\\\\y$1  [3:0]"):
        text = begin_processes(f"module top(o, y);\n  always @*\n    o[7:4] = {value};\nendmodule\n")
        assert f"  always @* begin\n    if (\\$beginning ) begin end\n    o[7:4] = {value};\n  end\n" in text
    plain = "module top(o);\n  output o;\n  assign o = 1'h1;\nendmodule\n"
    assert begin_processes(plain) == plain


def test_registers_of_one_edge_are_set_by_one_process():
    head = "module top(clk, rst, other);\n  reg a = 1'h0;\n"
    several = "  always @(posedge clk, posedge rst)\n    if (rst) e <= 1'h0;\n    else e <= d;\n"
    block = "  always @(posedge clk) begin\n    if (we) words[address] <= data;\n  end\n"
    combinational = "  always @* begin\n    x = y;\n  end\n"
    text = (
        f"{head}{block}  always @(posedge clk)\n    a <= \\$1 ;\n  always @(posedge other)\n    b <= a;\n{several}"
        "  always @(posedge clk)\n    if (!enable) c <= 8'h00;\n    else c <= { b,\n        a };\n"
        f"{combinational}  always @(negedge clk)\n    d <= c;\nendmodule\n"
    )
    assert join_processes(text) == (
        f"{head}{block}  always @(posedge clk) begin\n"
        "    a <= \\$1 ;\n    if (!enable) c <= 8'h00;\n    else c <= { b,\n        a };\n  end\n"
        f"  always @(posedge other) begin\n    b <= a;\n  end\n{several}"
        f"{combinational}  always @(negedge clk) begin\n    d <= c;\n  end\nendmodule\n"
    )


def test_long_lines_are_broken_at_blanks():
    names = [f"\\port[{index}] " for index in range(100)]
    line = f"    {{ {', '.join(names)} }};"
    lines = wrap(line).split("\n")
    assert all(len(line) <= LINE_LENGTH for line in lines) and len(lines) > 5
    assert " ".join(wrap(line).split()) == " ".join(line.split())
    assert wrap(f'  (* src = "{"a " * 100}" *)') == f'  (* src = "{"a " * 100}" *)'


def test_rules_are_for_every_module():
    one = "module a(o);\n  output o;\n  wire [-1:0] x;\n  assign o = 1'h0;\nendmodule\n"
    assert clean(one + one.replace("module a", "module b")).count("x") == 0
