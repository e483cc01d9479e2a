"""Where a network is evaluated: names, positions of calibration, and what is refused."""

import contextlib

import numpy as np
import pytest
import torch

from rewardware.sw.algorithms.alphazero.policy_value_network import PolicyValueNetwork
from rewardware.sw.core.environments.make_state_environment import state_environment
from rewardware.sw.search.search_roots import observed
from rewardware.sw.systems.dnn_mcts.network_evaluator import (
    NetworkEvaluator,
    calibration_planes,
    learning_device,
    require_evaluator,
)

HERE = "tests.sw.systems.dnn_mcts.user_evaluator"


def test_positions_of_calibration_are_those_of_games():
    planes = calibration_planes(state_environment("connect-four"))
    assert planes.shape == (64, 3, 6, 7) and (planes == calibration_planes(state_environment("connect-four"))).all()
    assert len({plane.tobytes() for plane in planes}) > 50
    stones = planes[:, :2].sum(axis=(1, 2, 3))
    assert stones[0] == 0 and stones.max() > 7 and set(np.unique(planes)) == {0, 1}


def test_the_engine_computes_what_pytorch_does_on_integers():
    game = state_environment("tic-tac-toe")
    network = PolicyValueNetwork(game.observation_shape, 9, (4, 5, 6), 7)
    planes, legal = observed(game, [(0, 0), (1, 2), (17, 4)])
    engine, torch_ = (NetworkEvaluator(source, network, game) for source in ("engine", "torch"))
    with contextlib.closing(engine), contextlib.closing(torch_):
        (priors, values), (expected, other) = (each.evaluate(planes, legal) for each in (engine, torch_))
        np.testing.assert_allclose(priors, expected, atol=0.02)
        np.testing.assert_allclose(values, other, atol=0.02)
        assert (priors != expected).any()
        # The engine sees what is learned once it is told.
        with torch.no_grad():
            network.value.bias += 1
        assert (engine.evaluate(planes, legal)[1] == values).all() and (torch_.evaluate(planes, legal)[1] > other).all()
        engine.renew()
        assert (engine.evaluate(planes, legal)[1] > values).all()


def test_a_network_learns_where_pytorch_evaluates_it(monkeypatch):
    assert [learning_device(name) for name in ("torch", "torch:cpu", "engine", "engine:rtl", f"{HERE}:Own")] == [
        "cpu"
    ] * 5
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert learning_device("torch:cuda") == "cuda"


def test_a_network_is_moved_to_where_it_is_evaluated(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    game, places = state_environment("tic-tac-toe"), []
    network = PolicyValueNetwork(game.observation_shape, 9, (4, 5, 6), 7)
    monkeypatch.setattr(network, "to", lambda place: places.append(place) or network)
    NetworkEvaluator("torch:cuda", network, game)
    assert places == ["cuda"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("tensorflow", "Evaluator must be torch, torch:cuda, engine, engine:BACKEND or MODULE:NAME, not 'tensorflow'"),
        (f"{HERE}:Other", f"There is no evaluator '{HERE}:Other': module .* has no attribute 'Other'"),
        ("no_such_module:Own", "There is no evaluator 'no_such_module:Own': No module named 'no_such_module'"),
        (f"{HERE}:NOTHING", f"Evaluator '{HERE}:NOTHING' must be callable, not int"),
        ("engine:gpu", "Backend must be .*reference, rtl, lockstep, uart.*, not 'gpu'"),
        ("torch:tpu7", "Device of PyTorch must be cpu or cuda, not 'tpu7'"),
    ],
)
def test_refusals(source, words):
    with pytest.raises(ValueError, match=words):
        require_evaluator(source)
