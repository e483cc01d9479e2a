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
from rewardware.hw.soc.export.lint import check_icarus
from rewardware.hw.soc.export.package import split_units, write_package
from rewardware.hw.soc.export.tools import ToolError
from rewardware.hw.soc.limited_command import run_limited
from rewardware.hw.soc.presets import read_preset
from rewardware.sim.verilator.toolchain import find_toolchain

from ..descriptions import CORE, SYSTEMS, described, description_of

LIMIT_SECONDS = 300


# A system whose bench reads registers.
SYSTEM = "pearl"


def write(name, folder):
    """The package of a design; its folder."""
    design = find_design(name)
    preset = read_preset("small", name).hardware if design.system else None
    sources = split_units(emit(design.top(design.configure(preset)), name), name)
    write_package(described(name, files=sources), sources, folder)
    return folder


@pytest.fixture(scope="module")
def core(tmp_path_factory):
    """The folder of a package with a clock, as small as they get."""
    return write(CORE, tmp_path_factory.mktemp("core"))


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    """The folder of a package with registers."""
    return write(SYSTEM, tmp_path_factory.mktemp("system"))


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


def fusesoc(package, name, build, environment, *arguments):
    """Output of FuseSoC."""
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
        [*command, "run", "--build-root", str(build), *arguments, name], LIMIT_SECONDS, env=environment
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


# Icarus is no package of Python; pytest says at its beginning where it is not installed.
SIMULATIONS = ["sim", "sim_verilator"] if shutil.which("iverilog") else ["sim_verilator"]


@pytest.mark.parametrize("target", SIMULATIONS)
def test_a_system_is_simulated(system, environment, tmp_path, target):
    assert f"{SYSTEM}: passed" in fusesoc(system, SYSTEM, tmp_path, environment, "--target", target)


@pytest.mark.parametrize("target", SIMULATIONS[:-1])
def test_the_bench_fails_where_a_register_reads_otherwise(system, tmp_path, target):
    shutil.copytree(system / "rtl", tmp_path / "rtl")
    bench = f"sim/{SYSTEM}_smoke.sv"
    text = (system / bench).read_text()
    assert text.count("32'h57445752") == 1
    (tmp_path / "sim").mkdir()
    (tmp_path / bench).write_text(text.replace("32'h57445752", "32'h57445753"))
    with pytest.raises(ToolError, match="address 000: response 00, data 57445752, not 57445753"):
        check_icarus(tmp_path, SYSTEM)


@pytest.mark.parametrize("target", SIMULATIONS[:-1])
def test_the_command_of_the_readme_simulates(core, target):
    (command,) = (line for line in (core / "README.md").read_text().splitlines() if line.startswith("    iverilog"))
    result = run_limited(["sh", "-c", command], LIMIT_SECONDS, cwd=core)
    assert f"{CORE}: passed" in result.stdout, result.stderr
    (core / f"{CORE}_smoke.vvp").unlink()


def test_it_lints(core, environment, tmp_path):
    said = fusesoc(core, CORE, tmp_path, environment, "--target", "lint")
    assert "verilator -f" in said and "Warning" not in said
    (options,) = tmp_path.rglob("*.vc")
    assert "-Wall" in options.read_text().split()


def test_it_synthesises(core, environment, tmp_path):
    fusesoc(core, CORE, tmp_path, environment, "--target", "synth", "--setup", "--build")
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
    assert core["targets"]["default"] == {"filesets": ["rtl"], "toplevel": name}
    assert set(core["targets"]) == {"default", "sim", "sim_verilator", "lint", "synth"}
