"""Memories that nobody writes become constants, which all instances of a module share."""

import re

__all__ = ["share_tables"]

# A memory with a value for each row, as Yosys writes it.
_MEMORY = re.compile(
    r"^  reg (?P<range>\[\d+:0\]) (?P<name>\\\S+ |\w+) \[0:(?P<last>\d+)\];\n"
    r"  initial begin\n(?P<rows>(?:    (?P=name)\[\d+\] = [^;\n]+;\n)+)  end\n",
    re.MULTILINE,
)
_ROW = re.compile(r"\[(\d+)\] = ([^;]+);")


def share_tables(text: str) -> str:
    """Verilog of the same design whose read-only memories are constants.

    In Verilator a memory is part of each instance's state. The 68 lanes of a learner's Adam, with tables of 7 KB each,
    read from more than the processor's caches hold; a constant is there once.

    Parameters
    ----------
    text : str
        From :func:`...hw.cores.verilog.emit.emit`.

    Returns
    -------
    str
        With the same lines, each row at its place.
    """
    pieces = []
    place = 0
    for match in _MEMORY.finditer(text):
        rows = _ROW.findall(match["rows"])
        body = text[match.end() : text.find("\nendmodule", match.end())]
        written = re.search(rf"{re.escape(match['name'])}\s*\[[^;]*<=", body)
        if written or [int(row) for row, _ in rows] != list(range(int(match["last"]) + 1)):
            continue
        values = ",\n".join(f"    {value}" for _, value in rows)
        constant = f"  localparam bit {match['range']} {match['name']} [0:{match['last']}]\n  = '{{\n{values}\n  }};\n"
        pieces += [text[place : match.start()], constant]
        place = match.end()
    return "".join([*pieces, text[place:]])
