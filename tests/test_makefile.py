"""Messages of `make setup` when something is missing: one line, before anything is installed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from rewardware.hw.soc.devices import find_device
from tests.hw.soc.export.descriptions import SYSTEMS

ROOT = Path(__file__).parents[1]
MAKE = shutil.which("make") or "make"


@pytest.fixture
def checkout(tmp_path):
    for name in ("Makefile", "requirements.lock", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def setup(checkout, **variables):
    return subprocess.run(
        [MAKE, "setup", *(f"{name}={value}" for name, value in variables.items())],
        cwd=checkout,
        env={name: value for name, value in os.environ.items() if not name.startswith("MAKE")},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_missing_compiler_is_named(checkout, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    result = setup(checkout)
    assert result.returncode != 0
    assert result.stdout == "g++ is missing: install it (Debian: apt-get install g++ perl)\n"


def test_old_python_is_named(checkout, tmp_path):
    old = tmp_path / "python"
    # Answers as an interpreter that is too old: the check of its version fails.
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    result = setup(checkout, PYTHON=old)
    assert result.returncode != 0
    assert result.stdout == "Python 3.11 or newer is missing: set PYTHON, as in make PYTHON=python3.12 setup\n"
    assert not (checkout / ".venv").exists()


def test_packages_of_every_system_are_made():
    """``make packages``: a small one and a large one of each, from presets that there are."""
    text = (ROOT / "Makefile").read_text()
    (words,) = re.findall(r"^PACKAGES := (.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    made = [word.split(":") for word in words.replace("\\", "").split()]
    assert {system for system, _ in made} == set(SYSTEMS)
    assert all(find_device(system).preset_folder.joinpath(f"{preset}.yaml").is_file() for system, preset in made)
    assert all([system, "small"] in made and [name for name, _ in made].count(system) == 2 for system in SYSTEMS)
