"""Small games, and what learns them in seconds."""

from rewardware.sw.algorithms.alphazero.alphazero_hyper_parameters import AlphaZeroHyperParameters
from rewardware.sw.core.environments.make_state_environment import state_environment

SMALL = {
    "simulations": 12,
    "parallel_games": 4,
    "channels": (4, 5, 6),
    "value_hidden": 7,
    "buffer_size": 300,
    "learning_starts": 40,
    "batch_size": 32,
}


def game(name="tic-tac-toe"):
    return state_environment(name)


def settings(**values):
    return AlphaZeroHyperParameters(**SMALL | values)
