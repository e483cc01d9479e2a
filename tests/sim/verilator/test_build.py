import ctypes
import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import Out

from rewardware.hw.cores.verilog.emit import emit
from rewardware.sim.verilator import compiler
from rewardware.sim.verilator.build import OPTIMISATION_VARIABLE, BuildError, build_library
from rewardware.sim.verilator.cache import MANIFEST, build_once, cache_folder, content_key
from rewardware.sim.verilator.compiler import Compiler

HARNESS = Path(__file__).with_name("counter.cpp")


class Counter(wiring.Component):
    value: Out(16)

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.value.eq(self.value + 3)
        return m


def test_library_simulates_and_is_built_once():
    library = build_library(emit(Counter()), "top", [HARNESS])
    built = library.stat().st_mtime_ns
    assert ctypes.CDLL(str(library)).count(1000) == 3000
    assert build_library(emit(Counter()), "top", [HARNESS]) == library
    assert library.stat().st_mtime_ns == built


def test_name_of_the_top_module_is_free():
    assert ctypes.CDLL(str(build_library(emit(Counter(), "counter"), "counter", [HARNESS]))).count(7) == 21


def test_a_compiler_that_takes_too_long_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    monkeypatch.setattr(compiler, "COMMAND_LIMIT_SECONDS", 0.01)
    with pytest.raises(BuildError, match="^verilator ran longer than its limit of 0.01 s$"):
        build_library(emit(Counter()), "top", [HARNESS])


def test_error_says_what_the_compiler_said(tmp_path, monkeypatch):
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    with pytest.raises(BuildError, match="verilator failed with exit status 1:(.|\n)*syntax error"):
        build_library("module top(; endmodule", "top", [HARNESS])
    assert not list(tmp_path.glob("libraries/*partial*"))


def test_optimisation_is_a_level_of_the_compiler(monkeypatch):
    made = []
    monkeypatch.setattr("rewardware.sim.verilator.build.build", lambda *_, **given: made.append(given))
    for level in ("0", "3", None):
        monkeypatch.setenv(OPTIMISATION_VARIABLE, level) if level else monkeypatch.delenv(OPTIMISATION_VARIABLE)
        build_library("", "top", [HARNESS])
    assert [given["make_variables"][0] for given in made] == [
        "OPT_FAST=-O0",
        "OPT_FAST=-O3 -march=native",
        "OPT_FAST=-O3 -march=native",
    ]
    monkeypatch.setenv(OPTIMISATION_VARIABLE, "fast")
    with pytest.raises(ValueError, match="REWARDWARE_OPTIMISATION must be 0, 1, 2 or 3, not 'fast'"):
        build_library("", "top", [HARNESS])


def test_cache_folder_must_be_usable_by_make(monkeypatch):
    monkeypatch.setenv("REWARDWARE_CACHE", "/somewhere/with a space")
    with pytest.raises(ValueError, match="no space in its path, not '/somewhere/with a space'"):
        cache_folder()


def test_content_key_depends_on_everything_and_nothing_else():
    assert content_key(a=1, b=["x"]) == content_key(b=["x"], a=1) != content_key(a=1, b=["y"])


def test_interrupted_build_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))

    def interrupted(folder):
        (folder / "half").touch()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_once("kind", "key", interrupted)
    folder = build_once("kind", "key", lambda folder: (folder / "whole").touch())
    assert {file.name for file in folder.iterdir()} == {"whole", MANIFEST}


def test_processes_share_one_build(tmp_path, monkeypatch):
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    program = (
        "import time; from rewardware.sim.verilator.cache import build_once\n"
        "def build(folder): time.sleep(1); print('built')\n"
        "build_once('kind', 'key', build)"
    )
    workers = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert "".join(worker.communicate(timeout=60)[0] for worker in workers) == "built\n"


def test_threads_are_those_given_or_those_of_the_environment(monkeypatch):
    made = []
    monkeypatch.setattr("rewardware.sim.verilator.build.build", lambda *_, **given: made.append(given))
    monkeypatch.setenv("REWARDWARE_THREADS", "3")
    for threads in (None, 1, 2):
        build_library("", "top", [HARNESS], threads=threads)
    found = [" ".join(given["top_arguments"]).partition("--threads ")[2][:1] for given in made]
    assert found == ["3", "", "2"]
    for text in ("0", "many", "-1", ""):
        monkeypatch.setenv("REWARDWARE_THREADS", text)
        with pytest.raises(ValueError, match=f"REWARDWARE_THREADS must be a number from 1 on, not '{text}'"):
            build_library("", "top", [HARNESS])
    with pytest.raises(ValueError, match="Threads must be at least 1, not 0"):
        build_library("", "top", [HARNESS], threads=0)


def test_code_for_every_processor_is_kept_whatever_the_processor(monkeypatch):
    keys = {}
    for flags in ("-O1", "-O3 -march=native"):
        for processor in ("one", "another"):
            compiler = Compiler([], [f"OPT_FAST={flags}"])
            compiler._tools = dataclasses.replace(compiler._tools, processor=processor)
            keys[flags, processor] = content_key(**compiler.key)
    assert keys["-O1", "one"] == keys["-O1", "another"]
    assert keys["-O3 -march=native", "one"] != keys["-O3 -march=native", "another"]
