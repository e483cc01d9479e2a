"""Hyper-parameters of AlphaZero: ranges, and those that suit a game."""

import pytest

from rewardware.sw.algorithms.alphazero.alphazero_hyper_parameters import AlphaZeroHyperParameters
from rewardware.sw.search.search_config import SearchConfig


def test_games_have_what_suits_them():
    suited = AlphaZeroHyperParameters.suited_to
    paper = AlphaZeroHyperParameters.from_mapping(suited("gomoku"))
    assert (paper.simulations, paper.channels, paper.value_hidden) == (1600, (32, 64, 128), 64)
    for name in ("tic-tac-toe", "connect-four", "gomoku-6", "gomoku-9"):
        assert AlphaZeroHyperParameters.from_mapping(suited(name)).simulations < 1600
    assert suited("chess") == {}


def test_a_search_has_its_own():
    config = AlphaZeroHyperParameters(simulations=7, exploration=2.5, noise_fraction=0.5)
    assert config.search == SearchConfig(simulations=7, exploration=2.5, noise_fraction=0.5, workers=1)
    assert AlphaZeroHyperParameters.from_mapping(config.to_mapping()) == config


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"channels": (1, 2)}, r"channels must be three, one for each common convolution, not \(1, 2\)"),
        ({"channels": (1, 0, 2)}, "channels must be at least 1, not 0"),
        ({"parallel_games": 0}, "parallel_games must be at least 1, not 0"),
        ({"noise_alpha": 0}, r"noise_alpha must be in \(0, inf\), not 0"),
        ({"l2": -1}, r"l2 must be in \[0, 1\), not -1"),
        ({"simulations": 0}, "simulations must be at least 1, not 0"),
        ({"learning_starts": 20, "buffer_size": 10}, "learning_starts must be at most the buffer_size 10, not 20"),
    ],
)
def test_refusals(values, words):
    with pytest.raises(ValueError, match=words):
        AlphaZeroHyperParameters(**values)
