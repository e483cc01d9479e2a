"""Games of a search against itself: their positions, their randomness, and going on in the middle of them."""

import numpy as np
import pytest

from rewardware.sw.algorithms.alphazero.self_play import SelfPlay
from rewardware.sw.search.position_evaluator import UniformEvaluator
from rewardware.sw.search.reference_search import ReferenceSearch

from .small import game, settings


def make(name="tic-tac-toe", environment=None, **values):
    environment, config = environment or game(name), settings(**values)
    return SelfPlay(environment, ReferenceSearch(environment, UniformEvaluator(), config.search), config)


def play(playing, rounds):
    return [finished for _ in range(rounds) for finished in playing.round()]


def as_bytes(finished):
    arrays = (array.tobytes() for array in vars(finished.positions).values())
    return finished.number, finished.length, finished.outcome, *arrays


def test_positions_are_those_of_the_game():
    playing, environment = make(temperature_moves=100), game()
    games = play(playing, 40)
    assert len(games) > 10 and playing.moves == 160
    assert len({finished.number for finished in games}) == len(games)
    assert {finished.outcome for finished in games} >= {-1.0, 1.0}
    for finished in games:
        environment.reset(0)
        positions, ended, rewards = finished.positions, False, []
        assert finished.length == len(positions.outcomes) and (positions.visits.sum(axis=1) == 12).all()
        for number in range(finished.length):
            assert not ended and (positions.planes[number] == environment.observation()).all()
            bits = [environment.legal_actions() >> action & 1 for action in range(9)]
            assert (positions.legal[number] == bits).all() and not positions.visits[number][
                ~positions.legal[number]
            ].any()
            if number + 1 < finished.length:
                # The move is the stone that is the other's in the next position.
                after, before = positions.planes[number + 1][1], positions.planes[number][0]
                (action,) = np.flatnonzero((after - before).ravel())
                reward, ended = environment.step(int(action))
                rewards.append(reward)
        # Whoever made the last move has won, if anybody has.
        signs = (-1.0) ** np.arange(finished.length)[::-1]
        assert (positions.outcomes == abs(finished.outcome) * signs).all()


def test_games_begin_by_chance_and_go_on_by_visits():
    drawn, best = play(make(temperature_moves=9), 30), play(make(temperature_moves=0, noise_fraction=0.0), 30)
    assert len({as_bytes(finished)[3] for finished in best}) == 1
    assert len({as_bytes(finished)[3] for finished in drawn}) > 10
    noisy = play(make(temperature_moves=0), 30)
    assert len({as_bytes(finished)[3] for finished in noisy}) > 1


def test_every_move_of_every_game_has_noise_of_its_own():
    playing = make("connect-four")
    search, given = playing._search.search, []
    playing._search.search = lambda states, noise: given.append(np.array(noise)) or search(states, noise)
    play(playing, 2)
    # No column is full yet: all have seven actions.
    assert all(noise.sum(axis=1) == pytest.approx(np.ones(4)) for noise in given)
    assert len({noise.tobytes() for noises in given for noise in noises}) == 8


def test_a_seed_decides_all():
    one, same, other = (list(map(as_bytes, play(make(seed=seed), 20))) for seed in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize("rounds", [0, 1, 13])
def test_games_under_way_go_on(rounds):
    whole, other = make("gomoku-6"), make("gomoku-6")
    play(whole, rounds)
    arrays, rest = whole.state()
    other.restore({name: array.copy() for name, array in arrays.items()}, rest)
    assert list(map(as_bytes, play(whole, 30))) == list(map(as_bytes, play(other, 30)))
    assert whole.state()[1] == other.state()[1]


def test_rewards_that_a_value_cannot_have_are_refused():
    environment = game()
    step = environment.step
    environment.step = lambda action: (3 * step(action)[0], step.__self__.legal_actions() == 0 or action == 0)
    with pytest.raises(ValueError, match=r"Rewards of tic-tac-toe must sum to at most 1 .* not to -?3"):
        play(make(environment=environment), 30)
