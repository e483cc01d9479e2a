"""A component is elaborated where its Verilog is not there yet."""

import gc
import importlib
import importlib.metadata
import os
import subprocess
import sys
import time
import warnings

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from rewardware.hw.cores.verilog.emit import emit
from rewardware.sim.verilog import sources
from rewardware.sim.verilog.emitted import emitted

ELABORATED = []


class Adder(wiring.Component):
    def __init__(self, width, constant=1):
        self.constant = constant
        super().__init__({"i": In(width), "o": Out(width)})

    def elaborate(self, platform):
        ELABORATED.append(self)
        m = Module()
        m.d.sync += self.o.eq(self.i + self.constant)
        return m


@pytest.fixture(autouse=True)
def _empty_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path / "cache"))
    # This file may have been edited just now.
    monkeypatch.setattr(sources, "_STARTED", time.time() + 10)
    ELABORATED.clear()


def test_the_second_is_not_elaborated():
    texts = [emitted(Adder(7), "top") for _ in range(2)]
    assert len(ELABORATED) == 1
    assert texts[0] == texts[1] == emit(Adder(7), "top")


def test_what_differs_is():
    texts = [
        emitted(Adder(7), "top"),
        emitted(Adder(8), "top"),
        emitted(Adder(7, constant=2), "top"),
        emitted(Adder(7), "adder"),
        emitted(Adder(7), "top", lambda component, name: emit(component, name) + "// more\n", more=1),
        emitted(Adder(7), "top", lambda component, name: emit(component, name) + "// others\n", more=2),
    ]
    assert len(set(texts)) == len(ELABORATED) == 6


def test_another_version_elaborates_anew(monkeypatch):
    emitted(Adder(7), "top")
    version = importlib.metadata.version
    monkeypatch.setattr(importlib.metadata, "version", lambda name: version(name) + "+1" * (name == "amaranth"))
    emitted(Adder(7), "top")
    assert len(ELABORATED) == 2


class Unneeded(Adder):
    pass


def test_nobody_is_warned_of_what_need_not_be_elaborated():
    emitted(Unneeded(7), "top")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        emitted(Unneeded(7), "top")
        # With what other tests have left.
        gc.collect()
    assert len(ELABORATED) == 1 and not [warning for warning in caught if Unneeded.__name__ in str(warning.message)]


def test_what_cannot_be_described_is_elaborated_each_time():
    class Local(Adder):
        pass

    assert emitted(Local(7), "top") == emitted(Local(7), "top")
    assert len(ELABORATED) == 2


def test_an_error_is_kept_nowhere():
    for _ in range(2):
        with pytest.raises(TypeError, match="unsupported operand|Object 'two' cannot be converted"):
            emitted(Adder(7, constant="two"), "top")
    assert len(ELABORATED) == 2


@pytest.fixture
def oven(monkeypatch, tmp_path):
    """A component in a package, loaded anew each time; its part can be edited."""
    package = tmp_path / "oven"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "coil.py").write_text("TURNS = 3\n")
    (package / "device.py").write_text(
        "from tests.sim.verilog.test_emitted import Adder\n"
        "from .coil import TURNS\n"
        "class Oven(Adder):\n"
        "    def elaborate(self, platform):\n"
        "        self.constant = TURNS\n"
        "        return super().elaborate(platform)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    # Packages of that name of other tests were elsewhere.
    for cached in (sources.imported_modules, sources._file, sources._imports):
        cached.cache_clear()

    def text():
        for name in [name for name in sys.modules if name.partition(".")[0] == "oven"]:
            del sys.modules[name]
        importlib.invalidate_caches()
        return emitted(importlib.import_module("oven.device").Oven(7), "top")

    return package, text


def test_an_edit_of_a_part_is_seen(oven):
    package, text = oven
    before = text()
    assert text() == before and len(ELABORATED) == 1
    (package / "coil.py").write_text("TURNS = 5\n")
    after = text()
    assert after != before and "3'h5" in after


def test_what_was_edited_since_the_start_is_not_kept(oven):
    """The process may have loaded it before: the text of then must not be found by that of now."""
    package, text = oven
    text()
    text()
    assert len(ELABORATED) == 1
    later = time.time() + 20
    os.utime(package / "coil.py", (later, later))
    text()
    text()
    assert len(ELABORATED) == 3


def test_a_component_of_a_script_is_elaborated_each_time(tmp_path):
    """Nobody knows what its text was: it has no name by which it is found."""
    script = tmp_path / "own.py"

    def text(constant):
        script.write_text(
            "from rewardware.sim.verilog.emitted import emitted\n"
            "from tests.sim.verilog.test_emitted import Adder\n"
            "class Own(Adder):\n"
            "    def elaborate(self, platform):\n"
            f"        self.constant = {constant}\n"
            "        return super().elaborate(platform)\n"
            "print(emitted(Own(7), 'top'))\n"
        )
        os.utime(script, (1e9, 1e9))
        ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=environment)
        return ran.stdout

    environment = os.environ | {"PYTHONPATH": os.getcwd()}
    assert "3'h5" in text(5) and "3'h6" in text(6)
