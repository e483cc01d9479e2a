"""Checks that hold for every game on a board."""

import numpy as np

__all__ = ["legal_list", "play_mirrored", "play_together"]


def legal_list(game):
    """The legal actions, each checked to be one."""
    legal = game.legal_actions()
    assert 0 <= legal < 1 << game.actions
    return [action for action in range(game.actions) if legal >> action & 1]


def play_mirrored(game, mirrored, games=3):
    """Play at random, for each symmetry with the same moves on a board that is seen so: all else is also the same."""
    channels, rows, columns = game.observation_shape
    random = np.random.default_rng(7)
    seen = set()
    for number, (cells, actions) in enumerate(game.symmetries):
        assert sorted(cells) == list(range(rows * columns)) and sorted(actions) == list(range(game.actions))
        assert number or (np.array_equal(cells, range(rows * columns)) and np.array_equal(actions, range(game.actions)))
        seen.add(tuple(cells))
        moved = np.argsort(actions)
        for _ in range(games):
            game.reset(0), mirrored.reset(0)
            ended = False
            while not ended:
                planes = game.observation().reshape(channels, -1)[:, cells]
                assert np.array_equal(mirrored.observation().reshape(channels, -1), planes)
                legal = legal_list(game)
                assert sorted(moved[legal]) == legal_list(mirrored)
                action = int(random.choice(legal))
                reward, ended = game.step(action)
                assert mirrored.step(int(moved[action])) == (reward, ended)
                assert mirrored.player() == game.player()
    assert len(seen) == len(game.symmetries)


def play_together(game, other, games):
    """Play two games of the same rules at random: the same actions, rewards and ends."""
    random = np.random.default_rng(8)
    assert game.actions == other.actions
    won = 0
    for _ in range(games):
        game.reset(0), other.reset(0)
        ended = False
        while not ended:
            assert (game.player(), legal_list(game)) == (other.player(), legal_list(other))
            action = int(random.choice(legal_list(game)))
            reward, ended = game.step(action)
            assert other.step(action) == (reward, ended)
        won += reward
        # After a win cells of a board may be free, but nobody moves.
        assert other.legal_actions() == 0
    assert won
