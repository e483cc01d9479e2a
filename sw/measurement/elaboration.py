"""Designs of the catalogue as Verilog."""

from dataclasses import dataclass
from typing import Any

__all__ = ["Elaborated", "elaborate_design"]


@dataclass(frozen=True, kw_only=True)
class Elaborated:
    """A design as Verilog.

    Parameters
    ----------
    design : str
        Name in the catalogue.
    name : str
        Name of the top module.
    description : str
        One line.
    configuration : dataclass instance or None
    component : wiring.Component
        The top, whose ports are those of the Verilog.
    verilog : str
        Complete in one text.
    domain : tuple of str
        Ports that are none of the component's: ``clk`` and ``rst`` of a core with registers.
    """

    design: str
    name: str
    description: str
    configuration: Any
    component: Any
    verilog: str
    domain: tuple[str, ...]


def elaborate_design(
    name: str,
    preset_name: str | None = None,
    settings: dict[str, Any] | None = None,
    top: str | None = None,
    *,
    kernel: bool = False,
    core_clock: bool = False,
) -> Elaborated:
    """A design of the catalogue as Verilog: a system within its AXI top, a core as it is.

    Parameters
    ----------
    name : str
        Its name in the catalogue.
    preset_name : str or None
        Preset of the system, or a YAML file; without one the design's own defaults apply.
    settings : dict or None
        Parameters over those.
    top : str or None
        Name of the top module; without one that of the design.
    kernel : bool
        A system as a kernel of Vitis instead.
    core_clock : bool
        A system on a clock of its own.
    """
    from ...hw.soc.export.catalogue import find_design
    from ...hw.soc.export.synthesis import ports_of
    from ...hw.soc.presets import read_preset
    from ...sim.verilog.emitted import emitted

    design = find_design(name)
    preset_name = preset_name or design.default_preset or None
    preset = read_preset(preset_name, design.preset_system).hardware if preset_name is not None else None
    configuration = design.configure(preset, settings)
    component = design.top(configuration, kernel=kernel, core_clock=core_clock)
    verilog = emitted(component, top or name, told=True)
    ports = ports_of(verilog, top or name)
    return Elaborated(
        design=name,
        name=top or name,
        description=design.description,
        configuration=configuration,
        component=component,
        verilog=verilog,
        domain=tuple(port for port in ("clk", "rst") if port in ports),
    )
