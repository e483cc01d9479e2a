"""A bench that needs no file of this project: cocotb, cocotbext-axi, and Icarus or Verilator. No Amaranth here."""

from collections.abc import Mapping
from pathlib import Path

from ..description import PackageDescription

__all__ = ["files"]

REQUIREMENTS = """\
cocotb>=2.0,<3
cocotbext-axi>=0.1.26
"""


def files(description: PackageDescription) -> Mapping[str, str]:
    """``tb/``: the bench, which reads ``NAME.json``, a script that runs it, and what both need.

    None without registers and a stream each way.
    """
    kinds = {(one.protocol, one.mode) for one in description.interfaces}
    if kinds != {("axi4lite", "slave"), ("axi4stream", "slave"), ("axi4stream", "master")}:
        return {}
    here = Path(__file__)
    return {
        "tb/bench.py": here.with_name("packaged_bench.py").read_text(encoding="utf-8"),
        "tb/run.py": here.with_name("packaged_run.py").read_text(encoding="utf-8"),
        "tb/requirements.txt": REQUIREMENTS,
    }
