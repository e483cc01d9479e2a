"""What takes long says so: to those who asked, once, and for how long where somebody sees it."""

import io
import re
import time

import pytest

from rewardware.hw.soc import under_way as module
from rewardware.hw.soc.under_way import telling, under_way
from rewardware.sim.verilator.cache import build_once
from rewardware.sw.cli.dispatch import dispatch


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_libraries_keep_quiet(capsys):
    with under_way("building"):
        pass
    assert capsys.readouterr().err == ""


def test_a_line_at_the_start(capsys):
    with telling():
        with under_way("building"):
            assert capsys.readouterr().err == "rewardware: building ...\n"
            with under_way("building a part of it"):
                pass
        with pytest.raises(ValueError), under_way("building another"):
            raise ValueError
    assert capsys.readouterr().err == "rewardware: building another ...\n"
    with under_way("building"):
        pass
    assert capsys.readouterr().err == ""


def test_a_terminal_sees_the_seconds(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(module, "TICK_SECONDS", 0.05)
    with telling(), under_way("building"):
        until = time.monotonic() + 30
        while not re.search("[1-9] s", terminal.getvalue()) and time.monotonic() < until:
            time.sleep(0.01)
    lines = terminal.getvalue().split("\r")
    assert lines[:2] == ["", "rewardware: building ... 0 s"] and lines[-1] == "rewardware: building ... 1 s\n"
    assert len(lines) > 10


def test_a_build_is_told_when_it_is_made(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    for _ in range(2):
        with telling():
            build_once("things", "key", lambda folder: (folder / "thing").write_text("made"), "making a thing")
    build_once("things", "other", lambda folder: None, "making another")
    assert capsys.readouterr().err == "rewardware: making a thing ...\n"


def test_the_command_line_tells(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    assert dispatch(["report", "rescaler", "--part", "ecp5"]) == 0
    captured = capsys.readouterr()
    said = ["rewardware: elaborating rescaler ...", "rewardware: synthesising rescaler for ecp5, once ..."]
    assert captured.err.splitlines() == said and "rescaler on ecp5" in captured.out
    assert dispatch(["report", "rescaler", "--part", "ecp5"]) == 0
    assert capsys.readouterr().err.splitlines() == said[:1]
