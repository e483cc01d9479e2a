"""Puts right what some tool would take wrongly in the Verilog that Amaranth writes: a few rules on the text."""

import re

__all__ = ["LINE_LENGTH", "begin_processes", "clean", "join_processes", "name_elements", "remove_empty", "wrap"]

LINE_LENGTH = 120

_BEGINNING = r"\$beginning"


def clean(text: str) -> str:
    """Apply every rule to a text of modules."""
    modules = re.split(r"^(?=module )", text, flags=re.MULTILINE)
    return wrap("".join(begin_processes(remove_empty(name_elements(module))) for module in modules))


def name_elements(text: str) -> str:
    r"""Give elements of arrays plain names: ``\words[3] `` becomes ``words_3_element``.

    Bit 3 of a vector ``words`` has the same name in a netlist of single bits, such as Yosys gives to other tools.
    A ``$`` stays: ``words$3[0]`` is not ``words[3][0]``.
    """
    return re.sub(r"\\((?!\$)\S*\[\S*) ", lambda name: re.sub(r"[^\w$]+", "_", name[1]).rstrip("_") + "_element ", text)


def remove_empty(module: str) -> str:
    """Remove the wires without bits, ``wire [-1:0] x``, which have two bits in Verilog.

    Raises
    ------
    ValueError
        Such a wire is read or is a port.
    """
    names = re.findall(r"^  wire \[-1:0\] (\S+) ?;\n", module, re.MULTILINE)
    module = re.sub(r"^  wire \[-1:0\] \S+ ?;\n", "", module, flags=re.MULTILINE)
    for name in names:
        if re.search(rf"(?<![\w\\$]){re.escape(name)}(?![\w$])", module):
            raise ValueError(f"Signal {name} has no bits, which Verilog cannot express, but is used")
    return module


def begin_processes(module: str) -> str:
    r"""Let every combinational process run once at the beginning, also one that reads nothing.

    ``always @*`` waits until something that it reads changes. Yosys lets processes read a register that is initialised
    where it is declared, which is no change in SystemVerilog, and does nothing for processes of one statement, such as
    ``always @* x[7:4] = y;``: where ``y`` has its value before the process begins to wait, as it may in SystemVerilog,
    the process never runs. Here the register goes from unknown to 0 in the first time step, after all processes have
    begun to wait.
    """
    module = re.sub(r"\\\$auto\$verilog_backend\S+ ", rf"{_BEGINNING} ", module)
    module = re.sub(rf"^  reg {re.escape(_BEGINNING)}  = 0;\n", "", module, flags=re.MULTILINE)
    module = re.sub(
        r"^  always @\*\n    ([^;\n]* = [^;\n]+;)$",
        lambda match: f"  always @* begin\n    if ({_BEGINNING} ) begin end\n    {match[1]}\n  end",
        module,
        flags=re.MULTILINE,
    )
    if f"if ({_BEGINNING} )" not in module:
        return module
    head, end, rest = module.partition(");\n")
    start = f"  reg {_BEGINNING} ;\n  initial {_BEGINNING} <= 1'b0;\n"
    return f"{head}{end}{start}{rest}"


def join_processes(module: str) -> str:
    """Let all registers of a module that one edge of a clock sets be set by one process.

    Yosys writes a process for each register. Icarus takes time that grows with the square of the processes that wait
    for the same clock, which are a hundred thousand in an array of some thousand elements. Not in :func:`clean`:
    synthesis goes through processes one by one, and another order of the same logic is another placement.
    """
    # A process of two edges stays: for synthesis its reset's branch must be the whole process.
    process = re.compile(r"^  (always @\((?:pos|neg)edge \S+\))\n((?:    .*\n)+)", re.MULTILINE)
    statements: dict[str, list[str]] = {}
    for event, statement in process.findall(module):
        statements.setdefault(event, []).append(statement)

    def replace(found: re.Match[str]) -> str:
        joined = "".join(statements.pop(found[1], ()))
        return f"  {found[1]} begin\n{joined}  end\n" if joined else ""

    return process.sub(replace, module)


def wrap(text: str) -> str:
    """Break lines longer than ``LINE_LENGTH`` at blanks, but no strings: some tools read a limited line."""
    return "\n".join(
        _wrap_line(line) if len(line) > LINE_LENGTH and '"' not in line else line for line in text.split("\n")
    )


def _wrap_line(line: str) -> str:
    indent = re.match(" *", line)[0] + "    "  # type: ignore[index]
    lines = []
    while len(line) > LINE_LENGTH:
        position = line.rfind(" ", len(indent), LINE_LENGTH)
        if position < 0:
            break
        lines.append(line[:position])
        line = indent + line[position + 1 :]
    return "\n".join([*lines, line])
