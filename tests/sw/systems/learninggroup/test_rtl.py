"""IC3Net on LearningGroup's Verilated RTL: the reference's bits, alone and in lockstep."""

import dataclasses

import numpy as np
import pytest

from rewardware.sw.algorithms.ic3net.ic3net_config import IC3NetConfig
from rewardware.sw.core.environments.failure import EnvironmentFailure
from rewardware.sw.core.environments.predator_prey_config import PredatorPreyConfig
from rewardware.sw.core.lockstep import LockstepError
from rewardware.sw.core.run import Run
from rewardware.sw.core.run_folder import read_metrics
from rewardware.sw.systems.learninggroup.agent import IC3Net
from tests.sw.core.environments.parallel import Broken, Staggered

TASK = PredatorPreyConfig(size=3, predators=3, steps=5)
CONFIG = IC3NetConfig(hidden_size=11, episodes=6, groups=3, loss_scale=64.0, precision="mixed")


def make(backend, **options):
    return IC3Net(TASK, CONFIG, backend=backend, hardware="small", **options)


def assert_same_state(one, other):
    (left, _), (right, _) = one.learner.save(), other.learner.save()
    assert left.keys() == right.keys()
    for name in left:
        np.testing.assert_array_equal(left[name], right[name], err_msg=name)


def test_rtl_trains_as_the_reference_and_reads_its_checkpoints(tmp_path):
    records = {"reference": [], "rtl": []}

    def keep(agent, record):
        records[agent.backend].append({name: record[name] for name in record if name != "lost_updates"})

    reference, rtl = make("reference").learn(3, keep), make("rtl")
    try:
        rtl.learn(2, keep).save(tmp_path / "a.zip")
        rtl.learn(1, keep)
        assert_same_state(reference, rtl)
        assert records["rtl"] == records["reference"]
        assert rtl.evaluate(10) == reference.evaluate(10)
        assert_same_state(reference, rtl)
        counters = rtl.learner.counters()
        assert counters["measured_iterations"] == 3 and 0 < counters["utilization"]["matrix"] < 1
    finally:
        rtl.close()
    resumed = IC3Net.load(tmp_path / "a.zip", backend="reference")
    assert_same_state(reference, resumed.learn(1))
    with pytest.raises(ValueError, match="is of backend rtl, which torch cannot go on with"):
        IC3Net.load(tmp_path / "a.zip", backend="torch")


def test_rtl_on_an_environment_of_pettingzoo_that_fails_once():
    """Agents that end at different times; the iteration that failed is taken back, what was drawn included."""
    settings = dataclasses.replace(CONFIG, episodes=5)
    reference = IC3Net(Staggered, settings, backend="reference", hardware="small").learn(3)
    with IC3Net(Staggered, settings, backend="rtl", hardware="small") as rtl:
        rtl.learn(1)
        rtl.environment._environments[1] = Broken(out_of_fuel, at=3, once=True)
        Broken.failed = False
        with pytest.raises(EnvironmentFailure, match="Step 3 of environment 1 .*: out of fuel"):
            rtl.learn(1)
        assert rtl.learn(2).iterations == 3
        assert_same_state(reference, rtl)


def out_of_fuel(environment, result):
    raise RuntimeError("out of fuel")


def test_lockstep_compares_and_summarizes(tmp_path):
    agent = make("lockstep", lockstep_every=2)
    try:
        counters = Run(agent, tmp_path, 3, progress=False).run()["counters"]
        assert counters["lockstep_steps"] == counters["measured_iterations"] == 2
        assert counters["lockstep_compared"] == counters["lockstep_equal"] > 2 * 2000
        assert (tmp_path / "statistics.png").stat().st_size > 5_000
        assert len(read_metrics(tmp_path)) == 3
        assert_same_state(make("reference").learn(3), agent)
        # The reference does not go on with the RTL's learning rate.
        agent.learner.engine.device.rates = dataclasses.replace(agent.learner.engine.device.rates, learning_rate=0.01)
        with pytest.raises(LockstepError, match="Iteration 4, update: RTL differs from the reference in weight"):
            agent.learn(2)
    finally:
        agent.close()
