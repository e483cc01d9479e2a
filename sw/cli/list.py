"""List systems, presets, cores and boards."""

import argparse
import ast
import importlib.resources
from collections.abc import Iterator

__all__ = ["add_arguments", "run"]

SYSTEMS = {
    "fixar": "fixed-point DDPG on adaptive array cores",
    "learninggroup": "IC3Net with grouped weights in binary16",
    "mcts": "Monte-Carlo tree search with the tree on chip",
    "pearl": "prioritised replay with the sum tree on chip",
    "pearl_ddpg_learner": "gradient steps of DDPG, layer after layer in a pipeline",
    "pearl_learner": "gradient steps of a DQN, layer after layer in a pipeline",
}
KINDS = ("systems", "presets", "cores", "boards")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", choices=KINDS, help="only these (default: all)")


def run(arguments: argparse.Namespace) -> None:
    listings = {"systems": lambda: SYSTEMS.items(), "presets": presets, "cores": cores, "boards": boards}
    for kind in [arguments.kind] if arguments.kind else KINDS:
        rows = sorted(listings[kind]())
        print(f"{kind}:")
        width = max((len(name) for name, _ in rows), default=0)
        for name, about in rows:
            print(f"  {name:<{width}}  {about}")


def presets() -> Iterator[tuple[str, str]]:
    """System, name and first comment line of each preset."""
    for folder in importlib.resources.files("rewardware.hw.soc.presets").iterdir():
        for file in folder.iterdir() if folder.name in SYSTEMS else ():
            first, *_ = file.read_text().splitlines()
            name = f"{folder.name}/{file.name.removesuffix('.yaml')}"
            yield name, first.removeprefix("#").strip() if first.startswith("#") else ""


def cores() -> Iterator[tuple[str, str]]:
    """Name and summary of each core, by the name that `verilog` and `report` take."""
    from ...hw.soc.export.catalogue import CATALOGUE

    yield from ((name, design.description) for name, design in CATALOGUE.items() if not design.system)


def boards() -> Iterator[tuple[str, str]]:
    """Name and summary of each board top under `hw/soc/boards`."""
    for file in importlib.resources.files("rewardware.hw.soc.boards").iterdir():
        if file.name.endswith(".py") and file.name != "__init__.py":
            docstring = ast.get_docstring(ast.parse(file.read_text())) or ""
            yield file.name.removesuffix(".py").replace("_", "-"), _first_line(docstring)


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0] if text.strip() else ""
