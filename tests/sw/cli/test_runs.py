"""Runs as users treat them: two at once, the wrong folder, an environment of their own."""

import threading
from pathlib import Path

import pytest

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.run_folder import CHECKPOINT, hold_folder, read_metrics

FIXAR = ["train", "fixar", "--quiet", "--evaluation-episodes", "1", "--evaluate-every", "0"]
SHORT = ["--env", "Pendulum-v1", "--steps", "3"]


def error_of(capsys, *arguments, code=2):
    assert dispatch(list(map(str, arguments))) == code
    captured = capsys.readouterr()
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.fixture(scope="module")
def fixar_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fixar") / "run"
    assert dispatch([*FIXAR, *SHORT, "--out", str(folder)]) == 0
    return folder


def test_a_folder_has_one_run_at_a_time(tmp_path):
    released, held = threading.Event(), threading.Event()

    def hold():
        with hold_folder(tmp_path / "run"):
            held.set()
            released.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(30)
    try:
        with pytest.raises(ValueError, match="Another run is writing to .*run: wait for its end, or choose another"):
            with hold_folder(tmp_path / "run"):
                pass
    finally:
        released.set()
        thread.join()
    with hold_folder(tmp_path / "run"):
        pass


def test_a_second_run_leaves_the_first_alone(fixar_run, capsys):
    before = (fixar_run / CHECKPOINT).read_bytes(), read_metrics(fixar_run)
    with hold_folder(fixar_run):
        said = error_of(capsys, *FIXAR, "--resume", fixar_run, "--steps", 5)
    assert "Another run is writing to" in said
    assert ((fixar_run / CHECKPOINT).read_bytes(), read_metrics(fixar_run)) == before


def test_resuming_another_systems_run_names_the_right_command(fixar_run, capsys):
    before = (fixar_run / CHECKPOINT).read_bytes()
    for system in ("a3c", "alphazero", "pearl", "learninggroup", "maac"):
        said = error_of(capsys, "train", system, "--resume", fixar_run)
        assert f"is a run of 'ddpg', not of {system}: go on with rewardware train fixar --resume {fixar_run}" in said
    assert (fixar_run / CHECKPOINT).read_bytes() == before


def test_resuming_in_another_environment_is_refused_by_name(fixar_run, capsys):
    said = error_of(capsys, *FIXAR, "--resume", fixar_run, "--env", "MountainCarContinuous-v0")
    assert "is a run in Pendulum-v1, not in MountainCarContinuous-v0: omit --env" in said


def test_resuming_without_metrics_goes_on(fixar_run, tmp_path, capsys):
    (tmp_path / CHECKPOINT).write_bytes((fixar_run / CHECKPOINT).read_bytes())
    assert dispatch([*FIXAR, "--resume", str(tmp_path), "--steps", "5"]) == 0
    out = capsys.readouterr().out
    assert "Pendulum-v1, 5 steps" in out and "random actions" not in out
    assert {record["kind"] for record in read_metrics(tmp_path)} == {"evaluation"}


def test_an_algorithm_is_not_ignored(fixar_run, capsys):
    said = error_of(capsys, "train", "pearl", "--resume", fixar_run, "--algo", "sac")
    assert "--resume goes on with the run's own algo: omit the option" in said


@pytest.mark.parametrize("option", ["--evaluate-every", "--checkpoint-every"])
def test_no_interval_is_below_nought(option, tmp_path, capsys):
    for system, env in (("fixar", "Pendulum-v1"), ("pearl", "CartPole-v1")):
        said = error_of(capsys, "train", system, "--env", env, option, -1, "--out", tmp_path / "run")
        assert f"{option} must be at least 0, not -1" in said
    assert not (tmp_path / "run").exists()


def test_planning_does_not_overwrite(tmp_path, capsys):
    plan = [
        "plan",
        "mcts",
        "--env",
        "tic-tac-toe",
        "--simulations",
        "5",
        "--workers",
        "2",
        "--max-steps",
        "1",
        "--quiet",
    ]
    assert dispatch([*plan, "--out", str(tmp_path)]) == 0
    before = read_metrics(tmp_path)
    assert "holds a run already: choose another folder with --out" in error_of(capsys, *plan, "--out", tmp_path)
    assert read_metrics(tmp_path) == before


OWN = """
import gymnasium
from gymnasium.envs.classic_control.pendulum import PendulumEnv

class Own(PendulumEnv):
    def step(self, action):
        if self.fails:
            raise self.fails("boom")
        return super().step(action)

for number, error in enumerate((None, ValueError, KeyError)):
    made = type(f"Own{number}", (Own,), {"fails": error})
    gymnasium.register(f"Own{number}-v0", entry_point=made, max_episode_steps=50)
"""


@pytest.fixture
def own_environment(tmp_path, monkeypatch):
    (tmp_path / "own_pendulum.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_ones_own_environment_is_found_in_the_working_folder(own_environment):
    arguments = ["--env", "own_pendulum:Own0-v0", "--steps", "3", "--out", str(own_environment / "run")]
    assert dispatch([*FIXAR, *arguments]) == 0


@pytest.mark.parametrize(("number", "name"), [(1, "ValueError"), (2, "KeyError")])
def test_an_error_in_it_says_type_and_place(number, name, own_environment, capsys):
    arguments = ["--env", f"own_pendulum:Own{number}-v0", "--steps", "3", "--out", own_environment / "run"]
    said = error_of(capsys, *FIXAR, *arguments, code=1)
    assert f"error: {name} in " in said and "own_pendulum.py:8: " in said and "boom" in said


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ("a3c --env CartPole-v1 --seed 3", "CartPole-v1-a3c-torch-3"),
        ("alphazero --env gomoku-9 --seed 2", "gomoku-9-alphazero-host-2"),
        ("alphazero --env openspiel:othello --backend reference", "openspiel-othello-alphazero-reference-0"),
        ("a3c --env ALE/Breakout-v5 --obs ram --backend reference", "ALE-Breakout-v5-a3c-reference-0"),
        ("fixar --env Pendulum-v1", "Pendulum-v1-reference-0"),
        ("fixar --env Pendulum-v1 --config tiny", "Pendulum-v1-tiny-reference-0"),
        ("learninggroup --groups 4", "predator-prey-easy-3-groups-4-torch-0"),
        ("learninggroup --groups 4 --backend blocks", "predator-prey-easy-3-groups-4-blocks-0"),
        ("maac --agents 4 --seed 2", "rover-tower-4-torch-2"),
        ("maac --env mpe2/simple_spread_v3", "mpe2-simple_spread_v3-maac-torch-0"),
        ("pearl --env CartPole-v1 --seed 3", "CartPole-v1-dqn-reference-3"),
        ("pearl --env CartPole-v1 --learner cartpole --backend rtl", "CartPole-v1-dqn-cartpole-rtl-0"),
        (
            "learninggroup --groups 4 --backend reference --config small",
            "predator-prey-easy-3-groups-4-small-reference-0",
        ),
        ("pearl --env CartPole-v1 --actors 2 --config small", "CartPole-v1-dqn-2-actors-small-reference-0"),
    ],
)
def test_a_folder_is_called_after_what_is_trained_and_takes_no_second_run(options, name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    folder = Path("runs") / name
    folder.mkdir(parents=True)
    (folder / "checkpoint.zip").touch()
    words = f"{folder} holds a run already: --resume {folder} goes on with it, --out puts another one elsewhere"
    assert words in error_of(capsys, "train", *options.split())
