"""Whether a mutant that no test kills can be told from the design at all, by the model checker in Yosys's ABC."""

import json
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rewardware.hw.soc.export.tools import ToolError, run_tool

from .mutants import Mutant, MutatedDesign, escaped

# Cycles from power-on that are searched where there is no proof, and seconds for the proof and for the search.
CYCLES = 40
PROOF_SECONDS = 20
SEARCH_SECONDS = 10
# For the whole call; one that ends by it has found nothing.
LIMIT_SECONDS = 90

# Inputs of a memory become outputs, and its answers inputs, the same for design and mutant: memories that are
# always given the same answer the same. A proof is then as easy for a large memory as for a small one; a difference
# says nothing, as the answers may be ones that no memory gives. Parts that have a row of their own are cut in the same
# way: they are not the mutant's, and the arithmetic in them is more than a checker can do.
_CUT = "memory_collect\nexpose -evert t:$mem_v2\n"
# Design and mutant side by side as a graph of gates, with registers that start as they do in a simulation: memories
# and what has no value of its own at 0. The pass that maps to gates is only asked to run the checker's script.
_SCRIPT = """\
read_rtlil prepared.il
setattr -mod -unset top {top}
rename {top} design
copy design mutant
cd mutant
mutate {options}
cd ..
{cut}read_verilog views.v
flatten design_view mutant_view
memory_collect
memory_map
miter -equiv -flatten design_view mutant_view miter
opt -full miter
read_verilog watch.v
proc watch
hierarchy -top watch
flatten
techmap
dfflegalize -cell $_DFF_P_ 01
zinit -all
setundef -zero
opt_clean
aigmap
write_aiger pair.aig
delete
read_verilog any.v
simplemap
abc -script check.abc
"""
_PROVE = """\
read_aiger pair.aig
scorr
write_aiger reduced.aig
pdr -T {proof} -L proof.txt
"""
_SEARCH = """\
read_aiger pair.aig
bmc3 -F {cycles} -T {search} -L search.txt
"""
_ANY = "module any(input a, input b, output both); assign both = a & b; endmodule\n"


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Result of the comparison of a mutant with the design.

    Parameters
    ----------
    equivalent : bool
        No input ever shows the difference.
    shown : bool
        Some input shows it.
    cycles : int
        Cycles from power-on in which no input shows it, as far as was looked; 0 for what is equivalent.
    refusal : str
        The last line of what Yosys said where it makes no graph of gates of the design: memories of more bits than it
        has room for, registers with an asynchronous reset, no end within its limit.
    """

    equivalent: bool = False
    shown: bool = False
    cycles: int = 0
    refusal: str = ""


def compare(
    design: MutatedDesign, mutant: Mutant, top: str, refused: dict[str, Comparison] | None = None
) -> Comparison:
    """Compare a mutant with its design from power-on: all outputs, for any inputs.

    A stream's payload counts only while it is valid, address and data of a write only while it is enabled; also of the
    ports of parts that are cut.

    Parameters
    ----------
    design : MutatedDesign
    mutant : Mutant
    top : str
        Name of the design's top module.
    refused : dict or None
        Earlier refusals of Yosys for this design: without its parts and memories, without its memories, and whole. Such
        a comparison is not repeated, as Yosys refuses designs, whatever the mutant. New refusals are added.
    """
    refused = {} if refused is None else refused
    whole, without_parts = (design.folder / "prepared.il").read_text(), design.folder / "without_parts.il"
    cuts = {"parts": without_parts.read_text()} if without_parts.exists() else {}
    if "cell $mem" in whole:
        cuts["memories"] = whole
    for name, text in cuts.items():
        if _has_cell(text, mutant) and (proved := _compare(text, mutant, top, name, refused)).equivalent:
            return proved
    return _compare(whole, mutant, top, "", refused)


def _has_cell(text: str, mutant: Mutant) -> bool:
    """Whether the mutated cell is in a text of RTLIL."""
    return re.search(rf"^ *cell \S+ {re.escape(mutant.cell)}$", text, flags=re.MULTILINE) is not None


def _compare(text: str, mutant: Mutant, top: str, cut_off: str, refused: dict[str, Comparison]) -> Comparison:
    """The same, of all of the design, or with what may come out of what is cut off in its place."""
    if cut_off in refused:
        return refused[cut_off]
    cut = _CUT if cut_off else ""
    with tempfile.TemporaryDirectory(prefix="rewardware-") as name:
        folder = Path(name)
        (folder / "prepared.il").write_text(text)
        _yosys(folder, "ports", f"read_rtlil prepared.il\n{cut}write_json ports.json\n")
        ports = json.loads((folder / "ports.json").read_text())["modules"][top]["ports"]
        (folder / "views.v").write_text(_view("design", ports) + _view("mutant", ports))
        (folder / "watch.v").write_text(_watch([name for name in ports if ports[name]["direction"] == "input"], ports))
        (folder / "any.v").write_text(_ANY)
        check = _PROVE if cut_off else _PROVE + _SEARCH
        (folder / "check.abc").write_text(check.format(proof=PROOF_SECONDS, search=SEARCH_SECONDS, cycles=CYCLES))
        options = re.sub(r"-module \S+", "-module mutant", mutant.options)
        try:
            _yosys(folder, "compare", _SCRIPT.format(top=top, options=options, cut=cut))
        except ToolError as error:
            refused[cut_off] = Comparison(refusal=str(error).splitlines()[-1])
            return refused[cut_off]
        return _read(folder)


def _read(folder: Path) -> Comparison:
    """Read what the checker noted: a proof, a counterexample, or how far it came."""
    if (folder / "reduced.aig").exists() and _is_never((folder / "reduced.aig").read_bytes()):
        return Comparison(equivalent=True)
    cycles = 0
    for file in ("proof.txt", "search.txt"):
        words = (folder / file).read_text().split() if (folder / file).exists() else ["snl_UNK", "0"]
        if words[0] == "snl_UNSAT":
            return Comparison(equivalent=True)
        if words[0] == "snl_SAT":
            # Output and cycle of the counterexample, where the checker says them.
            return Comparison(shown=True, cycles=int(words[4]) - 1 if words[4].isdigit() else cycles)
        # The number of the last cycle, of which the register that watches is one late.
        cycles = max(cycles, int(words[1]))
    return Comparison(cycles=cycles)


def _is_never(graph: bytes) -> bool:
    """Whether nothing is left of a graph but an output that is 0: registers that are always equal were merged."""
    header, output = graph.split(b"\n")[:2]
    return header.split()[3:5] == [b"0", b"1"] and output == b"0"


def _view(module: str, ports: dict) -> str:
    """A module around the design whose payloads, and rows to write, are 0 unless they count."""
    outputs = {name for name, port in ports.items() if port["direction"] == "output"}
    lines, connected = [], []
    for name, port in ports.items():
        width, here = len(port["bits"]), escaped(name)
        lines.append(f"  {port['direction']} [{width - 1}:0] {here};")
        counts = _counts(name, outputs)
        if name in outputs and counts:
            lines += [f"  wire [{width - 1}:0] {name}_any;", f"  assign {name} = |{counts} ? {name}_any : {width}'d0;"]
            connected.append(f".{name}({name}_any)")
        else:
            connected.append(f".{here}({here})")
    inside = f"  {module} inside({', '.join(connected)});"
    return "\n".join([f"module {module}_view({', '.join(map(escaped, ports))});", *lines, inside, "endmodule\n"])


def _counts(name: str, outputs: set[str]) -> str:
    """The output that says whether another one counts; empty where it always does."""
    port, _, member = name.rpartition("__")
    # A read's address may count whatever its enable is, in a memory without latency.
    writes = f"{port}__data" in outputs
    says = {"payload": "valid"} | ({"address": "enable", "data": "enable"} if writes else {})
    found = f"{port}__{says[member]}" if member in says else ""
    return found if found in outputs else ""


def _watch(inputs: list[str], ports: dict) -> str:
    """A register that notes a difference: the checker wants one, which a design or what is left of it may not have."""
    lines = [f"  input [{len(ports[name]['bits']) - 1}:0] {escaped(name)};" for name in inputs]
    connected = "".join(f".{escaped(f'in_{name}')}({escaped(name)}), " for name in inputs)
    return "\n".join(
        [
            f"module watch({', '.join([*map(escaped, inputs), 'watch_clock', 'differs'])});",
            *lines,
            "  input watch_clock;",
            "  output reg differs = 1'b0;",
            "  wire trigger;",
            f"  miter pair({connected}.trigger(trigger));",
            "  always @(posedge watch_clock) differs <= differs | trigger;",
            "endmodule\n",
        ]
    )


def _yosys(folder: Path, name: str, script: str) -> None:
    (folder / f"{name}.ys").write_text(script)
    try:
        run_tool("yosys", ["-q", "-l", "yosys.txt", f"{name}.ys"], folder, f"{name}.log", LIMIT_SECONDS)
    except ToolError as error:
        # The script of the checker gives no netlist back, which the pass that runs it complains of.
        if "ABC output file" not in str(error):
            raise
