"""Designs of the catalogue on the command line: which, with what parameters, and their Verilog."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Elaborated", "add_design_arguments", "elaborate", "elaborate_design", "parse_settings"]


@dataclass(frozen=True, kw_only=True)
class Elaborated:
    """A design as Verilog.

    Parameters
    ----------
    name : str
        Also of the top module.
    description : str
        One line.
    configuration : dataclass instance or None
    verilog : str
        Complete in one text.
    clock : str
        Port of the clock.
    """

    name: str
    description: str
    configuration: Any
    verilog: str
    clock: str


def add_design_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments that choose a design: its name, a preset, and settings."""
    from ...hw.soc.export.catalogue import CATALOGUE

    parser.add_argument("name", metavar="NAME", help=f"one of {', '.join(CATALOGUE)}")
    parser.add_argument("--config", metavar="PRESET", help="preset or YAML file of the system (a core: of its sizes)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="one parameter; may be given again"
    )


def parse_settings(settings: Sequence[str]) -> dict[str, Any]:
    """``["lanes=6"]`` to ``{"lanes": 6}``; values are written as in YAML."""
    import yaml

    parsed = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.isidentifier():
            raise ValueError(f"--set must be NAME=VALUE, not {setting!r}")
        parsed[name] = yaml.safe_load(value)
    return parsed


def elaborate(arguments: argparse.Namespace) -> Elaborated:
    """The design that the arguments choose."""
    return elaborate_design(arguments.name, arguments.config, parse_settings(arguments.set))


def elaborate_design(name: str, preset_name: str | None = None, settings: dict[str, Any] | None = None) -> Elaborated:
    """A design of the catalogue as Verilog: a system within its AXI top, a core as it is.

    Parameters
    ----------
    name : str
        In the catalogue.
    preset_name : str or None
        Of the system, or a YAML file; without one the design's own defaults.
    settings : dict or None
        Parameters over those.
    """
    from ...hw.cores.replicated import emit
    from ...hw.soc.export.catalogue import find_design
    from ...hw.soc.presets import read_preset

    design = find_design(name)
    preset_name = preset_name or design.default_preset or None
    preset = read_preset(preset_name, design.preset_system).hardware if preset_name is not None else None
    configuration = design.configure(preset, settings)
    if design.system:
        from ...hw.soc.bus.axi_top import AxiTop
        from ...sim.harness.systems import verilog_of

        verilog, clock = verilog_of(configuration, AxiTop, name), "aclk"
    else:
        verilog, clock = emit(design.create(configuration), name), "clk"
    return Elaborated(
        name=name, description=design.description, configuration=configuration, verilog=verilog, clock=clock
    )
