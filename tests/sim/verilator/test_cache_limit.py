"""The cache is bounded: what was unused for longest goes first."""

import os
import threading
import time

import pytest
from filelock import FileLock

from rewardware.sim.verilator import cache
from rewardware.sim.verilator.cache import build_once, cache_entries, cache_limit, make_room, remove_entries

DAY = 86400


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Three builds of a megabyte, used three days, two days and an hour and a half ago."""
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    folders = {}
    for name, age in (("old", 3 * DAY), ("older", 2 * DAY), ("new", 5400)):
        folder = build_once("things", name, lambda place: (place / "file").write_bytes(bytes(1_000_000)))
        os.utime(folder, (time.time() - age,) * 2)
        folders[name] = folder
    (tmp_path / "looked").unlink(missing_ok=True)
    return folders


def test_entries_are_in_the_order_of_their_use(made):
    assert [entry.folder.name for entry in cache_entries()] == ["old", "older", "new"]
    assert all(1_000_000 < entry.size < 1_001_000 and entry.kind == "things" for entry in cache_entries())


def test_those_unused_for_longest_make_room(made, monkeypatch):
    monkeypatch.setenv("REWARDWARE_CACHE_GB", "0.0015")
    make_room()
    assert [name for name, folder in made.items() if folder.exists()] == ["new"]


def test_what_was_used_within_the_hour_stays(made, monkeypatch):
    monkeypatch.setenv("REWARDWARE_CACHE_GB", "0.000001")
    os.utime(made["older"])
    make_room()
    assert [name for name, folder in made.items() if folder.exists()] == ["older"]


def test_a_build_looks_for_room_and_not_again_soon(made, monkeypatch):
    monkeypatch.setenv("REWARDWARE_CACHE_GB", "0.0025")
    build_once("things", "another", lambda place: (place / "file").write_bytes(bytes(1_000_000)))
    assert [name for name, folder in made.items() if folder.exists()] == ["older", "new"]
    build_once("things", "one more", lambda place: (place / "file").write_bytes(bytes(1_000_000)))
    assert made["older"].exists()


def test_what_is_being_made_is_not_removed(made):
    entered, leave = threading.Event(), threading.Event()

    def slow(place):
        entered.set()
        assert leave.wait(30)

    # As after a full disk: it is made again.
    (made["old"] / "file").write_bytes(b"")
    entry = cache_entries()[0]
    thread = threading.Thread(target=build_once, args=("things", "old", slow))
    thread.start()
    assert entered.wait(30)
    try:
        assert remove_entries([entry]) == 0
    finally:
        leave.set()
        thread.join()
    assert made["old"].exists()


def test_what_killed_builds_left_of_other_things_goes(made):
    """Unless somebody builds the thing: it holds the lock."""
    things = made["old"].parent
    left, built = (things / f"{name}.partial.x1" for name in ("gone", "under_way"))
    for folder in (left, built):
        folder.mkdir()
        (folder / "half").write_bytes(bytes(1000))
    with FileLock(things / "under_way.lock"):
        make_room()
    assert built.exists() and not left.exists() and all(folder.exists() for folder in made.values())


@pytest.mark.parametrize("text", ["", "much", "0", "-1", "inf", "nan"])
def test_limit_is_checked(text, monkeypatch):
    monkeypatch.setenv(cache.LIMIT_VARIABLE, text)
    with pytest.raises(ValueError, match=f"REWARDWARE_CACHE_GB must be a number of gigabytes above 0, not '{text}'"):
        cache_limit()
