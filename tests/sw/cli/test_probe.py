import json
import os

import pytest

from rewardware.sim.harness.uart import SimulatedBoard
from rewardware.sw.cli.dispatch import dispatch
from tests.sw.device.test_simulation import CONFIG


@pytest.fixture(scope="module")
def board():
    with SimulatedBoard(CONFIG) as board:
        yield board


@pytest.fixture
def built_from(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("name: custom\nsystem: row_memory\nhardware: {lanes: 3}\n")
    return ("--config", str(file), "--system", "row_memory")


def test_a_board_is_identified_and_tested(board, built_from, capsys):
    assert dispatch(["probe", f"uart:{board.port}", *built_from]) == 0
    head, what, *checks = capsys.readouterr().out.splitlines()
    assert head.startswith(f"{board.port}, 1000000 baud: a Rewardware device, shell 2.0, accelerator 'ROWS', ")
    assert what.startswith("That is row_memory, preset custom, counts about ")
    assert [check.split()[0] for check in checks] == ["soft", "registers", "refusal", "errors", "program", "rows"]
    assert all(" passed " in check for check in checks)


def test_the_report_as_json(board, built_from, capsys):
    assert dispatch(["probe", f"uart:{board.port}@115200", *built_from, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["baud"] == 115_200 and report["system"] == "row_memory" and report["clock_mhz"] is not None
    assert [check["passed"] for check in report["checks"]] == [True] * 6


def test_a_device_of_no_preset_is_told_and_not_tested(board, capsys):
    assert dispatch(["probe", f"uart:{board.port}"]) == 1
    assert "That is no preset of row_memory: not tested. If you built it from a file, give" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["/dev/ttyUSB0"], "The board must be given as uart:PORT, such as uart:/dev/ttyUSB0, not '/dev/ttyUSB0'"),
        (["uart:"], "The board must be given as uart:PORT"),
        (["uart:a", "--config", "b.yaml"], "--config FILE and --system NAME belong together"),
        (["uart:a", "--timeout", "0"], "--timeout must be more than 0, not 0"),
        (["uart:a@fast"], 'A serial port must be "PORT" or "PORT@BAUD", such as "/dev/ttyUSB0@921600", not \'a@fast\''),
        (["uart:@9600"], 'A serial port must be "PORT" or'),
    ],
)
def test_wrong_arguments_are_refused(arguments, words, capsys):
    assert dispatch(["probe", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_silent_port_is_a_failure(capsys):
    master, slave = os.openpty()
    try:
        assert dispatch(["probe", f"uart:{os.ttyname(slave)}@9600", "--timeout", "0.05"]) == 1
    finally:
        os.close(master)
        os.close(slave)
    assert "at 9600 baud nothing comes back (another port?" in capsys.readouterr().err
