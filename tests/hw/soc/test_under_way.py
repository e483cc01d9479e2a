"""Long work says so: to the log, once, and for how long where somebody sees it."""

import contextlib
import io
import logging
import re
import time

import pytest

from rewardware.hw.soc import under_way as module
from rewardware.hw.soc.under_way import PROGRESS, telling, under_way
from rewardware.sim.verilator.cache import build_once
from rewardware.sw.cli.dispatch import dispatch


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_libraries_keep_quiet(capsys):
    with under_way("building"):
        pass
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("asked", [False, True])
def test_a_message_at_the_start_and_the_time_at_the_end(asked, caplog):
    caplog.set_level(logging.INFO, "rewardware")
    with telling() if asked else contextlib.nullcontext():
        with under_way("building"):
            assert [(record.levelno, record.getMessage()) for record in caplog.records] == [(PROGRESS, "building ...")]
            with under_way("building a part of it"):
                pass
        assert re.fullmatch("building took 0.[01] s", caplog.records[1].getMessage())
        assert caplog.records[1].levelno == logging.INFO
        with pytest.raises(ValueError), under_way("building another"):
            raise ValueError
    assert [record.getMessage() for record in caplog.records[2:]] == ["building another ..."]


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


def test_a_build_is_told_when_it_is_made_and_when_it_is_found(tmp_path, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "rewardware")
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    for _ in range(2):
        build_once("things", "key", lambda folder: (folder / "thing").write_text("made"), "making a thing")
    folder = re.escape(str(tmp_path / "things" / "key"))
    words = [
        "making a thing ...",
        f"made in .* s: {folder}",
        "making a thing took .* s",
        f"taken from the cache: {folder}",
    ]
    assert all(map(re.fullmatch, words, (record.getMessage() for record in caplog.records)))
    assert [record.levelno for record in caplog.records] == [PROGRESS, logging.INFO, logging.INFO, logging.INFO]


def test_the_command_line_tells(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    assert dispatch(["report", "rescaler", "--part", "ecp5"]) == 0
    captured = capsys.readouterr()
    said = ["rewardware: elaborating rescaler, once ...", "rewardware: synthesising rescaler for ecp5, once ..."]
    assert captured.err.splitlines() == said and "rescaler on ecp5" in captured.out
    assert dispatch(["report", "rescaler", "--part", "ecp5"]) == 0
    assert not capsys.readouterr().err
