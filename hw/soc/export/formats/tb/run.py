"""Simulates the package with its bench: python run.py, or python run.py verilator."""

import argparse
import json
import shutil
import sys
from pathlib import Path

from cocotb_tools.runner import get_results, get_runner

SIMULATORS = {"icarus": "iverilog", "verilator": "verilator"}
PACKAGE = Path(__file__).resolve().parents[1]


def main() -> int:
    """Build and run; 0 if every test passed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("simulator", nargs="?", choices=SIMULATORS, default="icarus")
    simulator = parser.parse_args().simulator
    if shutil.which(SIMULATORS[simulator]) is None:
        parser.error(f"{SIMULATORS[simulator]} is not on PATH: install {simulator}, or name another one")
    (about_file,) = PACKAGE.glob("*.json")
    about = json.loads(about_file.read_text(encoding="utf-8"))
    runner, timescale = get_runner(simulator), ("1ns", "1ps")
    places = {"build_dir": PACKAGE / "tb" / "build" / simulator, "hdl_toplevel": about["top"]}
    waivers = [str(PACKAGE / f"{about['top']}.vlt")] if simulator == "verilator" else []
    sources = [PACKAGE / file for file in about["files"]]
    runner.build(sources=sources, build_args=waivers, timescale=timescale, **places)
    # Beside the tests of all systems, those of what this one has.
    parts = [name for name in ("bench", "streams", "movers") if (PACKAGE / "tb" / f"{name}.py").exists()]
    sys.path.insert(0, str(PACKAGE))
    results = runner.test(
        test_module=[f"tb.{part}" for part in parts], test_dir=PACKAGE / "tb", timescale=timescale, **places
    )
    tests, failed = get_results(results)
    return 0 if tests and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
