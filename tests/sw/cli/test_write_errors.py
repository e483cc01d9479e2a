"""A disk that is full and files that cannot be written: one line names the file and what failed, exit code 1."""

import errno
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rewardware.hw.soc.written_file import WriteError, writing, writing_into
from rewardware.sw.cli.dispatch import dispatch

FULL = "No space left on device"
TRAIN = "train fixar --env Pendulum-v1 --steps 3 --evaluation-episodes 1 --batch-size 2 --learning-starts 2 --quiet"
PLAN = "plan mcts --env tic-tac-toe --simulations 4 --workers 2 --max-steps 2 --quiet"


def refused(arguments: list[str], capsys: pytest.CaptureFixture) -> str:
    """The message about a file that cannot be written."""
    assert dispatch(arguments) == 1
    # What takes long says so before.
    said = re.sub("^rewardware: elaborating .*\n", "", capsys.readouterr().err)
    assert said.startswith("rewardware: error: Cannot write ") and said.count("\n") == 1, said
    return said.removeprefix("rewardware: error: Cannot write ").rstrip("\n")


def full(folder: Path, name: str) -> Path:
    """A file that takes nothing: what is written to it finds a full disk."""
    folder.mkdir(exist_ok=True)
    (folder / name).symlink_to("/dev/full")
    return folder / name


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (TRAIN, "metrics.jsonl"),
        (TRAIN, "summary.json"),
        ("train learninggroup --iterations 1 --quiet", "metrics.jsonl"),
        ("train learninggroup --iterations 1 --quiet", "summary.json"),
        (PLAN, "settings.json"),
        (PLAN, "summary.json"),
    ],
)
def test_records_of_a_run_are_named(command, name, tmp_path, capsys):
    file = full(tmp_path / "run", name)
    assert refused([*command.split(), "-o", str(tmp_path / "run")], capsys) == f"{file}: {FULL}"


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (TRAIN, "learning_curve.png"),
        (TRAIN, "statistics.png"),
        ("train learninggroup --iterations 1 --quiet", "learning_curve.png"),
        (PLAN, "returns.png"),
        (PLAN, "tree_shapes.png"),
    ],
)
def test_pictures_are_named(command, name, tmp_path, capsys):
    picture = full(tmp_path / "run", name)
    assert refused([*command.split(), "-o", str(tmp_path / "run")], capsys) == f"{picture}: {FULL}"


def test_a_checkpoint_is_named_and_leaves_nothing_behind(tmp_path, capsys, monkeypatch):
    def fsync(number):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fsync)
    checkpoint = tmp_path / "run/checkpoint.zip"
    assert refused([*TRAIN.split(), "-o", str(tmp_path / "run")], capsys) == f"{checkpoint}: {FULL}"
    assert not [file for file in checkpoint.parent.iterdir() if "checkpoint" in file.name]


@pytest.mark.parametrize("command", [TRAIN, PLAN, "package rescaler --no-check"])
def test_a_folder_that_is_a_file_is_named(command, tmp_path, capsys):
    file = tmp_path / "file"
    file.write_text("")
    said = refused([*command.split(), "-o", str(file)], capsys)
    assert said.startswith(str(file)) and said.endswith(("File exists", "Not a directory"))


def test_verilog_is_named(tmp_path, capsys, monkeypatch):
    write_text = Path.write_text

    def write(path, *arguments, **options):
        if path.name == "rescaler.f":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write_text(path, *arguments, **options)

    monkeypatch.setattr(Path, "write_text", write)
    said = refused(["package", "rescaler", "--no-check", "-o", str(tmp_path)], capsys)
    assert said == f"{tmp_path / 'rescaler.f'}: {FULL}"


def test_a_recording_is_named(tmp_path, capsys):
    file = tmp_path / "nowhere/requests.npz"
    said = refused([*PLAN.split(), "-o", str(tmp_path / "run"), "--record", str(file)], capsys)
    assert said == f"{file}: No such file or directory"


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_output_that_nobody_can_take_is_named(unbuffered):
    command = [sys.executable, "-m", "rewardware.sw.cli", "list"]
    with open("/dev/full", "w") as output:
        result = subprocess.run(
            command,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
            timeout=60,
        )
    assert result.returncode == 1
    assert result.stderr == f"rewardware: error: Cannot write standard output: {FULL}\n"


def test_other_errors_within_stay_what_they_are(tmp_path):
    with pytest.raises(WriteError, match="Cannot write there: Input/output error"), writing("there"):
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    for error in (OSError(errno.EIO, "of a port", "/dev/ttyUSB0"), OSError("of a port"), ValueError("of a value")):
        with pytest.raises(type(error)) as caught, writing_into(tmp_path):
            raise error
        assert caught.value is error
    with pytest.raises(WriteError, match=f"Cannot write {tmp_path}/one: Permission denied"), writing_into(tmp_path):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), f"{tmp_path}/one")
