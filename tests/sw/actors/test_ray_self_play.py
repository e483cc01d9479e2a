"""AlphaZero with self-play on Ray: a worker that is killed, an error of its own."""

import os
import signal

import pytest

from rewardware import AlphaZero, AlphaZeroHyperParameters
from rewardware.sw.algorithms.alphazero.self_play_workers import SelfPlayError
from tests.sw.algorithms.alphazero.small import SMALL
from tests.sw.systems.dnn_mcts.test_agent import fails


def test_workers_on_ray_play_and_one_that_is_killed_is_started_again(cluster, monkeypatch):
    with AlphaZero("tic-tac-toe", AlphaZeroHyperParameters(**SMALL), self_play="ray", workers=2) as agent:
        agent.learn(8)
        killed = agent._self_play.process_ids
        assert len(set(killed)) == 2 and os.getpid() not in killed
        os.kill(killed[1], signal.SIGKILL)
        while not agent.counters()["restarts"]:
            agent.learn(1)
        records = []
        agent.learn(8, lambda _, record: records.append(record["game"]))
        assert agent.counters()["restarts"] == 1 and records == list(range(records[0], agent.games + 1))
        assert killed[1] not in agent._self_play.process_ids
    with AlphaZero("tic-tac-toe", AlphaZeroHyperParameters(**SMALL), self_play="ray", workers=1) as agent:
        settings = agent._self_play._settings.__class__(
            environment=agent.environment, config=agent.config, make_evaluator=fails, make_search=fails
        )
        monkeypatch.setattr(agent._self_play, "_settings", settings)
        with pytest.raises(SelfPlayError, match="A worker of self-play failed with KeyError: 'boom'"):
            agent.learn(1)
