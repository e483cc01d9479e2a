"""Units that stand many times in a design and are converted to Verilog once.

An array of hundreds of units is slow to convert and hard to read if each unit becomes modules of its own. A unit that
stands many times is therefore wrapped in :func:`replicated`, and :func:`.verilog.emit.emit` writes one module for each
distinct unit. Elsewhere, in Amaranth's own simulator for instance, a replicated unit is the component itself.
"""

import re
from collections.abc import Hashable, Iterator
from typing import Any

from amaranth.hdl import Const, Module, Value
from amaranth.lib import wiring

__all__ = ["Replicated", "replicated"]


def replicated(component: wiring.Component, *, name: str | None = None, key: Hashable = None) -> "Replicated":
    """Mark a component as one of many equal ones.

    Parameters
    ----------
    component : wiring.Component
        The unit. It may use the clock domain ``sync`` only.
    name : str or None
        Name of its Verilog module, after that of the top; None makes one from the name of the class. A number is
        added where the name is taken.
    key : hashable or None
        Equal for units of a class that are equal; None takes the unit's ``config``.

    Returns
    -------
    Replicated
        To be used in place of the component: it has the same ports and attributes.
    """
    return Replicated(component, name=name, key=key)


class Replicated(wiring.Component):
    """A unit that is converted to Verilog once for all that are equal to it; made by :func:`replicated`.

    ``ResetInserter`` and ``DomainRenamer`` act on it as on the component itself; ``EnableInserter`` is refused.

    Parameters
    ----------
    component : wiring.Component
        The unit.
    name : str or None
        Name of its Verilog module, after that of the top.
    key : hashable or None
        Equal for units that are equal.

    Members
    -------
    The ports of the component.

    Raises
    ------
    TypeError
        There is neither ``key`` nor a hashable ``config``.
    ValueError
        A port has no bits, which Verilog cannot say, or the name is no Verilog name.
    """

    def __init__(self, component: wiring.Component, *, name: str | None, key: Hashable):
        kind = type(component).__name__
        key = getattr(component, "config", None) if key is None else key
        if key is None or type(key).__hash__ is None:
            raise TypeError(f"Replicated unit {kind} needs a `key` or a hashable `config`")
        super().__init__(component.signature)
        for path, _, port in self.ports_of(self):
            if len(Value.cast(port)) == 0:
                raise ValueError(f"Port {'__'.join(map(str, path))} of {kind} must have bits, not 0")
        self.component = component
        self.key = (type(component), key)
        self.module_name = name or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind).lower()
        if not re.fullmatch(r"\w+", self.module_name):
            raise ValueError(f"Name of a replicated unit must be letters, digits and underscores, not {name!r}")

    def __getattr__(self, name: str) -> Any:
        # Only called for what the wrapper itself does not have: `config`, `latency` and their kind.
        if name.startswith("_") or name == "component":
            raise AttributeError(name)
        return getattr(self.component, name)

    def ports_of(self, unit: wiring.Component) -> Iterator[tuple[tuple[str | int, ...], wiring.Member, Any]]:
        """Path, member and value of each port, without constants: an always-ready stream's ``ready`` is one."""
        return (port for port in self.signature.flatten(unit) if not isinstance(port[2], Const))

    def elaborate(self, platform):
        if hasattr(platform, "get_unit"):
            return platform.get_unit(self)
        m = Module()
        m.submodules.unit = self.component
        for (_, member, outer), (_, _, inner) in zip(self.ports_of(self), self.ports_of(self.component), strict=True):
            source, target = (outer, inner) if member.flow == wiring.In else (inner, outer)
            m.d.comb += Value.cast(target).eq(Value.cast(source))
        return m
