"""Rover-Tower: PettingZoo's own tests, who sees what, and its physics and rewards against mpe2's world."""

import warnings

import numpy as np
import pytest
from mpe2._mpe_utils.core import Agent, Landmark, World
from pettingzoo.test import parallel_api_test, parallel_seed_test

from rewardware.sw.core.environments.rover_tower import ARRIVAL_REWARD, MOVES, REACH, RoverTower
from rewardware.sw.core.environments.rover_tower_config import RoverTowerConfig

STAY, LEFT, RIGHT, DOWN, UP = range(5)


def begun(seed=0, **values):
    environment = RoverTower(RoverTowerConfig(**values))
    return environment, environment.reset(seed=seed)[0]


def play(environment, generator):
    """A step of random actions."""
    return environment.step(
        {agent: generator.integers(environment.action_space(agent).n) for agent in environment.agents}
    )


@pytest.mark.parametrize(
    "values", [{}, {"agents": 2}, {"agents": 6, "messages": 3, "reward": "shared"}, {"agents": 4, "own_state": False}]
)
def test_conforms_to_the_parallel_interface(values):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(RoverTower(RoverTowerConfig(steps=7, **values)), num_cycles=20)


def test_same_seed_same_episodes():
    parallel_seed_test(RoverTower)
    one, other = RoverTower(), RoverTower()
    for seed in (7, None, None):
        first, second = one.reset(seed=seed)[0], other.reset(seed=seed)[0]
        assert all(np.array_equal(first[agent], second[agent]) for agent in one.agents)
    assert not np.array_equal(one.reset(seed=8)[0]["tower_0"], other.reset(seed=7)[0]["tower_0"])


def test_pairs_and_goals_change_from_episode_to_episode():
    environment, _ = begun()
    pairs, goals = set(), set()
    for _ in range(60):
        environment.reset()
        assert sorted(environment.partners) == [0, 1, 2, 3]
        pairs.add(tuple(environment.partners))
        goals.update(environment.goals)
    assert len(pairs) > 15 and goals == set(range(6))


def test_who_sees_what():
    environment, seen = begun(agents=6, messages=4)
    for _ in range(4):
        for rover in range(3):
            tower = environment.partners[rover]
            number, heard, position, velocity = np.split(seen[f"rover_{rover}"], (3, 7, 9))
            assert np.array_equal(number, np.eye(3)[tower])
            assert np.array_equal(heard, environment.heard[rover])
            np.testing.assert_array_equal(position, environment.positions[rover].astype(np.float32))
            np.testing.assert_array_equal(velocity, environment.velocities[rover].astype(np.float32))
            number, position, goal = np.split(seen[f"tower_{tower}"], (3, 5))
            assert np.array_equal(number, np.eye(3)[rover])
            np.testing.assert_array_equal(position, environment.positions[rover].astype(np.float32))
            np.testing.assert_array_equal(goal, environment.places[environment.goals[rover]].astype(np.float32))
        sent = {f"tower_{tower}": tower for tower in range(3)}
        seen, *_ = environment.step({**dict.fromkeys(("rover_0", "rover_1", "rover_2"), RIGHT), **sent})
        # Each rover hears its own tower, of what was sent in this step.
        assert np.array_equal(environment.heard, np.eye(4)[environment.partners])


def test_a_rover_may_see_nothing_but_the_message():
    environment, seen = begun(agents=2, own_state=False)
    assert np.array_equal(seen["rover_0"], [1, 0, 0, 0, 0, 0])
    seen, *_ = environment.step({"rover_0": UP, "tower_0": 3})
    assert np.array_equal(seen["rover_0"], [1, 0, 0, 0, 1, 0])
    assert environment.observation_space("rover_0").shape == (6,)


def world_of(environment):
    """The same rovers, towers and goals in mpe2's world, as the authors' scenario sets them up."""
    world = World()
    world.dim_c = environment.config.messages
    for position in environment.positions:
        rover = Agent()
        rover.collide, rover.silent, rover.size, rover.accel, rover.max_speed = False, True, 0.075, 1.5, 1.0
        rover.state.p_pos, rover.state.p_vel = position.copy(), np.zeros(2)
        world.agents.append(rover)
    for place in environment.places:
        goal = Landmark()
        goal.collide, goal.size = False, 0.04
        goal.state.p_pos, goal.state.p_vel = place.copy(), np.zeros(2)
        world.landmarks.append(goal)
    return world


def test_moves_and_pays_as_the_particle_environments_do():
    generator, arrived = np.random.default_rng(3), 0
    for seed in range(20):
        environment, _ = begun(seed, steps=40)
        world = world_of(environment)
        for _ in range(40):
            actions = {agent: int(generator.integers(5)) for agent in environment.agents}
            # Half of the time to the goal, so that some arrive.
            for rover in range(4):
                way = environment.places[environment.goals[rover]] - environment.positions[rover]
                if generator.random() < 0.5:
                    actions[f"rover_{rover}"] = int((MOVES @ way).argmax())
                world.agents[rover].action.u = 1.5 * MOVES[actions[f"rover_{rover}"]]
            _, rewards, *_ = environment.step(actions)
            world.step()
            for rover, agent in enumerate(world.agents):
                np.testing.assert_allclose(environment.positions[rover], agent.state.p_pos, rtol=0, atol=1e-12)
                np.testing.assert_allclose(environment.velocities[rover], agent.state.p_vel, rtol=0, atol=1e-12)
                goal = world.landmarks[environment.goals[rover]]
                distance = np.sum(np.square(agent.state.p_pos - goal.state.p_pos))
                there = distance < (agent.size + goal.size) * 1.5
                arrived += there
                expected = pytest.approx(10 * there - distance)
                assert rewards[f"rover_{rover}"] == expected
                assert rewards[f"tower_{environment.partners[rover]}"] == expected
    assert arrived > 50


def test_rewards_may_be_shared():
    own, _ = begun(5)
    shared, _ = begun(5, reward="shared")
    generator, other = np.random.default_rng(0), np.random.default_rng(0)
    for _ in range(5):
        _, found, *_ = play(own, generator)
        _, sums, *_ = play(shared, other)
        expected = sum(found[f"rover_{rover}"] for rover in range(4))
        assert len(set(found.values())) == 4 and list(sums.values()) == pytest.approx([expected] * 8)
        assert sum(found.values()) == pytest.approx(2 * expected)


def test_a_rover_at_its_goal_is_paid_for_it():
    environment, _ = begun(agents=2)
    environment.positions[0] = environment.places[environment.goals[0]] + [REACH**0.5 - 0.01, 0]
    _, rewards, *_ = environment.step({"rover_0": STAY, "tower_0": 0})
    assert rewards["rover_0"] == rewards["tower_0"] == pytest.approx(ARRIVAL_REWARD - (REACH**0.5 - 0.01) ** 2)
    environment.positions[0] += [0.02, 0]
    _, rewards, *_ = environment.step({"rover_0": STAY, "tower_0": 0})
    assert -1 < rewards["rover_0"] < 0


def test_an_episode_is_cut_off_and_never_terminated():
    environment, generator = begun(agents=4, steps=3)[0], np.random.default_rng(0)
    for step in range(3):
        assert environment.agents
        _, _, terminated, truncated, _ = play(environment, generator)
        assert not any(terminated.values()) and set(truncated.values()) == {step == 2}
    assert environment.agents == []


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ({"agents": 3}, ValueError, "agents must be even, half rovers and half towers, not 3"),
        ({"agents": 0}, ValueError, "agents must be at least 2, not 0"),
        ({"agents": 2.0}, TypeError, "agents must be a whole number, not 2.0"),
        ({"goals": 0}, ValueError, "goals must be at least 1, not 0"),
        ({"messages": 1}, ValueError, "messages must be at least 2, not 1"),
        ({"steps": True}, TypeError, "steps must be a whole number, not True"),
        ({"reward": "none"}, ValueError, "reward must be pair or shared, not 'none'"),
        ({"reward": 1}, TypeError, "reward must be a string, not 1"),
        ({"own_state": 1}, TypeError, "own_state must be True or False, not 1"),
    ],
)
def test_refuses_what_cannot_be_played(values, error, words):
    with pytest.raises(error, match=words):
        RoverTowerConfig(**values)


def test_refuses_an_action_that_there_is_not():
    environment, _ = begun(agents=2, messages=3)
    with pytest.raises(ValueError, match="Action of tower_0 must be between 0 and 2, not 3"):
        environment.step({"rover_0": STAY, "tower_0": 3})
