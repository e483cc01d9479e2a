"""AlphaZero: learning that goes on with the same bits, matches, evaluators, workers, checkpoints."""

import os
import signal

import numpy as np
import pytest
import torch

from rewardware import AlphaZero, AlphaZeroHyperParameters, load_agent
from rewardware.sw.algorithms.alphazero import self_play_workers
from rewardware.sw.algorithms.alphazero.self_play_workers import SelfPlayError
from rewardware.sw.core.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from rewardware.sw.systems.dnn_mcts import agent as agent_module
from tests.sw.algorithms.alphazero.small import SMALL
from tests.sw.algorithms.checkpoints import assert_same_arrays

from . import user_evaluator
from .ending import ends

OWN = "tests.sw.systems.dnn_mcts.user_evaluator:Own"


def make(env="tic-tac-toe", backend="host", evaluator="torch", settings=None, **values):
    return AlphaZero(
        env, AlphaZeroHyperParameters(**SMALL | values), backend=backend, evaluator=evaluator, **settings or {}
    )


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A checkpoint after 21 rounds, in the middle of games."""
    path = tmp_path_factory.mktemp("alphazero") / "agent.zip"
    with make() as agent:
        rounds(agent, 21)
        assert agent.learner.steps > 0
        agent.save(path)
    return path


def rounds(agent, count):
    return [record for _ in range(count) for record in agent.advance()]


def test_training_goes_on_with_the_same_bits(trained, tmp_path):
    with make() as whole, load_agent(trained) as resumed:
        before = rounds(whole, 21)
        assert rounds(whole, 20) == (after := rounds(resumed, 20))
        for agent in (whole, resumed):
            agent.save(tmp_path / f"{id(agent)}.zip")
        (one, about), (other, also) = (read_checkpoint(tmp_path / f"{id(agent)}.zip") for agent in (whole, resumed))
        assert_same_arrays(one, other)
        assert about == also and whole.statistics() == resumed.statistics()
    games = [*before, *after]
    assert [record["game"] for record in games] == list(range(1, len(games) + 1))
    assert all(record["kind"] == "game" and 5 <= record["length"] <= 9 for record in games)


def test_positions_are_learned_from_so_often():
    with make(samples_per_position=3) as agent:
        rounds(agent, 40)
        counts = agent.statistics()
        assert counts["moves"] == 160 and 100 < counts["played_positions"] <= 160
        assert counts["gradient_steps"] == 3 * counts["played_positions"] // 32


def test_tic_tac_toe_is_learned():
    """After some hundred games few points are lost to random moves, and half of them at most to a plain search."""
    values = {"parallel_games": 16, "simulations": 25, "channels": (16, 16, 16), "temperature_moves": 4}
    with make(**values, batch_size=64, learning_rate=0.005, buffer_size=3000, opening_moves=1) as agent:
        first = agent.learn(40).statistics()
        agent.learn(260)
        assert agent.statistics()["loss"] < first["loss"] - 0.2
        matches = agent.evaluate(20)
    assert matches["random"].score > 0.8 and matches["rollouts"].score >= 0.5
    assert matches["perfect"].wins == 0
    assert set(matches) == {"rollouts", "random", "perfect"} and matches["rollouts"].games == 20


def test_an_evaluation_changes_nothing_and_is_the_same_each_time(trained):
    with load_agent(trained) as asked, load_agent(trained) as other:
        outcome = asked.evaluation(4)
        assert asked.evaluation(4)["matches"] == outcome["matches"] != asked.evaluation(4, seed=7)["matches"]
        lines = asked.describe_evaluation(outcome)
        record = asked.evaluate_for_record(4)
        assert "previous_game" not in record and record["random_wins"] == outcome["matches"]["random"]["wins"]
        assert rounds(asked, 8) == rounds(other, 8)
        second = asked.evaluate_for_record(2)
        assert second["previous_game"] < asked.games
        assert sum(second[f"previous_{part}"] for part in ("wins", "draws", "losses")) == 2
        # Nothing was learned since.
        assert "previous_game" not in asked.evaluate_for_record(2)
    assert [line.split()[1] for line in lines[:3]] == ["rollouts", "random", "perfect"]
    assert "12 simulations a move on both sides" in lines[3]


def test_the_network_of_the_last_evaluation_is_in_a_checkpoint(trained, tmp_path):
    with load_agent(trained) as agent:
        agent.evaluate_for_record(2)
        rounds(agent, 8)
        agent.save(tmp_path / "agent.zip")
        expected = agent.evaluate_for_record(4)
    with load_agent(tmp_path / "agent.zip") as other:
        assert other.evaluate_for_record(4) == expected


def test_two_searches_are_compared():
    settings = {"parallel_games": 2, "simulations": 6}
    with make(backend="lockstep:host,reference", **settings) as agent, make(backend="reference", **settings) as plain:
        rounds(agent, 10)
        counters = agent.counters()
        assert counters["lockstep_steps"] == 20 and counters["lockstep_compared"] == counters["lockstep_equal"]
        assert rounds(plain, 1) == [] and plain.about()["backend"] == "reference"


def test_an_evaluator_of_ones_own_is_made_anew_when_the_network_has_learned(tmp_path):
    user_evaluator.MADE.clear()
    with make(evaluator=OWN) as agent, make() as other:
        assert rounds(agent, 30) == rounds(other, 30)
        steps = agent.learner.steps
        assert user_evaluator.MADE == ["tic-tac-toe"] * len(user_evaluator.MADE)
        assert 2 < len(user_evaluator.MADE) <= steps + 1
        agent.save(tmp_path / "agent.zip")
    with pytest.raises(CheckpointError, match="is of a run with evaluator .*:Own': give the evaluator"):
        load_agent(tmp_path / "agent.zip")
    with load_agent(tmp_path / "agent.zip", evaluator="torch") as loaded:
        assert loaded.games == agent.games


def test_an_environment_of_ones_own_is_given_again(tmp_path):
    class Own:
        """Tic-tac-toe under no name."""

        def __init__(self):
            with make() as agent:
                self._game = agent.environment
            self.name, self.actions, self.players = "own", self._game.actions, 2
            self.observation_shape, self.symmetries = self._game.observation_shape, self._game.symmetries

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return getattr(self._game, name)

        def reset(self, seed):
            self._game.reset(seed)

        def step(self, action):
            return self._game.step(action)

        def save(self):
            return self._game.save()

        def restore(self, state):
            self._game.restore(state)

        def legal_actions(self):
            return self._game.legal_actions()

        def player(self):
            return self._game.player()

        def observation(self):
            return self._game.observation()

    with make(Own(), backend="reference") as agent:
        rounds(agent, 8)
        agent.save(tmp_path / "agent.zip")
    with pytest.raises(CheckpointError, match="is not registered: give the environment"):
        load_agent(tmp_path / "agent.zip")
    with AlphaZero.load(tmp_path / "agent.zip", Own()) as loaded:
        assert loaded.games == agent.games and len(rounds(loaded, 9)) > 0


def test_workers_play_and_one_that_dies_is_started_again(tmp_path):
    with make(settings={"self_play": "processes", "workers": 2}) as agent:
        agent.learn(10)
        killed = agent._self_play.process_ids
        assert len(killed) == 2
        os.kill(killed[0], signal.SIGKILL)
        records = []
        agent.learn(30, lambda _, record: records.append(record))
        assert [record["game"] for record in records] == list(range(records[0]["game"], agent.games + 1))
        counters = agent.counters()
        assert counters["restarts"] == 1 and counters["played_positions"] == sum_of_lengths(agent)
        assert killed[0] not in agent._self_play.process_ids
        agent.save(tmp_path / "agent.zip")
    # Here as well as there; games under way are not in the checkpoint.
    with (
        load_agent(tmp_path / "agent.zip") as same,
        load_agent(tmp_path / "agent.zip", self_play="in-process") as other,
    ):
        assert same.place == "processes" and same.counters()["restarts"] == 1
        assert len(rounds(other, 9)) >= 4 and same.games < other.games


def sum_of_lengths(agent):
    return agent._positions.added


def test_a_worker_that_fails_is_told_and_one_that_ends_always_is_not_started_again(monkeypatch):
    with make(evaluator=OWN, settings={"self_play": "processes", "workers": 1}) as agent:
        # Pickled as a name, it fails there.
        monkeypatch.setattr(agent._self_play, "_settings", agent._self_play._settings.__class__(
            environment=agent.environment, config=agent.config, make_evaluator=fails, make_search=fails,
        ))  # fmt: skip
        with pytest.raises(SelfPlayError, match="A worker of self-play failed with KeyError: 'boom'"):
            agent.learn(1)
    monkeypatch.setattr(self_play_workers, "_serve", ends)
    with make(settings={"self_play": "processes", "workers": 1}) as agent:
        monkeypatch.setattr(agent._self_play, "_settings", None)
        with pytest.raises(SelfPlayError, match="Worker 0 of self-play ended 3 times, .* last exit code 7"):
            agent.learn(1)


def test_a_run_of_a_gpu_plays_without_one(trained, tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    arrays, about = read_checkpoint(trained)
    write_checkpoint(tmp_path / "gpu.zip", arrays, about | {"evaluator": "torch:cuda"})
    with load_agent(tmp_path / "gpu.zip") as agent:
        assert agent.evaluator == "torch"
    assert "PyTorch finds no GPU here" in caplog.text
    with pytest.raises(ValueError, match="PyTorch finds no GPU for 'cuda'"):
        load_agent(tmp_path / "gpu.zip", evaluator="torch:cuda")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert agent_module._evaluator_of(trained, {"evaluator": "torch:cuda"}, None) == "torch:cuda"


def fails(*arguments):
    raise KeyError("boom")


def test_refusals(trained, tmp_path):
    with pytest.raises(ValueError, match="Environment CartPole-v1 has no planes for a network"):
        AlphaZero("CartPole-v1")
    with pytest.raises(ValueError, match="Backend must be host, reference, rtl, lockstep, uart.*, not 'gpu'"):
        make(backend="gpu")
    with pytest.raises(ValueError, match="Evaluator must be torch, torch:cuda, engine, engine:BACKEND or MODULE:NAME"):
        make(evaluator="gpu")
    with pytest.raises(ValueError, match="Self-play must be in-process on backend 'rtl', not processes: workers"):
        make(backend="rtl", settings={"self_play": "processes"})
    with pytest.raises(ValueError, match="Self-play must be one of processes, in-process, ray, not 'there'"):
        make(settings={"self_play": "there"})
    with load_agent(trained) as agent:
        with pytest.raises(ValueError, match="Games of alphazero go on to their end: omit --steps 3"):
            agent.evaluation(1, steps=3)
        with pytest.raises(ValueError, match="Games of alphazero are not filmed"):
            agent.film(tmp_path / "game.gif")
    with pytest.raises(CheckpointError, match="is of another game"):
        AlphaZero.load(trained, "connect-four")
    arrays, about = read_checkpoint(trained)
    write_checkpoint(tmp_path / "less.zip", arrays, {name: value for name, value in about.items() if name != "owed"})
    with pytest.raises(CheckpointError, match="lacks owed"):
        load_agent(tmp_path / "less.zip")


def test_threads_and_defaults_are_those_of_the_game(trained):
    with AlphaZero("tic-tac-toe", threads=3) as agent:
        assert agent.suited_threads == 3 and agent.config.simulations == 50
        assert isinstance(agent.about()["config"]["channels"], list)
    with load_agent(trained) as agent:
        assert agent.suited_threads == 1 and np.isfinite(list(agent.statistics().values())).all()
