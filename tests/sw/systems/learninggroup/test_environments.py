"""IC3Net on environments of PettingZoo: Predator-Prey's bits, dead agents, failures, checkpoints, refusals."""

import functools

import gymnasium
import numpy as np
import pytest
import torch

from rewardware.sw.algorithms.ic3net.ic3net_config import IC3NetConfig
from rewardware.sw.core.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from rewardware.sw.core.environments.failure import EnvironmentFailure
from rewardware.sw.core.environments.parallel_environments import ParallelEnvironments
from rewardware.sw.core.environments.predator_prey_config import PredatorPreyConfig
from rewardware.sw.core.run import Run
from rewardware.sw.systems.agents import load_agent
from rewardware.sw.systems.learninggroup.agent import IC3Net
from tests.sw.core.environments.parallel import Broken, Staggered
from tests.sw.core.environments.test_parallel_environments import FromCells

HERE = "tests.sw.core.environments.parallel"
BACKENDS = {
    "torch": {"backend": "torch"},
    "blocks": {"backend": "blocks"},
    "reference": {"backend": "reference", "hardware": "small"},
}


def config(**values):
    return IC3NetConfig(**{"hidden_size": 12, "episodes": 5, "groups": 2, **values})


def settings_on(backend, **values):
    extra = {"precision": "mixed", "loss_scale": 64.0} if backend == "reference" else {}
    return config(**{**extra, **values})


def records_of(agent, iterations):
    records = []
    agent.learn(iterations, lambda _, record: records.append(record))
    return records


def assert_same_state(one, other):
    (left, about), (right, rest) = one.learner.save(), other.learner.save()
    assert left.keys() == right.keys() and about == rest
    for name in left:
        assert np.array_equal(left[name], right[name]), name
    assert one._starts.bit_generator.state == other._starts.bit_generator.state


@pytest.mark.parametrize("mode", ["cooperative", "mixed"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_predator_prey_trains_with_the_same_bits_over_pettingzoo(backend, mode):
    task = PredatorPreyConfig(size=3, predators=2, steps=8, vision=1, mode=mode)
    settings = settings_on(backend)
    fast = IC3Net(task, settings, **BACKENDS[backend])
    plain = IC3Net(FromCells(task, settings.episodes), settings, **BACKENDS[backend])
    expected, found = records_of(fast, 4), records_of(plain, 4)
    for one, other in zip(expected, found, strict=True):
        # The two have other observations of agents that have arrived, and other entropies of what these choose.
        names = (one.keys() & other.keys()) - ({"entropy"} if mode == "mixed" else set())
        assert {"return", "sparsity"} < names and {name: one[name] for name in names} == {n: other[n] for n in names}
    assert_same_state(fast, plain)
    fast.close()


@pytest.mark.parametrize("backend", BACKENDS)
def test_agents_that_have_ended_teach_nothing(backend):
    """Rewards of agents that have ended change no bit; those of agents alive do."""

    class Paying(Staggered):
        """Also puts rewards of agents that have ended into its answers."""

        def __init__(self, late=0.0, all_along=0.0):
            super().__init__()
            self.late, self.all_along = late, all_along

        def step(self, actions):
            observations, rewards, *rest = super().step(actions)
            paid = dict.fromkeys(self.possible_agents, self.late)
            return observations, {**paid, **{a: r + self.all_along for a, r in rewards.items()}}, *rest

    settings = settings_on(backend, value_coefficient=0.5)

    def trained(**values):
        return IC3Net(functools.partial(Paying, **values), settings, **BACKENDS[backend]).learn(3)

    plain, late, other = trained(), trained(late=100.0), trained(all_along=1.0)
    assert_same_state(plain, late)
    with pytest.raises(AssertionError):
        assert_same_state(plain, other)


def test_the_loss_counts_agents_alive_alone():
    """A step's gradient is the same whatever the dead agents' returns are, and not that of all agents alive."""
    gradients = []
    for dead, value in ((True, 0.0), (True, 50.0), (False, 0.0)):
        agent = IC3Net(Staggered, config(groups=1))
        agent.learner.begin()
        for _ in range(3):
            agent.learner.step(np.ones((5, 3, 3), np.float32))
        returns, alive = np.ones((3, 5, 3)), np.ones((3, 5, 3), bool)
        returns[1:, :, 2], alive[1:, :, 2] = value, not dead
        agent.learner.update(returns, alive)
        gradients.append(agent.learner.network.layers["value"].weight.grad.clone())
    assert torch.equal(gradients[0], gradients[1]) and not torch.allclose(gradients[0], gradients[2])


def test_learns_to_choose_what_pays():
    """Rewards grow with the action's number, from 0.25 for 2 to 0.625 for 5."""
    agent = IC3Net(Staggered, config(hidden_size=16, episodes=32, learning_rate=0.01))
    records = records_of(agent, 60)
    lengths = np.array([2, 4, 3])
    most = np.mean([length * (length + 1) / 2 + length * 5 / 8 for length in lengths])
    assert records[0]["return"] < most - 0.4 and records[-1]["return"] > most - 0.1
    assert {record["length"] for record in records} == {4.0}


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_failing_environment_leaves_the_iteration_before(backend, tmp_path):
    """A run whose environment fails once, and that goes on, ends with the bits of one whose environment never did."""
    settings, options = settings_on(backend), BACKENDS[backend]
    whole = IC3Net(Staggered, settings, **options).learn(4)

    def fuel(environment, result):
        raise RuntimeError("out of fuel")

    agent = IC3Net(Staggered, settings, **options)
    agent.learn(2)
    agent.environment._environments[3] = Broken(fuel, at=3, once=True)
    Broken.failed = False
    with pytest.raises(EnvironmentFailure, match="Step 3 of environment 3 .*: RuntimeError: out of fuel") as failure:
        Run(agent, tmp_path, 4, progress=False).run()
    assert failure.value.__notes__ == ["checkpoint written at iteration 2"]
    assert Broken.failed and agent.iterations == 2
    resumed = IC3Net.load(tmp_path / "checkpoint.zip", Staggered)
    for after in (agent.learn(2), resumed.learn(2)):
        assert_same_state(after, whole)


def test_a_failing_evaluation_changes_nothing():
    def stop(environment, result):
        raise KeyError("gone")

    agent = IC3Net(Staggered, config()).learn(1)
    whole = IC3Net(Staggered, config()).learn(1)
    agent.environment._environments[0] = Broken(stop, at=2, once=True)
    Broken.failed = False
    with pytest.raises(EnvironmentFailure, match="KeyError: 'gone'"):
        agent.evaluate(5)
    assert_same_state(agent, whole)
    assert agent.evaluate(5) == whole.evaluate(5)


def test_simple_spread_trains_and_a_checkpoint_goes_on(tmp_path):
    settings, options = settings_on("reference"), {"steps": 6, **BACKENDS["reference"]}
    whole = IC3Net("mpe2/simple_spread_v3", settings, **options)
    expected = records_of(whole, 3)
    begun = IC3Net("mpe2/simple_spread_v3", settings, **options)
    assert records_of(begun, 2) == expected[:2]
    begun.save(tmp_path / "checkpoint.zip")
    about = read_checkpoint(tmp_path / "checkpoint.zip")[1]
    task = {"agents": 3, "observation_size": 18, "actions": 5, "steps": 6}
    assert (about["env"], about["task"]) == ("mpe2/simple_spread_v3", task)
    resumed = load_agent(tmp_path / "checkpoint.zip")
    assert records_of(resumed, 1) == expected[2:]
    assert_same_state(whole, resumed)
    outcome = resumed.evaluate(7)
    assert outcome == whole.evaluate(7) and outcome.keys() == {"episodes", "length", "return"}
    resumed.close()
    whole.close()


def test_checkpoints_need_their_environment(tmp_path):
    unnamed, named, task = (tmp_path / f"{name}.zip" for name in ("unnamed", "named", "task"))
    IC3Net(Staggered, config()).learn(1).save(unnamed)
    with pytest.raises(CheckpointError, match="The environment of .* is not registered: give the environment"):
        IC3Net.load(unnamed)
    with pytest.raises(CheckpointError, match="of an environment with agents 3; this one has 2"):
        IC3Net.load(unnamed, functools.partial(Staggered, lengths=(1, 2)))
    with pytest.raises(CheckpointError, match="of an environment with actions 4; this one has 3"):
        IC3Net.load(unnamed, functools.partial(Staggered, actions=3))
    with pytest.raises(CheckpointError, match="of an environment with steps 5; this one has 3"):
        IC3Net.load(unnamed, ParallelEnvironments(Staggered, 5, steps=3))
    assert IC3Net.load(unnamed, Staggered).iterations == 1

    IC3Net(f"{HERE}:staggered", config()).learn(1).save(named)
    assert IC3Net.load(named).environment.name == f"{HERE}:staggered"
    arrays, about = read_checkpoint(named)
    write_checkpoint(named, arrays, {**about, "env": "unheard_of:staggered"})
    with pytest.raises(CheckpointError, match="give the environment, or import it .*--import unheard_of"):
        IC3Net.load(named)

    IC3Net(PredatorPreyConfig(size=3, predators=2, steps=3), config()).learn(1).save(task)
    with pytest.raises(CheckpointError, match="is of predator-prey and has its task: omit the environment"):
        IC3Net.load(task, Staggered)
    # As written before there were other environments.
    arrays, about = read_checkpoint(task)
    write_checkpoint(task, arrays, {name: value for name, value in about.items() if name != "env"})
    assert IC3Net.load(task).environment.config == PredatorPreyConfig(size=3, predators=2, steps=3)


class Wide(Staggered):
    """Agents whose observations are longer than the rows that a small device has."""

    def __init__(self):
        super().__init__()
        self.observation_spaces = dict.fromkeys(self.possible_agents, gymnasium.spaces.Box(0, 1, (200,)))


def test_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="Layer encoder must have at most 128 rows and columns .* not 200 x 12"):
        IC3Net(Wide, settings_on("reference"), **BACKENDS["reference"])
    batch = ParallelEnvironments(Staggered, 5)
    with pytest.raises(ValueError, match="precision must be 'mixed' with configuration small"):
        IC3Net(batch, config(), **BACKENDS["reference"])
    assert all(environment.closed for environment in batch._environments)
    with pytest.raises(ValueError, match="9 agents x 8 episodes need more than the .* vectors in configuration small"):
        IC3Net(
            functools.partial(Staggered, lengths=(3,) * 9),
            settings_on("reference", episodes=8),
            **BACKENDS["reference"],
        )
    with pytest.raises(ValueError, match="this one has its own: omit steps 4"):
        IC3Net("easy", config(), steps=4)
    with pytest.raises(ValueError, match="The batch must have the 5 episodes of the configuration, not 4"):
        IC3Net(ParallelEnvironments(Staggered, 4), config())
    with pytest.raises(TypeError, match="must be given as a function that makes one"):
        IC3Net(Staggered(), config())
