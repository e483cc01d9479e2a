"""The one run: evaluations and checkpoints at ends of rounds, by time, when the environment fails; who gets records."""

import json
import sys
import time
import types

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from rewardware.sw.core import run as run_module
from rewardware.sw.core.environments.failure import EnvironmentFailure
from rewardware.sw.core.loggers import make_logger
from rewardware.sw.core.run import Run
from rewardware.sw.core.run_folder import CHECKPOINT, read_metrics


class Counter:
    """Counts up in rounds; its checkpoint is its count."""

    unit = "step"
    evaluates_from = 20

    def __init__(self, size=1, count=0, fails_at=None):
        self.size, self.count, self.fails_at, self.saved, self.learned = size, count, fails_at, [], True

    def advance(self):
        if self.fails_at is not None and self.count >= self.fails_at:
            raise EnvironmentFailure("Step 3 of episode 0: KeyError: 'door'")
        self.count += self.size
        return [{"kind": "episode", "step": self.count, "return": 2.0 * self.count}]

    def evaluate_for_record(self, episodes):
        return {"mean": float(episodes)}

    def baseline(self, episodes):
        return {"mean": -float(episodes)}

    def statistics(self):
        return {"loss": 1 / self.count} if self.learned else None

    def save(self, path):
        self.saved.append(self.count)
        path.write_text(str(self.count))

    def about(self):
        return {"backend": "none", "seed": 3}

    def counters(self):
        return {}

    def report(self):
        return self

    def shown(self, record):
        return {}

    def summarize(self, records):
        return {"records": len(records)}

    def plot(self, directory, records, summary):
        (directory / "picture.png").touch()


class Seeded(Counter):
    """Knows of seeds, which algorithms of users need not."""

    def evaluate_for_record(self, episodes, seed=0):
        return {"mean": float(episodes), "seed": seed}

    def baseline(self, episodes, seed=0):
        return {"mean": -float(episodes), "seed": seed}


def steps(directory, kind):
    return [record["step"] for record in read_metrics(directory) if record["kind"] == kind]


def test_a_run_leaves_everything(tmp_path):
    summary = Run(Counter(), tmp_path / "run", 50, evaluate_every=10, checkpoint_every=25, progress=False).run()
    assert summary == json.loads((tmp_path / "run" / "summary.json").read_text())
    assert (summary["backend"], summary["steps"], summary["records"]) == ("none", 50, 1 + 50 + 3)
    assert summary["versions"].keys() >= {"python", "numpy", "torch"}
    # Evaluated after it began to learn alone, and once at the end.
    assert steps(tmp_path / "run", "evaluation") == [30, 40, 50] and steps(tmp_path / "run", "random") == [0]
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        ".lock", CHECKPOINT, "metrics.jsonl", "picture.png", "settings.json", "summary.json",
    }  # fmt: skip


@pytest.mark.parametrize("every", [1, 7, 16, 40])
def test_a_round_is_evaluated_and_saved_at_its_end_and_once(every, tmp_path):
    algorithm = Counter(size=16)
    Run(algorithm, tmp_path, 160, evaluate_every=every, checkpoint_every=every, progress=False).run()
    ends = [end for end in range(16, 161, 16) if end // every > (end - 16) // every]
    assert algorithm.saved == [*ends, 160]
    evaluated = [end for end in ends if end // every * every > 20]
    assert steps(tmp_path, "evaluation") == evaluated + ([] if evaluated[-1] == 160 else [160])


def test_checkpoints_come_by_time(tmp_path, monkeypatch):
    algorithm, now = Counter(), iter(range(10_000))
    monkeypatch.setattr(run_module.time, "perf_counter", lambda: float(next(now)))
    Run(algorithm, tmp_path, 40, checkpoint_seconds=20, progress=False).run()
    assert len(algorithm.saved) > 1 and algorithm.saved[-1] == 40


def test_a_file_gets_few_states_of_the_progress_bar(tmp_path, capsys, monkeypatch):
    class Slow(Counter):
        def advance(self):
            time.sleep(0.02)
            return super().advance()

        def shown(self, record):
            return {"return": str(record["return"])}

    monkeypatch.setattr(run_module, "LOOK", 0.0)
    Run(Slow(), tmp_path, 30).run()
    # The first one, and the last one, which replaces nothing that is between them.
    assert [state.split("%")[0].strip() for state in capsys.readouterr().err.split("\r") if "%" in state] == [
        "0",
        "100",
    ]


def test_a_failing_environment_leaves_a_checkpoint(tmp_path):
    with pytest.raises(EnvironmentFailure, match="door") as failure:
        Run(Counter(fails_at=33), tmp_path, 50, progress=False).run()
    assert (tmp_path / CHECKPOINT).read_text() == "33"
    assert failure.value.__notes__ == ["checkpoint written at step 33"]


def test_statistics_go_on_where_they_stopped(tmp_path):
    """They wait for a round in which something was learned, also in a resumed run."""
    whole, part = tmp_path / "whole", tmp_path / "part"

    class Seldom(Counter):
        def statistics(self):
            return {"loss": 1 / self.count} if self.count % 16 == 0 else None

    Run(Seldom(), whole, 64, statistics_every=10, progress=False).run()
    assert steps(whole, "statistics") == [16, 32, 48, 64]
    for count in (0, 13, 40):
        Run(Seldom(count=count), part, 13 if count == 0 else 40 if count == 13 else 64, statistics_every=10,
            progress=False).run()  # fmt: skip
    assert steps(part, "statistics") == [16, 32, 48, 64] == steps(part, "speed")


def test_a_run_without_checkpoints_begins_anew(tmp_path):
    for _ in range(2):
        Run(Counter(), tmp_path, 5, saves=False, progress=False).run()
        assert steps(tmp_path, "episode") == [1, 2, 3, 4, 5] and not (tmp_path / CHECKPOINT).exists()


def test_tensorboard_gets_the_numbers(tmp_path):
    Run(Counter(), tmp_path, 30, statistics_every=10, log=["tensorboard"], progress=False).run()
    found = EventAccumulator(str(tmp_path / "tensorboard")).Reload()
    scalars = {name: [(event.step, event.value) for event in found.Scalars(name)] for name in found.Tags()["scalars"]}
    assert scalars["episode/return"] == [(step, 2.0 * step) for step in range(1, 31)]
    assert [step for step, _ in scalars["statistics/loss"]] == [10, 20, 30] and "speed/steps_per_second" in scalars


def test_weights_and_biases_get_the_numbers(tmp_path, monkeypatch):
    made, logged, ended = [], [], []
    run = types.SimpleNamespace(log=logged.append, finish=lambda: ended.append(True))
    fake = types.SimpleNamespace(init=lambda **settings: made.append(settings) or run)
    monkeypatch.setitem(sys.modules, "wandb", fake)
    Run(Counter(), tmp_path, 3, log=["wandb"], progress=False).run()
    assert made[0]["project"] == "rewardware" and made[0]["config"] == {"backend": "none", "seed": 3}
    assert {"episode/return": 4.0, "step": 2} in logged and ended == [True]


def test_loggers_that_are_not_there_are_refused(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="Logger must be one of tensorboard, wandb, not 'tensorbord': did you mean"):
        make_logger("tensorbord", tmp_path, {})
    for name, module in (("tensorboard", "torch.utils.tensorboard"), ("wandb", "wandb")):
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ValueError, match=f"--log {name} needs .* pip install {name}"):
            make_logger(name, tmp_path, {})


def test_evaluations_have_the_seed_that_was_chosen(tmp_path):
    for seed, told in ((None, 0), (0, 0), (7, 7)):
        directory = tmp_path / str(seed)
        Run(Seeded(), directory, 40, evaluate_every=10, evaluation_seed=seed, progress=False).run()
        found = [record["seed"] for record in read_metrics(directory) if record["kind"] in ("evaluation", "random")]
        assert found == [told] * 3
        assert json.loads((directory / "settings.json").read_text())["evaluation_seed"] == seed
