"""Kept builds are whole, or made again."""

import os
import subprocess
import sys

import pytest

from rewardware.sim.verilator.cache import MANIFEST, build_once


@pytest.fixture
def builds(tmp_path, monkeypatch):
    """Builds of two files, and how many there were."""
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    made = []

    def build(folder):
        made.append(folder)
        (folder / "part").mkdir()
        (folder / "part" / "library.so").write_bytes(bytes(1000))
        (folder / "log.txt").write_text("well")

    def make():
        folder = build_once("things", "key", build)
        assert (folder / "part" / "library.so").read_bytes() == bytes(1000)
        return folder

    return make, made


def test_a_second_build_makes_nothing(builds):
    make, made = builds
    assert make() == make()
    assert len(made) == 1 and not made[0].exists()


@pytest.mark.parametrize("name", ["part/library.so", "log.txt", MANIFEST])
@pytest.mark.parametrize("size", [0, 3, None])
def test_a_file_cut_short_or_lost_is_made_again(builds, name, size):
    make, made = builds
    file = make() / name
    if size is None:
        file.unlink()
    else:
        os.truncate(file, size)
    make()
    make()
    assert len(made) == 2


def test_what_a_killed_build_left_goes(builds, tmp_path):
    make, made = builds
    code = """
import os, sys
from rewardware.sim.verilator.cache import build_once
build_once("things", "key", lambda folder: os._exit(7))
"""
    assert subprocess.run([sys.executable, "-c", code]).returncode == 7
    assert [path for path in (tmp_path / "things").iterdir() if ".partial." in path.name]
    make()
    assert not [path for path in (tmp_path / "things").iterdir() if ".partial." in path.name]


def test_a_build_that_fails_leaves_nothing(builds, tmp_path):
    def fail(folder):
        (folder / "half").write_text("half")
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        build_once("things", "other", fail)
    assert {path.name for path in (tmp_path / "things").iterdir()} == {"other.lock"}
