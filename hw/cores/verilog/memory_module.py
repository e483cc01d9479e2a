"""A memory as a module of Verilog that every tool infers, with its contents at power-on stated."""

from dataclasses import dataclass
from typing import Any

from amaranth.hdl import ClockSignal, Const, Shape, Value
from amaranth.lib import memory

__all__ = ["MemoryModule"]

# Quartus refuses a loop of more than 5000 rounds, Vivado one of more than 65536.
_LOOP_ROUNDS = 1024


@dataclass(frozen=True, kw_only=True)
class MemoryModule:
    """Key of a memory's module: memories with equal keys share one.

    Parameters
    ----------
    width, depth : int
        Bits of a row, and rows.
    init : tuple of int
        The rows at power-on, without the zeros at the end.
    attributes : tuple of (str, value)
        Verilog attributes of the array, for vendors' tools.
    reads : tuple of bool
        For each read port whether it is clocked.
    writes : int
        Number of write ports.
    read_clock : bool
        Clocked reads have another clock than writes.
    """

    width: int
    depth: int
    init: tuple[int, ...]
    attributes: tuple[tuple[str, int | str], ...]
    reads: tuple[bool, ...]
    writes: int
    read_clock: bool

    @classmethod
    def of(cls, source: memory.Memory) -> "MemoryModule":
        """The module of a memory.

        Raises
        ------
        ValueError
            The memory's read ports, or its write ports, are in several clock domains, a read port forwards what is
            written, or a write port has an enable for parts of a row: tools infer such memories wrongly, or not at all.
        """
        if any(port.transparent_for for port in source.read_ports):
            raise ValueError("Read ports of a memory must not be transparent: hazards are resolved outside of it")
        if any(len(port.en) != 1 for port in source.write_ports):
            raise ValueError("Write ports of a memory must write whole rows: use a memory for each lane")
        reading = {port.domain for port in source.read_ports} - {"comb"}
        writing = {port.domain for port in source.write_ports}
        for kind, domains in (("Read", reading), ("Write", writing)):
            if len(domains) > 1:
                raise ValueError(
                    f"{kind} ports of a memory must be in one clock domain, not in {', '.join(sorted(domains))}"
                )
        # As a list, and numbers as they are: a design may have millions of rows.
        rows = [row if isinstance(row, int) else Const.cast(Const(row, source.shape)).value for row in source.init[:]]
        while rows and not rows[-1]:
            rows.pop()
        width = Shape.cast(source.shape).width
        return cls(
            width=width,
            depth=source.depth,
            init=tuple(row & ((1 << width) - 1) for row in rows),
            attributes=tuple(sorted(source.attrs.items())),
            reads=tuple(port.domain != "comb" for port in source.read_ports),
            writes=len(source.write_ports),
            read_clock=len(reading | writing) > 1,
        )

    def connections(self, source: memory.Memory) -> dict[str, Any]:
        """Connections of an instance's ports, as keywords of ``Instance``."""
        connected: dict[str, Any] = {}
        for kind, ports in (("read", source.read_ports), ("write", source.write_ports)):
            for index, port in enumerate(ports):
                if port.domain != "comb":
                    clock = self._read_clock if kind == "read" else "clk"
                    connected[f"i_{clock}"] = ClockSignal(port.domain)
                    connected[f"i_{kind}_{index}_enable"] = port.en
                if self.depth > 1:
                    connected[f"i_{kind}_{index}_address"] = port.addr
                connected[f"{'o' if kind == 'read' else 'i'}_{kind}_{index}_data"] = Value.cast(port.data)
        return connected

    def verilog(self, name: str) -> str:
        """The text of the module."""
        ports = self._ports()
        attributes = ", ".join(f"{key} = {_literal(value)}" for key, value in self.attributes)
        array = f"{f'(* {attributes} *) ' if attributes else ''}reg [{self.width - 1}:0] words [0:{self.depth - 1}];"
        reads = [line for index in range(len(self.reads)) for line in self._read(index)]
        writes = [line for index in range(self.writes) for line in self._write(index)]
        lines = [*(f"{kind} {port};" for port, kind in ports.items()), array, *self._contents(), *writes, *reads]
        return "\n".join([f"module {name}({', '.join(ports)});", *(f"  {line}" for line in lines), "endmodule"])

    @property
    def _read_clock(self) -> str:
        return "read_clk" if self.read_clock else "clk"

    def _ports(self) -> dict[str, str]:
        """Direction and range of each port."""
        ports = {"clk": "input"} if self.writes or any(self.reads) else {}
        if self.read_clock:
            ports[self._read_clock] = "input"
        for index, clocked in enumerate(self.reads):
            if clocked:
                ports[f"read_{index}_enable"] = "input"
            if self.depth > 1:
                ports[f"read_{index}_address"] = _ranged("input", (self.depth - 1).bit_length())
            ports[f"read_{index}_data"] = _ranged("output reg" if clocked else "output", self.width)
        for index in range(self.writes):
            ports[f"write_{index}_enable"] = "input"
            if self.depth > 1:
                ports[f"write_{index}_address"] = _ranged("input", (self.depth - 1).bit_length())
            ports[f"write_{index}_data"] = _ranged("input", self.width)
        return ports

    def _contents(self) -> list[str]:
        """The contents at power-on.

        Yosys would unroll the loop for minutes, a row a pass; the memories that it maps to start as zeros without.
        """
        given = [f"words[{row}] = {self.width}'h{value:x};" for row, value in enumerate(self.init)]
        rest = len(self.init)
        loops = [
            "`ifndef YOSYS",
            "integer first, row;",
            "initial",
            f"  for (first = {rest}; first < {self.depth}; first = first + {_LOOP_ROUNDS})",
            f"    for (row = first; row < first + {_LOOP_ROUNDS} && row < {self.depth}; row = row + 1)",
            f"      words[row] = {self.width}'h0;",
            "`endif",
        ]
        return [
            *(["initial begin", *(f"  {line}" for line in given), "end"] if given else []),
            *(loops if rest < self.depth else []),
        ]

    def _read(self, index: int) -> list[str]:
        row, data = f"words[{self._address('read', index)}]", f"read_{index}_data"
        if not self.reads[index]:
            return [f"assign {data} = {row};"]
        clock = f"always @(posedge {self._read_clock})"
        return [clock, f"  if (read_{index}_enable) begin", f"    {data} <= {row};", "  end"]

    def _write(self, index: int) -> list[str]:
        row = f"words[{self._address('write', index)}]"
        return ["always @(posedge clk) begin", f"  if (write_{index}_enable) {row} <= write_{index}_data;", "end"]

    def _address(self, kind: str, index: int) -> str:
        return f"{kind}_{index}_address" if self.depth > 1 else "0"


def _ranged(direction: str, width: int) -> str:
    return f"{direction} [{width - 1}:0]" if width > 1 else direction


def _literal(value: int | str) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value)
