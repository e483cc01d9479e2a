"""List systems, presets, cores and boards."""

import argparse
import ast
import importlib.resources
import re
from collections.abc import Iterator
from itertools import takewhile

from ...hw.soc.devices import devices, find_device
from ...hw.soc.presets import list_presets
from ..core.tables import aligned
from ..systems.descriptor import systems as known_systems
from ..systems.results import add_json_option, show

__all__ = ["add_arguments", "run"]

KINDS = ("systems", "presets", "cores", "boards")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", choices=KINDS, help="only these (default: all)")
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    listings = {"systems": systems, "presets": presets, "cores": cores, "boards": boards}
    found = {kind: sorted(listings[kind]()) for kind in ([arguments.kind] if arguments.kind else KINDS)}
    content = {kind: [{"name": name, "description": about} for name, about in rows] for kind, rows in found.items()}
    show(arguments, content, lambda: "\n".join(_lines(found)))


def _lines(found: dict[str, list[tuple[str, str]]]) -> Iterator[str]:
    for kind, rows in found.items():
        yield f"{kind}:"
        yield from (f"  {line}" for line in aligned(rows, left=(0, 1)))


def systems() -> Iterator[tuple[str, str]]:
    """Name and summary of each system, and of each device beside that of its system's name."""
    without_device = {name: system.description for name, system in known_systems().items()}
    yield from (without_device | {name: device.description for name, device in devices().items()}).items()


def presets() -> Iterator[tuple[str, str]]:
    """System, name and first sentence of each preset's comment."""
    for system in devices():
        for name in list_presets(system):
            lines = (find_device(system).preset_folder / f"{name}.yaml").read_text().splitlines()
            comment = takewhile(lambda line: line.startswith("#"), lines)
            text = " ".join(line.removeprefix("#").strip() for line in comment)
            sentence, stop, _ = text.partition(". ")
            yield f"{system}/{name}", sentence + stop.rstrip()


def cores() -> Iterator[tuple[str, str]]:
    """Name and summary of each core, by the name that `package` and `report` take."""
    from ...hw.soc.export.catalogue import catalogue

    yield from ((name, _unmarked(design.description)) for name, design in catalogue().items() if not design.system)


def boards() -> Iterator[tuple[str, str]]:
    """Name and summary of each board top under `hw/soc/boards`."""
    for file in importlib.resources.files("rewardware.hw.soc.boards").iterdir():
        if file.name.endswith(".py") and file.name != "__init__.py":
            docstring = ast.get_docstring(ast.parse(file.read_text())) or ""
            yield file.name.removesuffix(".py").replace("_", "-"), _first_line(docstring)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""


def _unmarked(line: str) -> str:
    """A line of a docstring without its markup, whose ``::`` leads to what is not shown."""
    return re.sub(r"(?::\w+:)?(`+)([^`]*)\1", r"\2", re.sub(r"::$", ".", line))
