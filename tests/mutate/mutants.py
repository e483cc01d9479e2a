"""Many mutants of a design in one text of Verilog; a number in the environment chooses one when simulation starts."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rewardware.hw.soc.export.tools import run_tool, tool_version
from rewardware.sim.verilator.cache import build_once, content_key

# Number of the mutant that a simulation shows; 0, and nothing, is the design as it was.
MUTANT_VARIABLE = "REWARDWARE_MUTANT"
LIMIT_SECONDS = 300

CONTROL = "mutant_number"
_WIDTH = 16
# The clock's edges are not logic: a simulator with as many clocks as mutants would also be slow. A register's output
# would lose its value at power-on to the fault's multiplexer; its input and its readers also have faults.
_LEFT_OUT = {"CLK", "Q"}
_READ_DESIGN = """\
read_verilog design.v
hierarchy -check -top {top}
proc
"""
# Branches that are never taken go: whether they are right is nobody's question.
_FLATTEN = """\
flatten
opt_expr -mux_undef
opt_muxtree
opt_clean
"""
# Yosys numbers cells in the order in which it makes them; from here on where no other cell may have the same name.
_OTHER_NUMBERS = 1_000_000_000
# Cells with the contents of memories at power-on, and those that read, also of tables that were statements.
_MEMORY_CELLS = """\
tee -q -o contents.txt select -list t:$meminit t:$meminit_v2
tee -q -o reads.txt select -list t:$memrd t:$memrd_v2
"""
_READ = f'$c32("(std::getenv(\\"{MUTANT_VARIABLE}\\") ? std::atoi(std::getenv(\\"{MUTANT_VARIABLE}\\")) : 0)")'


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One fault.

    Parameters
    ----------
    number : int
        From 1; the value of ``REWARDWARE_MUTANT`` that shows it.
    options : str
        What Yosys's ``mutate`` takes for it: kind of fault, cell, port, bit.
    place : str
        Signal that is wrong, where it has a name, and the lines of the Verilog.
    """

    number: int
    options: str
    place: str

    @property
    def kind(self) -> str:
        """Kind of fault in Yosys's words: ``inv``, ``const0``, ``const1``, ``cnot0`` or ``cnot1``."""
        return _option(self.options, "mode")

    @property
    def cell(self) -> str:
        """The cell of the flat design that is wrong, as Yosys calls it."""
        return _option(self.options, "cell")


@dataclass(frozen=True, kw_only=True)
class MutatedDesign:
    """A design with its mutants.

    Parameters
    ----------
    verilog : str
        Verilog of all of them.
    mutants : tuple of Mutant
    folder : Path
        Holds ``prepared.il``, the flat design without faults; and where instances have none, ``without_parts.il``, the
        same with each of them replaced by ports of the design.
    """

    verilog: str
    mutants: tuple[Mutant, ...]
    folder: Path


def mutate(
    verilog: str, top: str, count: int, seed: int, beside: Sequence[str] = (), within: Sequence[str] = ()
) -> MutatedDesign:
    """Choose ``count`` mutants of a design and put them into one text.

    The design is flattened, so a fault stands in one instance of a unit.

    Parameters
    ----------
    verilog, top : str
        The design, complete in one text, and its top module.
    count, seed : int
        Number of mutants, fewer where the design has fewer, and the seed of Yosys's choice.
    beside : sequence of str
        Instances that have no faults, each by the beginning of its path from the top module; levels have dots between
        them, and a dot at the end ends the name.
    within : sequence of str
        Instances that have all faults, likewise; without any, all but those beside.

    Raises
    ------
    ValueError
        Too many mutants.
    ToolError
        Yosys refused the design.
    """
    if not 1 <= count < 1 << _WIDTH:
        raise ValueError(f"Count must be from 1 to {(1 << _WIDTH) - 1}, not {count}")
    content = {"verilog": verilog, "top": top, "count": count, "seed": seed, "beside": [*beside], "within": [*within]}
    # Also by this file: what it chooses and writes is what is kept.
    key = content_key(**content, chooser=Path(__file__).read_text(), tool=tool_version("yosys"))

    def fill(folder: Path) -> None:
        (folder / "design.v").write_text(verilog)
        mutants: list[Mutant] = []
        # More than wanted: some are left out, most of them where a small part stands beside large ones.
        for factor in (4, 32, 256) if beside or within else (2,):
            choose = f"mutate -list {factor * count} -seed {seed} -o list.txt\nwrite_rtlil prepared.il\n"
            _yosys(folder, "choose", _READ_DESIGN.format(top=top) + _FLATTEN + choose + _MEMORY_CELLS)
            contents, reads = (_cells(folder / f"{name}.txt") for name in ("contents", "reads"))
            listed = (folder / "list.txt").read_text()
            mutants = _select(listed, verilog.splitlines(), count, _chooser(beside, within), contents, reads)
            if len(mutants) == count:
                break
        if beside:
            _cut_parts(folder, top, beside)
        # Without faults there would be no control input.
        insert_faults(folder, mutants, "write_verilog -noattr mutated.v\n")
        text = (folder / "mutated.v").read_text()
        (folder / "mutated.v").write_text(_read_control(text) if mutants else text)
        (folder / "mutants.json").write_text(json.dumps([vars(mutant) for mutant in mutants]))

    folder = build_once("mutants", key, fill)
    mutants = tuple(Mutant(**fields) for fields in json.loads((folder / "mutants.json").read_text()))
    return MutatedDesign(verilog=(folder / "mutated.v").read_text(), mutants=mutants, folder=folder)


def _cut_parts(folder: Path, top: str, beside: Sequence[str]) -> None:
    """Write the flat design without its instances beside: their inputs are outputs of it, and their outputs inputs.

    Cells have the names that they have in ``prepared.il``, but for those that passes make of flat logic: these are
    others here, and so have other numbers.
    """
    read = _READ_DESIGN.format(top=top)
    _yosys(folder, "hierarchy", f"{read}write_json hierarchy.json\n")
    modules = json.loads((folder / "hierarchy.json").read_text())["modules"]
    cells = {
        module: {cell: fields["type"] for cell, fields in content["cells"].items() if fields["type"] in modules}
        for module, content in modules.items()
    }
    kept = sorted(_modules_of(cells, top, "", tuple(beside)))
    if not kept:
        return
    keep = "".join(f"setattr -mod -set keep_hierarchy 1 {escaped(name)}\n" for name in kept)
    cut = "".join(f"expose -evert t:{escaped(name)}\n" for name in kept)
    (folder / "number.il").write_text(f"autoidx {_OTHER_NUMBERS:d}\n")
    write = f"hierarchy -top {top}\nwrite_rtlil without_parts.il\n"
    _yosys(folder, "without_parts", f"{read}{keep}read_rtlil number.il\n{_FLATTEN}{cut}{write}")


def _modules_of(cells: Mapping[str, Mapping[str, str]], module: str, above: str, beside: tuple[str, ...]) -> set[str]:
    """Modules of the outermost instances whose paths begin as ``beside`` says."""
    found: set[str] = set()
    for cell, kind in cells[module].items():
        path = f"{above}{_without_number(cell)}."
        found |= {kind} if path.startswith(beside) else _modules_of(cells, kind, path, beside)
    return found


def _without_number(name: str) -> str:
    """Amaranth numbers an instance that has the name of a signal beside it."""
    return re.sub(r"\$\d+$", "", name)


def escaped(name: str) -> str:
    """A name with any characters, for Verilog and for Yosys: those of instances and of a memory's ports have dots."""
    return f"\\{name} "


def insert_faults(folder: Path, mutants: Sequence[Mutant], write: str) -> None:
    """Put the faults into ``prepared.il`` of a folder, each behind its number on a control input, and write that."""
    control = f"mutate -ctrl {CONTROL} {_WIDTH}"
    faults = "".join(f"{control} {mutant.number} {mutant.options}\n" for mutant in mutants)
    _yosys(folder, "insert", f"read_rtlil prepared.il\n{faults}{write}")


def _yosys(folder: Path, name: str, script: str) -> None:
    (folder / f"{name}.ys").write_text(script)
    run_tool("yosys", ["-q", f"{name}.ys"], folder, f"{name}.log", LIMIT_SECONDS)


def _cells(file: Path) -> set[str]:
    """Cells of the flat module that Yosys listed."""
    return {line.partition("/")[2] for line in file.read_text().splitlines()}


def _chooser(beside: Sequence[str], within: Sequence[str]) -> Callable[[str], bool]:
    """Whether a cell may be wrong, by its path from the top module: parts inside one another have the same names."""
    # Yosys writes a backslash before the name of each level.
    outside, inside = (tuple("\\" + re.sub(r"\.(?=.)", r".\\", name) for name in names) for names in (beside, within))

    def chosen(cell: str) -> bool:
        *levels, last = cell.removeprefix("$flatten").split(".")
        path = ".".join([*map(_without_number, levels), last])
        return path.startswith(inside or "") and not path.startswith(outside)

    return chosen


def _select(
    listed: str, lines: list[str], count: int, chooses: Callable[[str], bool], contents: set[str], reads: set[str]
) -> list[Mutant]:
    """The first mutants of Yosys's list, each fault once."""
    chosen: dict[str, str] = {}
    for line in listed.splitlines():
        options, _, documentation = line.removeprefix("mutate ").partition(" -wire ")
        options = options.partition(" -src ")[0]
        cell, port = _option(options, "cell"), _option(options, "port")
        # Nor are contents of memories at power-on, and the controls that a read without a clock does not have: Yosys
        # wants them constant.
        left_out = port in _LEFT_OUT or cell in contents or (cell in reads and port in {"EN", "ARST", "SRST"})
        if chooses(cell) and not left_out and len(chosen) < count:
            chosen.setdefault(options, _place(line, documentation, lines))
    return [
        Mutant(number=number, options=options, place=place) for number, (options, place) in enumerate(chosen.items(), 1)
    ]


def _place(line: str, documentation: str, lines: list[str]) -> str:
    name = documentation.split(" ")[0] if documentation else ""
    numbers = dict.fromkeys(int(number) for number in re.findall(r" -src design\.v:(\d+)\.", line))
    code = " | ".join(lines[number - 1].strip() for number in numbers)
    return f"{name}: {code}" if name else code


def _option(options: str, name: str) -> str:
    words = options.split()
    return words[words.index(f"-{name}") + 1] if f"-{name}" in words else ""


def _read_control(text: str) -> str:
    """The control input as a register that reads the environment: the ports are those of the design."""
    text, ports = re.subn(rf"(?:, {CONTROL}(?=\s*[,)]))|(?:(?<=\(){CONTROL}, )", "", text, count=1)
    text, inputs = re.subn(rf"^  input \[{_WIDTH - 1}:0\] {CONTROL};\n", "", text, flags=re.MULTILINE)
    declared = f"  wire [{_WIDTH - 1}:0] {CONTROL};\n"
    if (ports, inputs, text.count(declared)) != (1, 1, 1):
        raise RuntimeError("Yosys's Verilog has another form than expected: the control input was not found")
    return text.replace(declared, f"  reg [{_WIDTH - 1}:0] {CONTROL};\n  initial {CONTROL} = {_READ};\n")
