"""Evaluating runs, and what a checkpoint from elsewhere may not do."""

import json
import sys

import gymnasium
import numpy as np
import pytest
from PIL import Image

from rewardware.sw.cli.dispatch import dispatch
from rewardware.sw.core.checkpoint import read_checkpoint, write_checkpoint
from rewardware.sw.core.run_folder import CHECKPOINT

RUN = "--steps 6 --learning-starts 5 --batch-size 4 --evaluation-episodes 1 --quiet".split()
MODULE = """
import pathlib
import gymnasium
import numpy as np

pathlib.Path("imported").touch()

class Drawn(gymnasium.Env):
    metadata = {"render_modes": ["rgb_array"], "render_fps": 20}
    observation_space = gymnasium.spaces.Box(-1, 1, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(2)
    render_mode = None

    def __init__(self, render_mode=None):
        self.render_mode = render_mode

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = float(self.np_random.uniform(-1, 1))
        return np.array([self.place, 0], np.float32), {}

    def step(self, action):
        return np.array([self.place, 1], np.float32), self.place, False, False, {}

    def render(self):
        return np.full((8, 9, 3), 7, np.uint8) if self.render_mode else None

gymnasium.register("Drawn-v0", entry_point=Drawn, max_episode_steps=5)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the user's module, which nobody has imported before or afterwards."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drawn.py").write_text(MODULE)
    yield tmp_path
    sys.modules.pop("drawn", None)
    gymnasium.registry.pop("Drawn-v0", None)


def train():
    return dispatch(["train", "pearl", "--env", "drawn:Drawn-v0", *RUN, "--config", "small", "--out", "run"])


@pytest.fixture
def run(folder):
    """A run in the user's environment."""
    assert train() == 0
    return folder / "run"


def outcome(capsys, *arguments):
    capsys.readouterr()
    assert dispatch(["eval", "run", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_an_evaluation_has_a_seed(run, capsys):
    one, again, other = (outcome(capsys, "--episodes", "3", *seed) for seed in ((), (), ("--seed", "5")))
    assert one == again and len(one["returns"]) == 3 and one["returns"] != other["returns"]
    assert (one["algorithm"], one["env"], one["steps"]) == ("prioritized-dqn", "Drawn-v0", 6)


def test_a_video_shows_an_episode(run, capsys):
    outcome(capsys, "--episodes", "1", "--video", "films/run.gif")
    with Image.open(run.parent / "films" / "run.gif") as film:
        assert film.size == (9, 8) and film.format == "GIF"


@pytest.mark.parametrize(("part", "other"), [('"rgb_array"', '"human"'), ("return np.full", "return np.full and 5 or")])
def test_what_does_not_draw_itself_is_refused(part, other, folder, capsys):
    (folder / "drawn.py").write_text(MODULE.replace(part, other))
    assert train() == 0
    capsys.readouterr()
    assert dispatch(["eval", "run", "--episodes", "1", "--video", "run.gif"]) == 2
    assert "Drawn-v0 cannot be drawn" in capsys.readouterr().err and not (folder / "run.gif").exists()


def changed(run, **changes):
    """The checkpoint as somebody else may have written it."""
    arrays, about = read_checkpoint(run / CHECKPOINT)
    rest = {name: value for name, value in about.items() if name not in ("format", "version", "rewardware", "arrays")}
    write_checkpoint(run / CHECKPOINT, arrays, {**rest, **changes})


def refused(capsys, *arguments):
    capsys.readouterr()
    assert dispatch(["eval", "run", "--episodes", "1", *arguments]) == 2
    return capsys.readouterr().err


def test_a_checkpoint_alone_imports_nothing(run, capsys):
    sys.modules.pop("drawn")
    gymnasium.registry.pop("Drawn-v0")
    (run.parent / "imported").unlink()
    changed(run, env="drawn:Drawn-v0")
    assert "whose module is imported only on request" in refused(capsys)
    assert not (run.parent / "imported").exists() and "drawn" not in sys.modules
    assert "Module 'drown' cannot be imported" in refused(capsys, "--import", "drown")
    assert dispatch(["eval", "run", "--episodes", "1", "--import", "drawn"]) == 0


def test_a_checkpoint_alone_opens_no_port(run, capsys):
    changed(run, backend="uart:/dev/ttyUSB9")
    assert "is of a run on uart:/dev/ttyUSB9: give the backend, this one or another" in refused(capsys)
    assert dispatch(["eval", "run", "--episodes", "1", "--backend", "reference"]) == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"config": {"hidden_sizes": 7}}, {"config": ["a"]}, {"config": {"no_such": 1}},
        {"hardware": {"leaves": "many"}}, {"hardware": 3}, {"learner": {"system": 1}}, {"env": 5}, {"backend": None},
    ],
    ids=str,
)  # fmt: skip
def test_settings_that_cannot_be_are_refused(changes, run, capsys):
    changed(run, **changes)
    said = refused(capsys)
    assert said.startswith("rewardware: error: run/checkpoint.zip") or "run/checkpoint.zip" in said
    assert said.count("\n") == 1


def test_an_option_of_a_checkpoint_is_known(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = "--env Pendulum-v1 --steps 3 --evaluation-episodes 1 --quiet --config tiny --out run".split()
    assert dispatch(["train", "fixar", *options, "--hidden-sizes", "20,12", "--batch-size", "16"]) == 0
    changed(tmp_path / "run", options={"hardware": "paper"})
    assert "unknown option hardware" in refused(capsys)
    changed(tmp_path / "run", options={}, config={"hidden_sizes": np.pi})
    assert "holds settings that no agent of this version has" in refused(capsys)
