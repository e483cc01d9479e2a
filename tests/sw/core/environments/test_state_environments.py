"""Environments that go back to where they were."""

import pickle

import gymnasium
import numpy as np
import pytest

from rewardware.sw.core.environments.make_state_environment import state_environment
from rewardware.sw.core.environments.state_environment import StateEnvironment

NAMES = (
    "CartPole-v1", "Acrobot-v1", "MountainCar-v0", "ALE/Pong-v5", "ALE/Carnival-v5", "ALE/Alien-v5", "tic-tac-toe",
    "connect-four",
)  # fmt: skip


def play(environment, generator, most):
    """Legal actions at random: what each step gave, and which actions there were."""
    seen = []
    for _ in range(most):
        legal = environment.legal_actions()
        actions = [action for action in range(environment.actions) if legal >> action & 1]
        player = environment.player()
        seen.append((legal, player, *environment.step(int(generator.choice(actions)))))
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


def position(game, *actions):
    game.reset()
    return [game.step(action) for action in actions]


def test_lines_of_tic_tac_toe_win():
    game = state_environment("tic-tac-toe")
    for line in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
        others = [cell for cell in range(9) if cell not in line][:2]
        steps = position(game, line[0], others[0], line[1], others[1], line[2])
        assert steps == [(0.0, False)] * 4 + [(1.0, True)]
        assert game.player() == 1
    # Nobody wins, all cells are taken.
    assert position(game, 0, 1, 2, 4, 3, 5, 7, 6, 8) == [(0.0, False)] * 8 + [(0.0, True)]
    with pytest.raises(ValueError, match="Action 4 is not legal in tic-tac-toe"):
        position(game, 4, 4)


def test_stones_of_connect_four_fall():
    game = state_environment("connect-four")
    assert position(game, 3, 3, 3, 3, 3, 3)[-1] == (0.0, False)
    assert game.legal_actions() == 0b1110111
    # Upwards, along, and both diagonals.
    assert position(game, 0, 1, 0, 1, 0, 1, 0)[-1] == (1.0, True)
    assert position(game, 3, 3, 4, 4, 5, 5, 6)[-1] == (1.0, True)
    assert position(game, 0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3)[-1] == (1.0, True)
    assert position(game, 6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3)[-1] == (1.0, True)
    # No line goes around the edge.
    assert position(game, 4, 0, 5, 1, 6, 2, 6, 5, 6)[-1] == (0.0, False)


def test_only_games_there_are():
    with pytest.raises(ValueError, match="Board game must be tic-tac-toe or connect-four, not 'go'"):
        type(state_environment("tic-tac-toe"))("go")
