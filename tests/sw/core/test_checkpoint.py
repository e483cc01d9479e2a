"""Checkpoints: whole or refused."""

import os
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rewardware.sw.core.checkpoint import CheckpointError, read_checkpoint, write_checkpoint

ARRAYS = {
    "a/b": np.arange(1000, dtype=np.uint64) << np.uint64(50),
    "c": np.array(3.5),
    "d": np.zeros((0, 4), np.float32),
}


def test_round_trip(tmp_path):
    path = tmp_path / "deep" / "checkpoint.zip"
    write_checkpoint(path, ARRAYS, {"state": 1 << 200, "name": "x"})
    arrays, rest = read_checkpoint(path)
    assert rest["state"] == 1 << 200 and rest["name"] == "x"
    assert arrays.keys() == ARRAYS.keys()
    for name, value in ARRAYS.items():
        assert arrays[name].dtype == value.dtype and np.array_equal(arrays[name], value)
    assert os.listdir(path.parent) == ["checkpoint.zip"]


def test_cut_short_anywhere_is_refused(tmp_path):
    path = tmp_path / "checkpoint.zip"
    write_checkpoint(path, ARRAYS, {})
    whole = path.read_bytes()
    for length in {0, 1, 30, len(whole) // 2, len(whole) - 30, len(whole) - 1}:
        path.write_bytes(whole[:length])
        with pytest.raises(CheckpointError, match="is cut short or damaged, or not a checkpoint"):
            read_checkpoint(path)


def test_flipped_bits_are_noticed(tmp_path):
    path = tmp_path / "checkpoint.zip"
    write_checkpoint(path, ARRAYS, {})
    whole = bytearray(path.read_bytes())
    where = whole.index(ARRAYS["a/b"].tobytes()[800:1600])
    whole[where] ^= 4
    path.write_bytes(whole)
    with pytest.raises(CheckpointError, match="Bad CRC-32"):
        read_checkpoint(path)


@settings(
    max_examples=300,
    suppress_health_check=[*settings.default.suppress_health_check, HealthCheck.function_scoped_fixture],
)
@given(where=st.floats(0, 1, exclude_max=True), flip=st.integers(1, 255))
def test_any_flipped_byte_is_refused_or_of_no_matter(tmp_path, where, flip):
    path = tmp_path / "checkpoint.zip"
    small = {"a": np.arange(6, dtype=np.int32), "b": np.array(2.5)}
    write_checkpoint(path, small, {"number": 1})
    whole = bytearray(path.read_bytes())
    whole[int(where * len(whole))] ^= flip
    path.write_bytes(whole)
    try:
        arrays, rest = read_checkpoint(path)
    except CheckpointError:
        return
    assert rest["number"] == 1 and all(np.array_equal(arrays[name], value) for name, value in small.items())


def test_foreign_files_are_refused(tmp_path):
    path = tmp_path / "foreign.zip"
    with pytest.raises(CheckpointError, match="No checkpoint at"):
        read_checkpoint(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("hello.txt", "hello")
    with pytest.raises(CheckpointError, match="is not a checkpoint of rewardware"):
        read_checkpoint(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("about.json", '{"format": "rewardware checkpoint", "version": 99, "arrays": []}')
    with pytest.raises(CheckpointError, match="version 99, not 2"):
        read_checkpoint(path)


def test_failed_write_leaves_the_old_one(tmp_path):
    path = tmp_path / "checkpoint.zip"
    write_checkpoint(path, ARRAYS, {"number": 1})
    with pytest.raises(ValueError):
        write_checkpoint(path, {"bad": np.array([object()])}, {"number": 2})
    assert read_checkpoint(path)[1]["number"] == 1
    assert os.listdir(tmp_path) == ["checkpoint.zip"]
