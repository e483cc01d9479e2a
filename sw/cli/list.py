"""List systems, presets, cores and boards."""

import argparse
import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

from ...hw.soc.devices import devices, find_device
from ...hw.soc.presets import list_presets
from ..core.tables import aligned
from ..systems.descriptor import systems as known_systems
from ..systems.results import add_json_option, show

__all__ = ["add_arguments", "run"]

KINDS = ("systems", "presets", "cores", "boards")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", choices=KINDS, help="list these alone (default: all)")
    parser.add_argument(
        "--measure", type=Path, metavar="FILE", help="with boards: synthesise what FILE, a table of resources, lacks, "
        "and write it there (constraints/board_resources.yaml is the project's; minutes for each)",
    )  # fmt: skip
    add_json_option(parser)


def run(arguments: argparse.Namespace) -> None:
    if arguments.measure is not None:
        if arguments.kind != "boards":
            raise ValueError("--measure is for boards: rewardware list boards --measure FILE")
        from ..measurement.board_resources import measure_resources

        measure_resources(arguments.measure)
        return
    listings = {"systems": systems, "presets": presets, "cores": cores, "boards": boards}
    found = {kind: sorted(listings[kind]()) for kind in ([arguments.kind] if arguments.kind else KINDS)}
    content = {kind: [{"name": name, "description": about} for name, about in rows] for kind, rows in found.items()}
    if "boards" in found:
        content["boards"] = [row | _fits(row["name"]) for row in content["boards"]]
    show(arguments, content, lambda: "\n".join(_lines(found)))


def _lines(found: dict[str, list[tuple[str, str]]]) -> Iterator[str]:
    for kind, rows in found.items():
        yield f"{kind}:"
        for (name, _), line in zip(rows, aligned(rows, left=(0, 1)), strict=True):
            yield f"  {line}"
            if kind == "boards":
                yield f"    {_fits_in_words(name)}"


def _fits(name: str) -> dict[str, Any]:
    """The presets that fit a board, as plain data."""
    from ...hw.soc.boards.board import FLOWS, find_board
    from ..measurement.board_fit import fits, unmeasured

    board = find_board(name)
    return {
        "part": board.part,
        "clock_mhz": board.clock_mhz,
        "flow": FLOWS[board.family],
        "fits": {
            system: {
                "preset": fit.preset,
                "share_percent": {kind: round(share, 1) for kind, share in fit.shares.items()},
            }
            for system, fit in fits(board).items()
        },
        "not_measured": unmeasured(board),
    }


def _fits_in_words(name: str) -> str:
    """The presets that fit a board, each with the resource of which it takes the largest share."""
    from ...hw.soc.boards.board import FLOWS, find_board
    from ..measurement.board_fit import fits, unmeasured

    board = find_board(name)
    found = [f"{fit.system}/{fit.preset} ({fit.largest[1]:.0f} % {fit.largest[0]})" for fit in fits(board).values()]
    unknown = unmeasured(board)
    return (
        f"{board.clock_mhz} MHz, {FLOWS[board.family]}; fits: {', '.join(found) or 'nothing'}"
        f"{'; not measured: ' * bool(unknown)}{', '.join(unknown)}"
    )


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
    """Name and description of each board."""
    from ...hw.soc.boards.board import load_boards

    yield from ((name, board.description) for name, board in load_boards().items())


def _unmarked(line: str) -> str:
    """A line of a docstring without its markup, whose ``::`` leads to what is not shown."""
    # A reference may begin with a dot, which says that its module is looked for.
    return re.sub(r"(?::\w+:)?(`+)\.?([^`]*)\1", r"\2", re.sub(r"::$", ".", line))
