"""A design with its mutants as the elaboration of its component: for tests that simulate with Amaranth, or prove."""

import functools
import json
import operator
import os
from pathlib import Path
from typing import Any

from amaranth.hdl import Cat, Const, Elaboratable, Module, Mux, ResetSignal, Signal, Value
from amaranth.lib import memory, wiring

from rewardware.sim.verilator.cache import build_once, content_key

from .mutants import CONTROL, MUTANT_VARIABLE, MutatedDesign, insert_faults

_BINARY = {
    "$add": operator.add,
    "$sub": operator.sub,
    "$mul": operator.mul,
    "$and": operator.and_,
    "$or": operator.or_,
    "$xor": operator.xor,
    # Inverted behind its extension to the result's width, as below.
    "$xnor": lambda a, b: a ^ b ^ -1,
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$lt": operator.lt,
    "$le": operator.le,
    "$gt": operator.gt,
    "$ge": operator.ge,
    "$shl": operator.lshift,
    "$shr": operator.rshift,
    "$sshr": operator.rshift,
    "$logic_and": lambda a, b: a.any() & b.any(),
    "$logic_or": lambda a, b: a.any() | b.any(),
}
_UNARY = {
    "$pos": lambda a: a,
    "$neg": operator.neg,
    "$not": lambda a: a ^ -1,
    "$logic_not": lambda a: ~a.any(),
    "$reduce_bool": Value.any,
    "$reduce_or": Value.any,
    "$reduce_and": Value.all,
    "$reduce_xor": Value.xor,
}
# Wider than any run of constant bits.
_CONSTANTS = Const(0, 1 << 16), Const(-1, 1 << 16)


class Netlist(Elaboratable):
    """Behaves as a component with the fault that the environment chooses.

    Parameters
    ----------
    design : MutatedDesign
        Made from the component's Verilog.
    top : str
        Its top module.
    component : wiring.Component
        Component whose ports are driven.
    """

    def __init__(self, design: MutatedDesign, top: str, component: wiring.Component):
        module = _netlist(design, top)
        self._ports, self._cells = module["ports"], module["cells"]
        self._component = component
        # Where each bit of the netlist stands: a value, and the bit's number in it.
        self._places: dict[int, tuple[Value, int]] = {}
        self._initial = {
            bit: int(value == "1")
            for net in module["netnames"].values()
            if "init" in net["attributes"]
            for bit, value in zip(net["bits"], reversed(net["attributes"]["init"]), strict=True)
        }

    def elaborate(self, platform):
        m = Module()
        signals = {
            "__".join(map(str, path)): value for path, _, value in self._component.signature.flatten(self._component)
        }
        signals["rst"] = ResetSignal(allow_reset_less=True)
        signals[CONTROL] = Const(int(os.environ.get(MUTANT_VARIABLE, "0")), len(self._ports[CONTROL]["bits"]))
        inputs = [name for name, port in self._ports.items() if port["direction"] == "input" and name != "clk"]
        for name in inputs:
            self._place(self._ports[name]["bits"], Value.cast(signals[name]))
        # Everything has its place before anything is read.
        outputs = [self._output(cell) for cell in self._cells.values()]
        # Each in a module of its own, or every change would have all of them computed anew.
        for cell, output in zip(self._cells.values(), outputs, strict=True):
            m.submodules += self._module(cell, output)
        for name, port in self._ports.items():
            if port["direction"] == "output":
                m.d.comb += Value.cast(signals[name]).eq(self._value(port["bits"]))
        return m

    def _place(self, bits, value):
        for index, bit in enumerate(bits):
            self._places[bit] = value, index

    def _value(self, bits):
        """The bits side by side, neighbours in one piece: a simulation takes its time for each."""
        pieces: list[tuple[Value, int, int]] = []
        for bit in bits:
            value, begin, end = pieces[-1] if pieces else (None, 0, 0)
            # A bit that nothing drives is 0.
            place, index = self._places.get(bit, (_CONSTANTS[bit == "1"], end))
            if value is place and index == end:
                pieces[-1] = value, begin, end + 1
            else:
                pieces.append((place, index, index + 1))
        return Cat(value[begin:end] for value, begin, end in pieces)

    def _output(self, cell):
        """A signal for what a cell gives."""
        port = {"$dff": "Q", "$mem_v2": "RD_DATA"}.get(cell["type"], "Y")
        bits = cell["connections"].get(port, [])
        initial = sum(self._initial.get(bit, 0) << index for index, bit in enumerate(bits))
        output = Signal(len(bits), init=initial, reset_less=True)
        self._place(bits, output)
        return output

    def _module(self, cell, output):
        m, kind = Module(), cell["type"]
        if kind == "$scopeinfo":
            return m
        given = {port: self._value(bits) for port, bits in cell["connections"].items()}
        numbers = {name: int(bits, 2) for name, bits in cell["parameters"].items() if set(bits) <= {"0", "1"}}
        for port in "AB":
            if numbers.get(f"{port}_SIGNED"):
                given[port] = given[port].as_signed()
        if kind == "$dff":
            m.d.sync += output.eq(given["D"])
        elif kind == "$mem_v2":
            self._memory(m, cell, numbers, given, output)
        elif kind == "$mux":
            m.d.comb += output.eq(Mux(given["S"], given["B"], given["A"]))
        elif kind == "$pmux":
            with m.If(given["S"] == 0):
                m.d.comb += output.eq(given["A"])
            for index in range(len(given["S"])):
                with m.If(given["S"][index]):
                    m.d.comb += output.eq(given["B"].word_select(index, len(output)))
        elif kind in _BINARY:
            m.d.comb += output.eq(_BINARY[kind](given["A"], given["B"]))
        elif kind in _UNARY:
            m.d.comb += output.eq(_UNARY[kind](given["A"]))
        else:
            raise NotImplementedError(f"A netlist with a cell of the kind {kind}")
        return m

    def _memory(self, m, cell, numbers, given, output):
        """Reads see the words as they are; writes have a bit of enable for each bit."""
        width, depth = numbers["WIDTH"], numbers["SIZE"]
        initial = cell["parameters"]["INIT"]
        words = [
            int(initial[len(initial) - (row + 1) * width : len(initial) - row * width].replace("x", "0") or "0", 2)
            for row in range(depth)
        ]
        m.submodules.words = words = memory.Memory(shape=width, depth=depth, init=words)
        for port in range(len(output) // width):
            read = words.read_port(domain="comb")
            m.d.comb += [
                read.addr.eq(given["RD_ADDR"].word_select(port, numbers["ABITS"])),
                output.word_select(port, width).eq(read.data),
            ]
        for port in range(len(given["WR_EN"]) // width):
            write = words.write_port(granularity=1)
            m.d.comb += [
                write.addr.eq(given["WR_ADDR"].word_select(port, numbers["ABITS"])),
                write.data.eq(given["WR_DATA"].word_select(port, width)),
                write.en.eq(given["WR_EN"].word_select(port, width)),
            ]


@functools.cache
def _netlist(design: MutatedDesign, top: str) -> dict[str, Any]:
    """The flat module with all faults, and the control input that chooses one."""

    def fill(folder: Path) -> None:
        (folder / "prepared.il").write_text((design.folder / "prepared.il").read_text())
        insert_faults(folder, design.mutants, "memory_collect\nwrite_json netlist.json\n")

    content = {
        "folder": design.folder.name,
        "mutants": [mutant.options for mutant in design.mutants],
        "kind": "netlist",
    }
    folder = build_once("mutants", content_key(**content), fill)
    module = json.loads((folder / "netlist.json").read_text())["modules"][top]
    assert isinstance(module, dict)
    return module
