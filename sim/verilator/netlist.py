"""Modules of a design as :func:`...hw.cores.verilog.emit.emit` writes it: ports, instances, what depends on what."""

import functools
import logging
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

__all__ = ["CLOCK", "Instance", "Module", "Netlist", "Port", "escape"]

CLOCK = "clk"

logger = logging.getLogger(__name__)

# A line that is too long goes on at the next, wherever it has a blank.
_MODULE = re.compile(r"^module\s+(\\\S+\s|\w+)\s*\((.*?)\);\n.*?^endmodule$", re.MULTILINE | re.DOTALL)
_PORT = re.compile(r"^  (input|output)(?:\s+reg)?(?:\s+signed)?\s+(?:\[(\d+):0\]\s+)?(\\\S+\s|\w+)\s*;$", re.MULTILINE)
_INSTANCE = re.compile(r"^  (\\\S+\s|\w+)\s+(?:\\\S+\s|\w+)\s*\(\n((?:    .*\n)*)  \);\n", re.MULTILINE)
_CONNECTION = re.compile(r"\.(\\\S+\s|\w+)\s*\((.*?)\)(?=,\n|\n|$)", re.DOTALL)
_CLOCKED = re.compile(
    r"^  always @\(posedge (\\\S+\s|\w+)\)(?: begin\n(?:    .*\n)*  end|\n(?:    .*\n)*)", re.MULTILINE
)
_COMBINATIONAL = re.compile(r"^  always @\*(?: begin\n((?:    .*\n)*)  end|\n((?:    .*\n)*))", re.MULTILINE)
_ASSIGNED = re.compile(r"^ +((?:\{[^}]*\}|\\\S+\s|\w+)[^=;\n<>!(]*?)\s*=\s", re.MULTILINE)
_ASSIGN = re.compile(r"^  assign ([^;]*?)\s=\s([^;]*);$", re.MULTILINE)
_NAME = re.compile(r"\\(\S+)\s|(?<![\w'$\\])([A-Za-z_][\w$]*)")
# Text that may be left of a module when everything that computes is removed.
_ATTRIBUTE = re.compile(r"\(\*.*?\*\) ?", re.DOTALL)
_DECLARED = re.compile(
    r"\s*$|  (?:input|output|wire|integer)\b[^;=]*;?$|  (?:reg|initial|localparam)\b|    |  end$|  /\*.*\*/$"
    r"|  `(?:ifndef YOSYS|endif)$|  = '\{$|  \};$"
)


@dataclass(frozen=True)
class Port:
    """A port of a module.

    Parameters
    ----------
    output : bool
    width : int
        Bits.
    """

    output: bool
    width: int


@dataclass(frozen=True)
class Instance:
    """A module inside another one: its module's name, and for each port the expression that it is connected to."""

    module: str
    connections: Mapping[str, str]


class Module:
    """A module's text, and what is read from it.

    Members
    -------
    name, text : str
    ports : Mapping
        In the order of the text.
    instances : tuple of Instance
    lines : int
        Lines of its text: about what it costs to simulate, without its instances.
    """

    def __init__(self, name: str, text: str):
        self.name, self.text, self.lines = name, text, text.count("\n")
        self.ports = {
            _plain(port): Port(kind == "output", int(end or 0) + 1) for kind, end, port in _PORT.findall(text)
        }
        self.instances = tuple(
            Instance(_plain(module), {_plain(port): wire for port, wire in _CONNECTION.findall(body)})
            for module, body in _INSTANCE.findall(text)
        )
        self._text = text

    @functools.cached_property
    def clocks(self) -> frozenset[str]:
        """The clocks of its own registers."""
        return frozenset(_plain(match[1]) for match in _CLOCKED.finditer(self.text))

    @functools.cached_property
    def drivers(self) -> dict[str, set[str]] | None:
        """For each signal those from which it is computed without a register, but for what instances do.

        None: the text has a statement that is not known here, so that a dependence could be missed.
        """
        found: dict[str, set[str]] = {}
        header = _MODULE.match(self.text)
        rest = _ATTRIBUTE.sub("", self.text[header.end(2) :] if header else self.text)
        rest = _CLOCKED.sub("", _INSTANCE.sub("", rest))
        for match in _COMBINATIONAL.finditer(rest):
            body = match[1] or match[2]
            for target in _ASSIGNED.findall(body):
                for name in names_in(target):
                    found.setdefault(name, set()).update(names_in(body))
        rest = _COMBINATIONAL.sub("", rest)
        for target, source in _ASSIGN.findall(rest):
            for name in names_in(target):
                found.setdefault(name, set()).update(names_in(source))
        for line in _ASSIGN.sub("", rest).splitlines():
            if line not in (");", "endmodule") and not _DECLARED.match(line):
                logger.info("module %s has a line that is not understood: %s", self.name, line.strip())
                return None
        return found


class Netlist:
    """A design's modules by name, each before those that have instances of it.

    Parameters
    ----------
    text : str
        From :func:`...hw.cores.verilog.emit.emit`.
    top : str

    Raises
    ------
    ValueError
        There is no such module.
    """

    def __init__(self, text: str, top: str):
        self.top = top
        found = {_plain(match[1]): Module(_plain(match[1]), f"{match[0]}\n") for match in _MODULE.finditer(text)}
        if top not in found:
            raise ValueError(f"Top module must be one of {', '.join(found) or 'none'}, not {top!r}")
        self.modules: dict[str, Module] = {}
        for name in _below(found, top):
            self.modules[name] = found[name]

    @functools.cached_property
    def counts(self) -> Counter[str]:
        """How often each module is in the flattened design."""
        counts = Counter({self.top: 1})
        for name in reversed(self.modules):
            for instance in self.modules[name].instances:
                counts[instance.module] += counts[name]
        return counts

    @functools.cached_property
    def sizes(self) -> dict[str, int]:
        """Lines of each module, flattened."""
        sizes: dict[str, int] = {}
        for name, module in self.modules.items():
            sizes[name] = module.lines + sum(sizes[instance.module] for instance in module.instances)
        return sizes

    @functools.cached_property
    def clocks(self) -> dict[str, frozenset[str]]:
        """Clocks of each module's registers, and of those inside it, by the names that they have there."""
        found: dict[str, frozenset[str]] = {}
        for name, module in self.modules.items():
            clocks = set(module.clocks)
            for instance in module.instances:
                for clock in found[instance.module]:
                    clocks.update(names_in(instance.connections.get(clock, "")))
            found[name] = frozenset(clocks)
        return found

    @functools.cached_property
    def dependences(self) -> dict[str, dict[str, frozenset[str]]]:
        """For each module and output, the inputs from which it is computed without a register between.

        Without modules that are not understood, and those that they are in.
        """
        found: dict[str, dict[str, frozenset[str]]] = {}
        for name, module in self.modules.items():
            if module.drivers is None or any(instance.module not in found for instance in module.instances):
                continue
            drivers = {target: set(sources) for target, sources in module.drivers.items()}
            for instance in module.instances:
                for output, inputs in found[instance.module].items():
                    sources = {wire for port in inputs for wire in names_in(instance.connections.get(port, ""))}
                    for wire in names_in(instance.connections.get(output, "")):
                        drivers.setdefault(wire, set()).update(sources)
            given = {port for port, kind in module.ports.items() if not kind.output}
            found[name] = {
                port: frozenset(_reached(drivers, port) & given) for port, kind in module.ports.items() if kind.output
            }
        return found

    def below(self, name: str, stop: Iterable[str] = ()) -> list[str]:
        """A module and those inside it, each after what it has instances of; nothing inside those of ``stop``."""
        return _below(self.modules, name, frozenset(stop) - {name})


def names_in(expression: str) -> Iterator[str]:
    """The names in an expression."""
    return (escaped or plain for escaped, plain in _NAME.findall(f"{expression} "))


def escape(name: str) -> str:
    """A name as Verilog has it: with a backslash, which every name may have."""
    return f"\\{name} "


def _plain(name: str) -> str:
    return name.strip().removeprefix("\\")


def _below(modules: Mapping[str, Module], name: str, stop: frozenset[str] = frozenset()) -> list[str]:
    found: dict[str, None] = {}

    def visit(inner: str) -> None:
        if inner not in found:
            if inner not in stop:
                for instance in modules[inner].instances:
                    visit(instance.module)
            found[inner] = None

    visit(name)
    return list(found)


def _reached(drivers: Mapping[str, set[str]], signal: str) -> set[str]:
    seen: set[str] = set()
    waiting = [signal]
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(drivers.get(name, ()))
    return seen
