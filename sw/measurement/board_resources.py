"""Resources of the systems' presets for boards on the boards' families of FPGAs: measured once, kept as data."""

import dataclasses
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from ...hw.soc.devices import devices
from ...hw.soc.presets import read_preset
from ...hw.soc.target.parts import CONSTRAINTS
from ...hw.soc.target.target import Resources
from ...hw.soc.written_file import write_text
from ..core.fields import read_fields, read_yaml, require_names, require_number

__all__ = ["FAMILIES", "RESOURCES", "BoardPreset", "board_presets", "load_resources", "measure_resources"]

logger = logging.getLogger(__name__)

RESOURCES = CONSTRAINTS / "board_resources.yaml"
FAMILIES = ("ecp5", "xc7", "intel", "ice40")
# LUT4s on an ECP5 from which on nothing is synthesised for the small parts of iCE40, the largest of which has half as
# many: it would take long to say no.
ICE40_LIMIT = 10_560
_TOP = "board"
HEAD = """\
# What each preset for boards takes, its UART included, on each family of FPGAs that boards have, by Yosys: each kind of
# block synthesised once and multiplied by its instances. Written by `rewardware list boards --measure`.
"""


@dataclasses.dataclass(frozen=True, kw_only=True)
class BoardPreset:
    """A preset for boards and what it takes.

    Parameters
    ----------
    system, preset : str
    configuration_hash : str
        Hash of the configuration that was measured.
    verilog_hash : str
        Hash of the Verilog that Yosys read.
    families : Mapping
        :class:`Resources` by family; a family without an entry was not tried, for the preset is far too large for its
        parts.
    """

    system: str
    preset: str
    configuration_hash: str
    verilog_hash: str
    families: Mapping[str, Resources]

    def far_too_large(self, family: str) -> bool:
        """Whether nothing is synthesised for a family, as the ECP5's figure says that none of its parts holds it."""
        return family == "ice40" and self.families["ecp5"].lut > ICE40_LIMIT


def board_presets() -> Iterator[tuple[str, str]]:
    """System and name of each preset for boards, a system's largest first."""
    yield from ((name, preset) for name, device in devices().items() for preset in device.board_presets)


def load_resources(file: Path = RESOURCES) -> dict[tuple[str, str], BoardPreset]:
    """Measured resources, by system and preset.

    Raises
    ------
    TypeError, ValueError
        The file holds something else.
    """
    return read_yaml(file, _table) if file.exists() else {}


def measure_resources(file: Path = RESOURCES) -> None:
    """Synthesise what is not in the file yet, or was measured with other Verilog, and write the file.

    It is written after each family: who ends the command goes on from there.

    Parameters
    ----------
    file : Path

    Raises
    ------
    ToolError
        Yosys is missing or refused a design.
    TypeError, ValueError
        The file holds something else.
    """
    from ...sim.verilator.cache import content_key

    known = load_resources(file)
    measured: dict[tuple[str, str], BoardPreset] = {}
    for system, preset in board_presets():
        config = read_preset(preset, system).hardware
        verilog = _verilog(config)
        verilog_hash = content_key(verilog=verilog)
        entry = known.get((system, preset))
        # Another configuration may have the same Verilog: a field for the driver alone costs no synthesis.
        entry = BoardPreset(
            system=system,
            preset=preset,
            configuration_hash=f"{config.configuration_hash:#010x}",
            verilog_hash=verilog_hash,
            families=entry.families if entry is not None and entry.verilog_hash == verilog_hash else {},
        )
        for family in FAMILIES:
            if family in entry.families or entry.far_too_large(family):
                continue
            logger.info("synthesising %s, preset %s, for %s", system, preset, family)
            entry = dataclasses.replace(entry, families={**entry.families, family: _measure(verilog, family)})
            measured[system, preset] = entry
            _write(file, known | measured)
        measured[system, preset] = entry
    # Without presets that are none any more.
    _write(file, measured)


def _table(content: Any) -> dict[tuple[str, str], BoardPreset]:
    if not isinstance(content, Mapping):
        raise TypeError(f"A table of resources must be a mapping by system and preset, not {content!r}")
    found = {}
    for name, given in content.items():
        system, _, preset = str(name).partition("/")
        entry = read_fields(BoardPreset, name, given, system=system, preset=preset)
        found[system, preset] = dataclasses.replace(entry, families=_families(name, entry.families))
    return found


def _families(name: str, given: Any) -> dict[str, Resources]:
    if not isinstance(given, Mapping):
        raise TypeError(f"Families of {name} must be a mapping, not {given!r}")
    require_names(f"family of {name}:", given, FAMILIES)
    return {family: _resources(f"{name}, {family}", used) for family, used in given.items()}


def _resources(what: str, given: Any) -> Resources:
    used: Resources = read_fields(Resources, what, given)
    for resource, number in used.items():
        require_number(f"{resource} of {what}", number)
    return used


def _verilog(config: Any) -> str:
    from ...hw.soc.bus.uart_bridge import UartTop
    from ...hw.soc.bus.uart_config import UartConfig
    from ...hw.soc.devices import component_of
    from ...sim.verilog.emitted import emitted

    return emitted(UartTop(component_of(config), UartConfig(divisor=50)), _TOP, told=True)


def _measure(verilog: str, family: str) -> Resources:
    from .tool_cache import synthesise_once

    return synthesise_once(verilog, _TOP, family, depth=1).result.total


def _write(file: Path, entries: Mapping[tuple[str, str], BoardPreset]) -> None:
    table = {
        f"{entry.system}/{entry.preset}": {
            "configuration_hash": entry.configuration_hash,
            "verilog_hash": entry.verilog_hash,
            "families": {
                family: {name: round(number, 1) for name, number in used.items() if number}
                for family in FAMILIES
                if (used := entry.families.get(family)) is not None
            },
        }
        for _, entry in sorted(entries.items())
    }
    write_text(file, HEAD + yaml.safe_dump(table, sort_keys=False, default_flow_style=None, width=120))
