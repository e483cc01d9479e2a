"""Everything that touches undocumented parts of Amaranth: nothing outside of this module does.

A new version of Amaranth is added to ``VERSIONS`` once the tests of this module pass with it.
"""

from collections.abc import Iterator
from typing import Any

import amaranth
from amaranth.back import rtlil
from amaranth.hdl import Const, Elaboratable, Fragment, Instance, Signal
from amaranth.lib import wiring

from .yosys import run_yosys

__all__ = ["VERSIONS", "carry_reset", "check_version", "convert", "mark_used"]

# Minor versions of Amaranth whose parts this module knows.
VERSIONS = ("0.5",)

# As in Amaranth's own conversion to Verilog; the attributes name places in the sources.
_ATTRIBUTES = "-remove generator -remove top -remove src -remove amaranth.hierarchy -remove amaranth.decoding"
_SCRIPT = f"""\
read_rtlil <<rtlil
{{}}
rtlil
proc -nomux -norom
memory_collect
attrmap {_ATTRIBUTES}
attrmap -modattr {_ATTRIBUTES}
write_verilog -norename
"""


def check_version(version: str = amaranth.__version__) -> None:
    """Refuse a version of Amaranth that this module was not tested with.

    Raises
    ------
    RuntimeError
        It is such a version.
    """
    if ".".join(version.split(".")[:2]) not in VERSIONS:
        raise RuntimeError(f"Amaranth must be {' or '.join(VERSIONS)} for a conversion to Verilog, not {version}")


def convert(component: wiring.Component, name: str, platform: Any) -> str:
    """The Verilog of a component as module ``name``, with the modules inside it; ``platform`` goes to ``elaborate``."""
    check_version()
    return run_yosys(_SCRIPT.format(rtlil.convert(_Prepared(component), name=name, platform=platform, emit_src=False)))


def carry_reset(instance: Instance) -> Instance:
    """Let the ``ResetInserter`` around an instance reset it: it does not reach inside by itself.

    It adds to every registered statement "if reset, set to the initial value". The one statement that the instance
    is given here, "set to 0", of a signal with initial value 1, is evaluated combinationally in the end, by
    :class:`_Prepared`: the signal is then 1 exactly while that reset is given, and joins the port ``rst``.
    """
    given = Signal(init=1)
    instance.add_statements("sync", given.eq(0))
    return instance


def mark_used(thing: Any) -> None:
    """Do not warn that a component, and what it holds, is never elaborated: an equal one was."""
    if isinstance(thing, list | tuple):
        for part in thing:
            mark_used(part)
    elif isinstance(thing, Elaboratable):
        thing._MustUse__used = True  # type: ignore[attr-defined]
        mark_used(list(vars(thing).values()))


class _Prepared(Elaboratable):
    """A component with the resets around its units connected, and without ports that are constants.

    An always-ready stream's ``ready`` is such a constant.
    """

    def __init__(self, component: wiring.Component):
        self._component = component
        self.signature = _VariablePorts(component.signature.members)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._component, name)

    def elaborate(self, platform):
        fragment = Fragment.get(self._component, platform)
        _connect_resets(fragment)
        return fragment


class _VariablePorts(wiring.Signature):
    def flatten(self, obj: Any) -> Iterator[Any]:
        return (port for port in super().flatten(obj) if not isinstance(port[2], Const))


def _connect_resets(fragment: Fragment) -> None:
    for part, _, _ in fragment.subfragments:
        if not isinstance(part, Instance):
            _connect_resets(part)
        elif part.statements:
            ((_, (first, *inserted)),) = part.statements.items()
            part.statements.clear()
            if not hasattr(first, "lhs"):
                raise ValueError("EnableInserter must not be used around a replicated unit: it does not reach inside")
            if inserted and "rst" in part.ports:
                reset, direction = part.ports["rst"]
                part.ports["rst"] = (reset | first.lhs, direction)
                fragment.add_statements("comb", [first, *inserted])
