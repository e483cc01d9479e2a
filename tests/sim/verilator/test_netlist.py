import pytest

from rewardware.hw.cores.verilog.emit import emit
from rewardware.sim.verilator.netlist import Netlist, Port

from .circuits import Circuit

TEXT = r"""
module \top.leaf (clk, a, b, c, sum, \odd.name , kept);
  (* init = 4'h0 *)
  input clk;
  input [3:0] a;
  wire [3:0] a;
  input [3:0] b;
  input c;
  output [3:0] sum;
  output \odd.name ;
  reg \odd.name ;
  output [3:0] kept;
  reg [3:0] kept = 4'h0;
  wire [3:0] \a$1 ;
  always @(posedge clk)
    if (c) begin
      kept <= a;
    end
  always @(posedge clk) begin
    kept <= b;
  end
  always @* begin
    if (c) begin
      \odd.name = 1'h0;
    end
  end
  assign \a$1 = a[1:0] +
    4'h2;
  assign sum = \a$1 | kept;
endmodule

module top(aclk, x, y, z, w);
  input aclk;
  input [3:0] x;
  input y;
  output [3:0] z;
  output w;
  wire [3:0] between;
  wire [3:0] \kept[0] ;
  \top.leaf  one (
    .a(x),
    .b(x),
    .c(y),
    .clk(aclk),
    .kept(\kept[0] ),
    .\odd.name (w),
    .sum(between)
  );
  \top.leaf  other (
    .a(\kept[0] ),
    .b(between),
    .c(1'h1),
    .clk(aclk),
    .sum(z)
  );
endmodule
"""


def test_ports_instances_and_sizes_are_read():
    netlist = Netlist(TEXT, "top")
    assert list(netlist.modules) == ["top.leaf", "top"] and netlist.counts == {"top": 1, "top.leaf": 2}
    leaf = netlist.modules["top.leaf"]
    assert leaf.ports["a"] == Port(output=False, width=4) and leaf.ports["odd.name"] == Port(output=True, width=1)
    assert netlist.sizes["top"] == netlist.modules["top"].lines + 2 * leaf.lines
    assert netlist.clocks == {"top.leaf": {"clk"}, "top": {"aclk"}}


def test_outputs_depend_on_inputs_that_no_register_is_between():
    netlist = Netlist(TEXT, "top")
    assert netlist.dependences["top.leaf"] == {"sum": {"a"}, "odd.name": {"c"}, "kept": set()}
    # The second instance's sum follows a register of the first.
    assert netlist.dependences["top"] == {"z": set(), "w": {"y"}}


def test_what_is_below_ends_at_those_named():
    netlist = Netlist(TEXT, "top")
    assert netlist.below("top") == ["top.leaf", "top"] == netlist.below("top", ["top.leaf"])
    circuit = Netlist(emit(Circuit()), "top")
    assert "top_stage" in circuit.below("top") and "top_stage" not in circuit.below("top", ["top_inner"])


def test_what_is_in_a_module_with_an_unknown_statement_is_known_all_the_same():
    text = TEXT.replace("  wire [3:0] between;\n", "  wire [3:0] between;\n  final $display(between);\n")
    netlist = Netlist(text, "top")
    assert netlist.modules["top"].drivers is None and set(netlist.dependences) == {"top.leaf"}
    assert Netlist(TEXT.replace("  assign sum", "  generate\n  assign sum"), "top").dependences == {}


def test_a_top_module_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match="Top module must be one of top.leaf, top, not 'bottom'"):
        Netlist(TEXT, "bottom")


def test_dependences_of_a_circuit():
    found = Netlist(emit(Circuit()), "top").dependences
    assert found["top_stage"]["i_ready"] == {"o_ready"} and not found["top_stage"]["o"]
    assert found["top_inner"]["i_ready"] == {"o_ready"} and found["top_inner"]["seen"] == {"start"}
    assert found["top_table"]["now"] == {"address"} and not found["top_table"]["later"]
    assert found["top"]["i_ready"] == {"o_ready"} and found["top"]["wide"] == {"i", "data"}


def test_lines_that_were_too_long_are_read_as_one():
    text = TEXT.replace("module \\top.leaf (", "module \\top.leaf\n    (").replace(
        "  \\top.leaf  one (", "  \\top.leaf\n     one ("
    )
    text = text.replace("  output [3:0] sum;", "  output [3:0]\n    sum;").replace(
        "assign sum = ", "assign sum =\n    "
    )
    assert Netlist(text, "top").dependences == Netlist(TEXT, "top").dependences
