import json
import os
import time

import pytest

from rewardware.sim.verilator.cache import build_once
from rewardware.sw.cli.dispatch import dispatch


@pytest.fixture
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    monkeypatch.setenv("REWARDWARE_CACHE_GB", "2")
    for kind, days in (("libraries", 10), ("blocks", 1)):
        folder = build_once(kind, "key", lambda place: (place / "file").write_bytes(bytes(3_000_000)))
        os.utime(folder, (time.time() - days * 86400,) * 2)
    return tmp_path


def run(*arguments: str) -> int:
    return dispatch(["cache", *arguments])


def shown(capsys, *arguments: str) -> dict:
    assert run("--json", *arguments) == 0
    return json.loads(capsys.readouterr().out)


def test_what_is_kept_is_shown(kept, capsys):
    found = shown(capsys)
    assert found["folder"] == str(kept) and found["limit_bytes"] == 2_000_000_000 and found["freed_bytes"] == 0
    assert [(row["kind"], row["builds"], row["unused_days"]) for row in found["kinds"]] == [
        ("blocks", 1, 1.0),
        ("libraries", 1, 10.0),
    ]
    assert run() == 0
    said = capsys.readouterr().out
    assert "libraries" in said and "0.01 GB of at most 2" in said


def test_what_is_chosen_is_removed(kept, capsys):
    left = kept / "libraries" / "another.partial.x1"
    left.mkdir()
    assert shown(capsys) and left.exists()
    assert shown(capsys, "--clear", "--days", "5")["freed_bytes"] > 3_000_000
    # A build that was killed left it.
    assert not left.exists()
    assert [row["kind"] for row in shown(capsys)["kinds"]] == ["blocks"]
    assert shown(capsys, "--clear", "--kind", "blocks")["freed_bytes"] > 3_000_000
    assert shown(capsys)["kinds"] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--kind", "sounds"], "--kind must be one of blocks, libraries, not 'sounds'"),
        (["--days", "-1"], "--days must be at least 0, not -1.0"),
    ],
)
def test_wrong_input_is_refused(kept, capsys, arguments, said):
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err
