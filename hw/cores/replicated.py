"""Components to Verilog: the same bytes on every machine, and each kind of replicated unit once.

An array of hundreds of units is slow to convert and hard to read if each unit becomes modules of its own. So what
stands many times is wrapped in :func:`replicated`, and :func:`emit` converts each distinct unit once and instantiates
it. Outside of :func:`emit`, in Amaranth's own simulator for instance, a replicated unit is the component itself.
"""

import contextvars
import gc
import os
import re
import unittest.mock
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any

from amaranth.back import rtlil, verilog
from amaranth.hdl import ClockSignal, Const, Elaboratable, Fragment, Instance, Module, ResetSignal, Signal, Value
from amaranth.hdl._ast import Switch
from amaranth.lib import wiring

# Read by Verilator when it is told to build hierarchically: such a module is compiled once, by itself.
HIERARCHICAL_BLOCK = "/*verilator hier_block*/"

# Amaranth names an element of an array `\words[3] `, and so does Yosys bit 3 of `words` once it has split it: mapping
# such a design for Xilinx fails. The elements get plain names.
_ELEMENT_NAME = re.compile(r"\\((?!\$)[^\s]*\[[^\s]*) ")

# A part of a signal that is always the same, while other parts are not. A simulator waits for ever with `always @*`, as
# nothing is read that could change; reading a register that is set at the beginning lets it begin.
_CONSTANT_PART = re.compile(r"^  always @\*\n    ([^;\n]* = \d+'[bh][0-9a-fxz]+;)$", re.MULTILINE)
_BEGINNING = r"\$beginning"


def emit(component: wiring.Component, name: str = "top", *, replicate: bool = True, hierarchical: bool = False) -> str:
    """Convert a component to one text of Verilog.

    Parameters
    ----------
    component : wiring.Component
        The design; streams and structures among its ports appear under Amaranth's flattened names.
    name : str
        Of its module. Modules inside it are named by their path, replicated units by their class.
    replicate : bool
        Convert each kind of replicated unit once. If not, every unit is converted where it stands.
    hierarchical : bool
        Let Verilator compile every kind of replicated unit by itself: hundreds of units are built as fast as one of
        each kind, and simulated more slowly.

    Returns
    -------
    str
        The units, each before what instantiates it, and the design itself last. No source paths, no dates: the
        text depends on the component and on the pinned tools only.
    """
    collector = _Collector(names={name}, hierarchical=hierarchical) if replicate else None
    token = _current.set(collector)
    # A design is millions of small objects without cycles: collecting garbage doubles the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        text = _convert(component, name)
    finally:
        _current.reset(token)
        if collecting:
            gc.enable()
    texts = [*collector.texts, text] if collector is not None else [text]
    generator = text.splitlines()[0]
    return "\n".join([generator, *(part.removeprefix(generator).strip() for part in texts)]) + "\n"


def replicated(
    component: wiring.Component, *, name: str | None = None, key: Hashable = None, hierarchical: bool = False
) -> "Replicated":
    """Mark a component as one of many equal ones.

    Parameters
    ----------
    component : wiring.Component
        The unit. It may use the clock domain ``sync`` only.
    name : str or None
        Of its Verilog module; None makes one from the name of the class. A number is added where it is taken.
    key : hashable or None
        Equal for units of a class that are equal; None takes the unit's ``config``.
    hierarchical : bool
        Let Verilator compile the unit by itself. Worth it for blocks of about 64 lanes, not for small units.

    Returns
    -------
    Replicated
        To be used in place of the component: it has the same ports and attributes.
    """
    return Replicated(component, name=name, key=key, hierarchical=hierarchical)


class Replicated(wiring.Component):
    """A unit that :func:`emit` converts once for all that are equal to it; made by :func:`replicated`.

    ``ResetInserter`` and ``DomainRenamer`` act on it as on the component itself; ``EnableInserter`` is refused.

    Parameters
    ----------
    component : wiring.Component
        The unit.
    name : str or None
        Of its Verilog module.
    key : hashable or None
        Equal for units that are equal.
    hierarchical : bool
        Let Verilator compile the unit by itself.

    Members
    -------
    The ports of the component.

    Raises
    ------
    TypeError
        There is neither ``key`` nor a hashable ``config``.
    ValueError
        A port has no bits, which Verilog cannot say.
    """

    def __init__(self, component: wiring.Component, *, name: str | None, key: Hashable, hierarchical: bool):
        key = getattr(component, "config", None) if key is None else key
        if key is None or type(key).__hash__ is None:
            raise TypeError(f"Replicated unit {type(component).__name__} needs a `key` or a hashable `config`")
        super().__init__(component.signature)
        for path, _, port in _Ports(component.signature.members).flatten(self):
            if len(Value.cast(port)) == 0:
                raise ValueError(
                    f"Port {'__'.join(map(str, path))} of {type(component).__name__} must have bits, not 0"
                )
        self._component = component
        self._key = (type(component), key, hierarchical)
        self._name = name or _snake_case(type(component).__name__)
        self._hierarchical = hierarchical

    def __getattr__(self, name: str) -> Any:
        # Only called for what the wrapper itself does not have: `config`, `latency` and their kind.
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._component, name)

    def elaborate(self, platform):
        collector = _current.get()
        outside = _Ports(self._component.signature.members).flatten(self)
        if collector is None:
            m = Module()
            m.submodules.unit = self._component
            for path, member, port in outside:
                inner = _at(self._component, path)
                if member.flow == wiring.In:
                    m.d.comb += Value.cast(inner).eq(Value.cast(port))
                else:
                    m.d.comb += Value.cast(port).eq(Value.cast(inner))
            return m
        unit = collector.unit(self)
        ports: dict[str, Any] = {}
        for path, member, port in outside:
            ports[("i_" if member.flow == wiring.In else "o_") + "__".join(map(str, path))] = Value.cast(port)
        if "clk" in unit.ports:
            ports["i_clk"] = ClockSignal()
        if "rst" in unit.ports:
            ports["i_rst"] = ResetSignal(allow_reset_less=True)
        instance = Instance(unit.name, **ports)
        # An instance has no statements of its own: this one only waits for a ResetInserter, see _pass_resets_on.
        inserted_reset = Signal(init=1)
        instance.add_statements("sync", inserted_reset.eq(0))
        return instance


@dataclass(frozen=True)
class _Unit:
    """A converted unit: its module and the ports of it."""

    name: str
    ports: frozenset[str]
    signature: wiring.Signature


@dataclass
class _Collector:
    """The units met while a design is converted."""

    names: set[str]
    hierarchical: bool
    units: dict[Hashable, _Unit] = field(default_factory=dict)
    texts: list[str] = field(default_factory=list)

    def unit(self, replicated: Replicated) -> _Unit:
        """The converted unit of this kind."""
        component, key = replicated._component, replicated._key
        if key in self.units:
            if self.units[key].signature != component.signature:
                raise ValueError(f"Units of {type(component).__name__} with equal keys must have equal ports")
            _use(component)
            return self.units[key]
        name, number = replicated._name, 1
        while name in self.names:
            name, number = f"{replicated._name}_{number}", number + 1
        self.names.add(name)
        text = _convert(component, name)
        # Yosys breaks the line of a long list of ports.
        header = re.search(rf"^module {name}\((.*?)\);$", text, re.MULTILINE | re.DOTALL)
        if header is None:
            raise ValueError(f"Name of a replicated unit must be a plain Verilog name, not {name!r}")
        if replicated._hierarchical or self.hierarchical:
            text = text.replace(header[0], f"{header[0]}\n  {HIERARCHICAL_BLOCK}")
        self.texts.append(text)
        self.units[key] = _Unit(name, frozenset(re.split(r"\s*,\s*", header[1].strip())), component.signature)
        return self.units[key]


def _use(thing: Any) -> None:
    """One unit of a kind is enough: Amaranth shall not warn of the others, and their parts, that they are not used."""
    if isinstance(thing, list | tuple):
        for part in thing:
            _use(part)
    elif isinstance(thing, Elaboratable):
        thing._MustUse__used = True  # type: ignore[attr-defined]
        _use(list(vars(thing).values()))


_current: contextvars.ContextVar[_Collector | None] = contextvars.ContextVar("collector", default=None)


class _Ports(wiring.Signature):
    """A signature without the members that are constants, an always-ready stream's ``ready`` for instance."""

    def flatten(self, obj: Any) -> Iterator[Any]:
        return (item for item in super().flatten(obj) if not isinstance(item[2], Const))


class _Prepared(Elaboratable):
    """A component whose ports and fragment have been put in order for conversion."""

    def __init__(self, component: wiring.Component):
        self._component = component
        self.signature = _Ports(component.signature.members)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._component, name)

    def elaborate(self, platform):
        fragment = Fragment.get(self._component, platform)
        _pass_resets_on(fragment)
        return fragment


def _convert(component: wiring.Component, name: str) -> str:
    os.environ["AMARANTH_USE_YOSYS"] = "builtin"
    with unittest.mock.patch.object(rtlil.ModuleEmitter, "emit_memory", _emit_memory):
        text = verilog.convert(_Prepared(component), name=name, emit_src=False, strip_internal_attrs=True)
    text = _ELEMENT_NAME.sub(lambda match: re.sub(r"\W+", "_", match[1]).rstrip("_") + "_element ", text)
    return "\nmodule ".join(map(_begin_constant_parts, text.split("\nmodule ")))


def _begin_constant_parts(module: str) -> str:
    """The text of a module with what :data:`_CONSTANT_PART` finds taking effect."""
    declaration, found = f"  reg {_BEGINNING} = 0;\n", _CONSTANT_PART.search(module)
    if found is None:
        return module
    begun = _CONSTANT_PART.sub(
        lambda match: f"  always @* begin\n    if ({_BEGINNING} ) begin end\n    {match[1]}\n  end", module
    )
    return begun[: found.start()] + declaration + begun[found.start() :]


_emit_initial_contents = rtlil.ModuleEmitter.emit_memory


def _emit_memory(emitter: Any, cell_idx: int, cell: Any) -> None:
    """Writes down a memory's initial contents only where there are any.

    Amaranth spells them out bit by bit, and megabits of zeros take minutes. Block RAM starts as zeros all the same.
    """
    if any(cell.init):
        _emit_initial_contents(emitter, cell_idx, cell)


def _pass_resets_on(fragment: Fragment) -> None:
    """Give the units in a fragment the resets of the ``ResetInserter`` around them, which does not reach inside.

    To the one registered statement of a unit, "set to 0", it has added "if reset, set to the initial value, 1".
    The same statements evaluated combinationally are 1 exactly while that reset is given.
    """
    for part, _, _ in fragment.subfragments:
        if isinstance(part, Instance) and any(isinstance(origin, Replicated) for origin in part.origins or ()):
            ((_, (first, *inserted)),) = part.statements.items()
            part.statements.clear()
            if isinstance(first, Switch):
                raise ValueError("EnableInserter must not be used around a replicated unit: it does not reach inside")
            if inserted and "rst" in part.ports:
                reset, direction = part.ports["rst"]
                part.ports["rst"] = (reset | first.lhs, direction)
                fragment.add_statements("comb", [first, *inserted])
        else:
            _pass_resets_on(part)


def _at(component: wiring.Component, path: tuple[str | int, ...]) -> Any:
    """The port of a component at a path of names and indices."""
    port: Any = component
    for step in path:
        port = port[step] if isinstance(step, int) else getattr(port, step)
    return port


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
