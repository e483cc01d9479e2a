"""Predator-Prey: PettingZoo's own tests, the rules one by one, and the batch against the single environment."""

import dataclasses
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pettingzoo.test import parallel_api_test, parallel_seed_test

from rewardware.sw.core.environments.predator_prey import PredatorPrey
from rewardware.sw.core.environments.predator_prey_batch import PredatorPreyBatch
from rewardware.sw.core.environments.predator_prey_config import LEVELS, MODES, PredatorPreyConfig

UP, RIGHT, DOWN, LEFT, STAY = range(5)


def begun(cells, **values):
    config = PredatorPreyConfig(predators=len(cells) - 1, **values)
    environment = PredatorPrey(config)
    observations, _ = environment.reset(options={"cells": cells})
    return environment, list(observations.values())


def step(environment, *actions):
    observations, rewards, terminations, truncations, infos = environment.step(
        dict(zip(environment.agents, actions, strict=True))
    )
    over = any(terminations.values()), any(truncations.values())
    return list(observations.values()), list(rewards.values()), over, infos


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("level", LEVELS)
def test_conforms_to_the_parallel_interface(level, mode):
    config = dataclasses.replace(LEVELS[level], mode=mode)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(PredatorPrey(config), num_cycles=2 * config.steps)


def test_same_seed_same_episodes():
    parallel_seed_test(PredatorPrey)
    one, other = PredatorPrey(), PredatorPrey()
    for seed in (7, None, None):
        first, second = one.reset(seed=seed)[0], other.reset(seed=seed)[0]
        assert all(np.array_equal(first[agent], second[agent]) for agent in one.agents)


def test_levels_are_those_of_the_authors():
    sizes = {name: (level.observation_size, level.predators, level.steps) for name, level in LEVELS.items()}
    assert sizes == {"easy": (29, 3, 20), "medium": (9 * 104, 5, 40), "hard": (9 * 404, 10, 80)}


def test_everybody_begins_on_a_cell_of_their_own():
    batch = PredatorPreyBatch(PredatorPreyConfig(size=2, predators=3), 50)
    cells = batch.draw(np.random.default_rng(0))
    assert (np.sort(cells, axis=1) == np.arange(4)).all()
    assert len({tuple(row) for row in cells}) > 5


def test_observation_without_vision_is_the_own_cell():
    environment, (first, second) = begun([7, 3, 3], size=3)
    classes = np.zeros(13)
    classes[[7, 12]] = 1
    assert np.array_equal(first, classes)
    classes = np.zeros(13)
    classes[[3, 11, 12]] = 1
    assert np.array_equal(second, classes)
    assert environment.observation_space("predator_0").shape == (13,)


def test_window_shows_walls_prey_and_how_many_predators():
    _, (seen, *_) = begun([0, 1, 1, 3], size=3, vision=1)
    seen = seen.reshape(3, 3, 13)
    outside, prey, predator = 10, 11, 12
    assert (seen[0, :, outside] == 1).all() and (seen[:, 0, outside] == 1).all() and seen[..., outside].sum() == 5
    assert seen[1, 1, 0] == seen[1, 2, 1] == seen[2, 1, 3] == seen[2, 2, 4] == 1
    assert seen[1, 2, predator] == 2 and seen[1, 1, predator] == 1 and seen[..., predator].sum() == 3
    assert seen[2, 1, prey] == 1 and seen[..., prey].sum() == 1


def test_walls_stop_and_the_prey_holds():
    environment, _ = begun([0, 4, 1], size=3, steps=50)
    place = {"predator_0": 0, "predator_1": 4}

    def cell(observations, index):
        return int(np.argmax(observations[index][:9]))

    for action, expected in ((UP, 0), (LEFT, 0), (DOWN, 3), (STAY, 3), (RIGHT, 4), (UP, 1), (UP, 1), (LEFT, 1)):
        observations, *_ = step(environment, action, STAY)
        assert cell(observations, 0) == expected, (action, place)
        assert cell(observations, 1) == 4


@pytest.mark.parametrize(
    ("mode", "one", "both"), [("cooperative", 0.05, 0.1), ("mixed", 0, 0), ("competitive", 0.05, 0.025)]
)
def test_rewards_and_ends(mode, one, both):
    environment, _ = begun([0, 8, 2], size=3, steps=3, mode=mode)
    _, rewards, over, infos = step(environment, RIGHT, STAY)
    assert rewards == [-0.05, -0.05] and over == (False, False)
    _, rewards, over, infos = step(environment, RIGHT, UP)
    assert rewards == [one, -0.05] and over == (False, False) and infos["predator_0"] == {"success": False}
    _, rewards, over, infos = step(environment, LEFT, UP)
    assert rewards == pytest.approx([both, both])
    assert over == ((True, False) if mode == "mixed" else (False, True)) and infos["predator_1"] == {"success": True}
    assert environment.agents == []


def test_text_of_the_grid():
    environment = PredatorPrey(PredatorPreyConfig(size=2, predators=2), render_mode="ansi")
    environment.reset(options={"cells": [0, 0, 3]})
    assert environment.render() == " 2  .\n .  P"


@given(
    size=st.integers(2, 6),
    predators=st.integers(1, 3),
    vision=st.integers(0, 3),
    steps=st.integers(1, 12),
    mode=st.sampled_from(MODES),
    seed=st.integers(0, 2**32 - 1),
)
@settings(max_examples=60)
def test_batch_equals_the_environment_step_by_step(size, predators, vision, steps, mode, seed):
    config = PredatorPreyConfig(size=size, predators=predators, vision=vision, steps=steps, mode=mode)
    generator = np.random.default_rng(seed)
    batch = PredatorPreyBatch(config, 5)
    cells = batch.draw(generator)
    environments = [PredatorPrey(config) for _ in cells]
    seen = batch.place(cells)
    for environment, start, rows in zip(environments, cells, seen, strict=True):
        observations, _ = environment.reset(options={"cells": start})
        assert np.array_equal(list(observations.values()), rows)
    for _ in range(steps):
        actions = generator.integers(0, 5, (5, predators))
        active = batch.active
        seen, rewards = batch.step(actions)
        for episode, environment in enumerate(environments):
            assert bool(environment.agents) == active[episode]
            if not environment.agents:
                assert not rewards[episode].any()
                continue
            observations, expected, _, infos = step(environment, *actions[episode])
            assert np.array_equal(observations, seen[episode])
            assert np.array_equal(expected, rewards[episode])
            assert infos["predator_0"]["success"] == batch.success[episode]
    assert not batch.active.any() and not any(environment.agents for environment in environments)


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"size": 1}, ValueError, "size must be at least 2, not 1"),
        ({"predators": 0}, ValueError, "predators must be at least 1, not 0"),
        ({"size": 2, "predators": 4}, ValueError, "predators must be fewer than the 4 cells of the grid, not 4"),
        ({"vision": -1}, ValueError, "vision must be at least 0, not -1"),
        ({"steps": True}, TypeError, "steps must be a whole number, not True"),
        ({"mode": "selfish"}, ValueError, "mode must be cooperative, mixed or competitive, not 'selfish'"),
        ({"mode": 3}, TypeError, "mode must be a string, not 3"),
    ],
)
def test_refuses_what_is_no_task(values, error, words):
    with pytest.raises(error, match=words):
        PredatorPreyConfig(**values)


def test_says_what_is_wrong_with_an_episode():
    environment = PredatorPrey()
    with pytest.raises(ValueError, match="cells must be those of 3 predators and a prey, not"):
        environment.reset(options={"cells": [1, 2]})
    with pytest.raises(ValueError, match="cells must be between 0 and 24, not"):
        environment.reset(options={"cells": [1, 2, 3, 25]})
    environment.reset(seed=0)
    with pytest.raises(ValueError, match="Action must be between 0 and 4, not 5"):
        environment.step(dict.fromkeys(environment.agents, 5))
    with pytest.raises(ValueError, match="render_mode must be 'ansi' or None, not 'human'"):
        PredatorPrey(render_mode="human")
    with pytest.raises(ValueError, match="episodes must be at least 1, not 0"):
        PredatorPreyBatch(PredatorPreyConfig(), 0)
    with pytest.raises(ValueError, match=r"cells must have shape \(2, 4\), not \(2, 3\)"):
        PredatorPreyBatch(PredatorPreyConfig(), 2).place(np.zeros((2, 3), int))
