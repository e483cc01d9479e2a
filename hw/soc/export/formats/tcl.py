"""Tcl shared by the scripts for vendors' tools: words, lists, arguments. No Amaranth here."""

from collections.abc import Iterable
from dataclasses import dataclass

from ..description import PackageDescription

__all__ = ["ROOT", "UNRUN", "Argument", "arguments", "folder_argument", "table", "verilog", "vivado", "word"]

# Sets a variable to the folder of the package, from wherever a script one folder below it is called.
ROOT = "set root [file dirname [file dirname [file normalize [info script]]]]\n"

# Note at the head of every script.
UNRUN = "# No tool of the vendor has run this script: stubs of its commands have.\n"


@dataclass(frozen=True, kw_only=True)
class Argument:
    """An argument of a script, given as ``NAME=VALUE``.

    Parameters
    ----------
    name : str
    meaning : str
        What to give, in a line.
    default : str or None
        Tcl of the value where none is given; None: it must be given.
    """

    name: str
    meaning: str
    default: str | None = None


def folder_argument(name: str, meaning: str, default: str) -> Argument:
    """An argument for a folder, by default the one called ``default`` in the current folder."""
    return Argument(
        name=name,
        meaning=f"{meaning}, by default {default} in the current folder",
        default=f"[file join [pwd] {default}]",
    )


def word(text: object) -> str:
    """One word of Tcl that stands for exactly this text."""
    text = str(text)
    if text and all(character.isalnum() or character in "_./:-=" for character in text):
        return text
    # Within braces nothing is substituted, but a brace has to have its partner and a backslash may join lines.
    if not set(text) & set("{}\\"):
        return f"{{{text}}}"
    return '"' + "".join(f"\\{character}" if character in '{}[]"$\\' else character for character in text) + '"'


def table(rows: Iterable[Iterable[object]]) -> str:
    """A list within braces, for ``foreach`` with a name for each column: a row of words per line."""
    return "{\n" + "".join("    " + " ".join(map(word, row)) + "\n" for row in rows) + "}"


def verilog(description: PackageDescription) -> str:
    """Sets a variable to the design's files, relative to the package."""
    return f"set files {table([file] for file in description.files)}\n"


def arguments(command: str, known: Iterable[Argument], given: str = "argv") -> str:
    """Reads the script's arguments into the array ``argument``; those that are missing or unknown end it with a word.

    Parameters
    ----------
    command : str
        What starts the script, up to its arguments.
    known : iterable of Argument
    given : str
        The tool's variable that holds what was given.
    """
    known = tuple(known)
    forms = (f"{part.name}=..." if part.default is None else f"[{part.name}=...]" for part in known)
    usage = f"{command} {' '.join(forms)}"
    needed = [(part.name, part.meaning) for part in known if part.default is None]
    text = f"#   {usage}\n" + "".join(f"# {part.name}: {part.meaning}\n" for part in known)
    text += f"set usage {word(f'Usage: {usage}')}\n"
    text += "array set argument [list" + "".join(f" {part.name} {part.default or '{}'}" for part in known) + "]\n"
    text += (
        f"foreach text ${given} {{\n"
        "    if {![regexp {^(\\w+)=(.+)$} $text -> name value] || ![info exists argument($name)]} {\n"
        f'        error "Argument must be one of {", ".join(f"{part.name}=..." for part in known)}, '
        'not \\"$text\\"\\n$usage"\n'
        "    }\n"
        "    set argument($name) $value\n"
        "}\n"
    )
    if needed:
        text += (
            f"foreach {{name meaning}} {table(needed)} {{\n"
            '    if {$argument($name) eq ""} {error "Argument $name is missing: $meaning\\n$usage"}\n'
            "}\n"
        )
    return text


def vivado(script: str) -> str:
    """Command that starts a script of Vivado's, up to its arguments."""
    return f"vivado -mode batch -source {script} -tclargs"
