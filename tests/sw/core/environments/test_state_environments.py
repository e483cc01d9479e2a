"""Environments that go back to where they were."""

import pickle

import gymnasium
import numpy as np
import pytest

from rewardware.sw.core.environments.board_environment import BoardEnvironment
from rewardware.sw.core.environments.make_state_environment import board_environment, state_environment
from rewardware.sw.core.environments.state_environment import StateEnvironment

NAMES = (
    "CartPole-v1", "Acrobot-v1", "MountainCar-v0", "ALE/Pong-v5", "ALE/Carnival-v5", "ALE/Alien-v5", "tic-tac-toe",
    "connect-four", "gomoku-9", "openspiel:go(board_size=5)", "openspiel:othello", "openspiel:chess",
    "openspiel:connect_four", "pettingzoo:tictactoe_v3", "pettingzoo:connect_four_v3", "pettingzoo:go_v5(board_size=5)",
)  # fmt: skip


def play(environment, generator, most):
    """Legal actions at random: what each step gave, and which actions there were."""
    seen = []
    for _ in range(most):
        legal = environment.legal_actions()
        actions = [action for action in range(environment.actions) if legal >> action & 1]
        player = environment.player()
        planes = environment.observation().tolist() if isinstance(environment, BoardEnvironment) else None
        seen.append((legal, player, planes, *environment.step(int(generator.choice(actions)))))
        if seen[-1][-1]:
            break
    return seen


@pytest.mark.parametrize("name", NAMES)
def test_a_restored_state_goes_on_as_the_first_time(name):
    environment = state_environment(name)
    assert isinstance(environment, StateEnvironment) and environment.name == name
    environment.reset(5)
    assert not play(environment, np.random.default_rng(1), 4)[-1][-1]
    state = environment.save()
    first = play(environment, np.random.default_rng(2), 60)
    # In the same one, after it has gone elsewhere, and in another one that has only been sent.
    for other, sent in ((environment, state), pickle.loads(pickle.dumps((environment, state)))):
        for _ in range(2):
            other.restore(sent)
            assert play(other, np.random.default_rng(2), 60) == first


def test_what_is_random_is_part_of_the_state_of_a_game_of_the_ale():
    environment = state_environment("ALE/Pong-v5")
    environment.reset(0)
    state = environment.save()
    memories = []
    for _ in range(3):
        environment.restore(state)
        # Sticky actions: each repeats the one before with probability 1/4.
        play(environment, np.random.default_rng(3), 100)
        memories.append(environment.env.ale.getRAM().tobytes())
    assert len(set(memories)) == 1


def test_episodes_are_functions_of_their_seeds():
    environment = state_environment("CartPole-v1")
    environment.reset(1)
    first = environment.save()[0].tolist()
    environment.reset(2)
    assert environment.save()[0].tolist() != first
    environment.reset(1)
    assert environment.save()[0].tolist() == first


def test_an_environment_of_gymnasium_and_ones_own_are_taken():
    assert state_environment(gymnasium.make("CartPole-v1")).name == "CartPole-v1"
    own = state_environment("tic-tac-toe")
    assert state_environment(own) is own


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("LunarLander-v9", "Environment 'LunarLander-v9' cannot be made"),
        ("ALE/Nothing-v5", "Environment 'ALE/Nothing-v5' cannot be made"),
        ("FrozenLake-v1", "Environment FrozenLake-v1 cannot be searched: its state cannot be saved and restored"),
        (42, "Environment 42 cannot be searched: its state cannot be saved and restored"),
    ],
)
def test_what_cannot_be_searched_is_refused(source, words):
    with pytest.raises(ValueError, match=words):
        state_environment(source)


def test_boards_are_what_a_network_can_see():
    own = board_environment("gomoku-9")
    assert isinstance(own, BoardEnvironment) and board_environment(own) is own
    with pytest.raises(ValueError, match="Environment CartPole-v1 has no planes for a network. Those"):
        board_environment("CartPole-v1")
    with pytest.raises(ValueError, match="Environment 'go' cannot be made"):
        board_environment("go")


@pytest.mark.parametrize("source", ["tic-tac-toe", "openspiel:go", gymnasium.make("CartPole-v1")])
def test_options_are_not_dropped(source):
    with pytest.raises(ValueError, match="Options are for environments that gymnasium.make makes, .*: {'rows': 4}"):
        state_environment(source, rows=4)


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("ALE/Pong-v5", {"frameskip": (2, 5)}, r"Frame skip of ALE/Pong-v5 must be a number, not \(2, 5\)"),
        ("ALE/Pong-v5", {"continuous": True}, "The action space must be Discrete from 0, not Box"),
    ],
)
def test_options_that_leave_the_state_are_refused(name, options, words):
    with pytest.raises(ValueError, match=words):
        state_environment(name, **options)
