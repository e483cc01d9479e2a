"""A bench that needs no file of this project: cocotb, cocotbext-axi, and Icarus or Verilator. No Amaranth here."""

from collections.abc import Mapping
from pathlib import Path

from ..description import PackageDescription

__all__ = ["files"]

REQUIREMENTS = """\
cocotb>=2.0,<3
cocotbext-axi>=0.1.26
"""
# Buses between a design and a host besides its registers, by (protocol, mode), and their part of the bench.
PARTS = {
    frozenset({("axi4stream", "slave"), ("axi4stream", "master")}): "streams",
    frozenset({("axi4", "master")}): "movers",
}


def files(description: PackageDescription) -> Mapping[str, str]:
    """``tb/``: the bench, which reads ``NAME.json``, a script that runs it, and what both need.

    None without registers, and streams or masters of a memory.
    """
    kinds = {(one.protocol, one.mode) for one in description.interfaces}
    part = PARTS.get(frozenset(kinds - {("axi4lite", "slave")}))
    if part is None:
        return {}
    names = ("host", "bench", part, "run")
    texts = {name: (Path(__file__).parent / "tb" / f"{name}.py").read_text(encoding="utf-8") for name in names}
    return {f"tb/{name}.py": text for name, text in texts.items()} | {"tb/requirements.txt": REQUIREMENTS}
