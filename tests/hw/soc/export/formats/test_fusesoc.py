"""FuseSoC itself runs the targets of a package, with the tools that this project's tests have."""

import json
import os
import shutil
import stat
import sys
from pathlib import Path

import pytest
import yaml

from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.soc.export.catalogue import find_design
from rewardware.hw.soc.export.formats.fusesoc import files
from rewardware.hw.soc.export.package import split_units, write_package
from rewardware.hw.soc.limited_command import run_limited
from rewardware.sim.verilator.toolchain import find_toolchain

from ..descriptions import CORE, SYSTEMS, described, description_of

LIMIT_SECONDS = 300


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """The folder of a package with a clock, as small as they get."""
    folder = tmp_path_factory.mktemp("package")
    design = find_design(CORE)
    sources = split_units(emit(design.create(design.configure()), CORE), CORE)
    write_package(described(CORE, files=sources), sources, folder)
    return folder


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """Where FuseSoC finds Verilator, Yosys and the compiler."""
    folder, tools = tmp_path_factory.mktemp("tools"), find_toolchain()
    # Python's package of Verilator knows neither our compiler nor that coroutines need the standard of 2020.
    programs = {
        "verilator": f'VERILATOR_ROOT={tools.root} exec {tools.verilator} "$@"',
        "compiler": f'exec {tools.compiler} -std=gnu++20 "$@"',
        "yosys": f'exec {sys.executable} {Path(__file__).with_name("yosys_with_tcl.py")} "$@"',
    }
    for name, text in programs.items():
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(stat.S_IRWXU)
    variables = [
        *tools.make_variables,
        "CXX=compiler",
        "LINK=compiler",
        "OPT_FAST=-O0",
        "OPT_SLOW=-O0",
        "OPT_GLOBAL=-O0",
    ]
    return {**tools.environment, "PATH": f"{folder}:{os.environ['PATH']}", "MAKEFLAGS": " ".join(variables)}


def fusesoc(package, build, environment, *arguments):
    """What FuseSoC says."""
    # Its configuration is that of nobody.
    (build / "fusesoc.conf").write_text("")
    command = [
        sys.executable,
        "-m",
        "fusesoc.main",
        "--config",
        str(build / "fusesoc.conf"),
        "--cores-root",
        str(package),
    ]
    result = run_limited(
        [*command, "run", "--build-root", str(build), *arguments, CORE], LIMIT_SECONDS, env=environment
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


# Icarus is no package of Python; pytest says at its beginning where it is not installed.
SIMULATIONS = ["sim", "sim_verilator"] if shutil.which("iverilog") else ["sim_verilator"]


@pytest.mark.parametrize("target", SIMULATIONS)
def test_it_simulates(package, environment, tmp_path, target):
    assert f"{CORE}: passed" in fusesoc(package, tmp_path, environment, "--target", target)


@pytest.mark.parametrize("target", SIMULATIONS[:-1])
def test_the_command_of_the_readme_simulates(package, target):
    (command,) = (line for line in (package / "README.md").read_text().splitlines() if line.startswith("    iverilog"))
    result = run_limited(["sh", "-c", command], LIMIT_SECONDS, cwd=package)
    assert f"{CORE}: passed" in result.stdout, result.stderr
    (package / f"{CORE}_smoke.vvp").unlink()


def test_it_lints(package, environment, tmp_path):
    said = fusesoc(package, tmp_path, environment, "--target", "lint")
    assert "verilator -f" in said and "Warning" not in said


def test_it_synthesises(package, environment, tmp_path):
    fusesoc(package, tmp_path, environment, "--target", "synth", "--setup", "--build")
    (netlist,) = tmp_path.rglob("*.json")
    assert "LUT4" in {cell["type"] for cell in json.loads(netlist.read_text())["modules"][CORE]["cells"].values()}


@pytest.mark.parametrize("name", [*SYSTEMS, CORE])
def test_every_core_file_has_its_files_and_targets(name):
    description = description_of(name)
    text = files(description)[f"{name}.core"]
    assert text.startswith("CAPI=2:\n")
    core = yaml.safe_load(text)
    assert core["name"] == f"rewardware:{description.library}:{name}:{description.version}"
    assert core["filesets"]["rtl"]["files"] == list(description.files)
    assert set(core["targets"]) == {"default", "sim", "sim_verilator", "lint", "synth"}
