"""Components to Verilog: the same bytes on every machine, each kind of replicated unit and of memory once.

Every module has the name of the top before its own, so that designs made by several calls can stand in one project.
"""

import gc
import re
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal, Value
from amaranth.lib import memory, wiring

from ..replicated import Replicated
from .amaranth_internals import carry_reset, convert, mark_used
from .memory_module import MemoryModule
from .text import clean

__all__ = ["emit"]


def emit(component: wiring.Component, name: str = "top") -> str:
    """Convert a component to one text of Verilog.

    Parameters
    ----------
    component : wiring.Component
        The design; streams and structures among its ports appear under Amaranth's flattened names.
    name : str
        Name of the top module, and the first part of the name of every other module: replicated units are called by
        their class, memories by depth and width, modules inside either by their path.

    Returns
    -------
    str
        The memories and units, each before what instantiates it, and the design itself last. No source paths, no
        dates: the text depends on the component and on the pinned tools only.

    Raises
    ------
    ValueError
        The name is no plain Verilog name, or a part of the design has no equal in Verilog.
    RuntimeError
        The installed version of Amaranth is none that this package works with.
    """
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise ValueError(f"Name must be letters, digits and underscores, a digit not first, not {name!r}")
    design = _Design(name)
    # A design is millions of small objects without cycles: collecting garbage doubles the time.
    collecting = gc.isenabled()
    gc.disable()
    try:
        design.add(component, name)
    finally:
        if collecting:
            gc.enable()
    generator = design.texts[-1].splitlines()[0]
    return "\n\n".join([generator, *(text.removeprefix(generator).strip() for text in design.texts)]) + "\n"


@dataclass(frozen=True)
class _Unit:
    """A converted unit: the name of its module, its ports, and the signature that every equal unit has."""

    name: str
    ports: frozenset[str]
    signature: wiring.Signature


@dataclass
class _Design:
    """The platform of a conversion: Amaranth asks it for memories, and replicated units for their instances."""

    top: str
    texts: list[str] = field(default_factory=list)
    modules: set[str] = field(default_factory=set)
    units: dict[Hashable, _Unit] = field(default_factory=dict)
    memories: dict[MemoryModule, str] = field(default_factory=dict)

    def add(self, component: wiring.Component, module: str) -> frozenset[str]:
        """Convert a component to the module of that name; returns the names of its ports."""
        self.modules.add(module)
        text = clean(convert(component, module, self))
        header = re.search(rf"^module {module}\((.*?)\);$", text, re.MULTILINE | re.DOTALL)
        if header is None:
            raise ValueError(f"Module {module} has no ports, and an empty module is a black box to other tools")
        self.texts.append(text)
        return frozenset(re.split(r"\s*,\s*", header[1].strip()))

    def get_memory(self, memory: memory.Memory) -> Module | Instance:
        """Amaranth's hook for memories: an instance of a module that is written once for all equal ones."""
        module = MemoryModule.of(memory)
        if not module.width:
            return Module()
        if module not in self.memories:
            self.memories[module] = self._free_name(f"memory_{module.depth}x{module.width}")
            self.texts.append(clean(module.verilog(self.memories[module])))
        return Instance(self.memories[module], **module.connections(memory))

    def get_unit(self, unit: Replicated) -> Instance:
        """The hook of :class:`Replicated`: an instance of a module that is written once for all equal units."""
        component = unit.component
        if unit.key in self.units:
            if self.units[unit.key].signature != component.signature:
                raise ValueError(f"Units of {type(component).__name__} with equal keys must have equal ports")
            mark_used(component)
        else:
            name = self._free_name(unit.module_name)
            ports = self.add(component, name)
            self.units[unit.key] = _Unit(name, ports, component.signature)
        module = self.units[unit.key]
        connections: dict[str, Any] = {
            ("i_" if member.flow == wiring.In else "o_") + "__".join(map(str, path)): Value.cast(port)
            for path, member, port in unit.ports_of(unit)
        }
        if "clk" in module.ports:
            connections["i_clk"] = ClockSignal()
        if "rst" in module.ports:
            connections["i_rst"] = ResetSignal(allow_reset_less=True)
        return carry_reset(Instance(module.name, **connections))

    def _free_name(self, wanted: str) -> str:
        name, number = f"{self.top}_{wanted}", 1
        while name in self.modules:
            name, number = f"{self.top}_{wanted}_{number}", number + 1
        self.modules.add(name)
        return name
