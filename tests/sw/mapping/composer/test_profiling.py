"""Latency tables: cycle models and estimates by hand, measurements by what they say."""

import pytest
import torch

from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.learner.learner_config import DQNLearnerConfig
from rewardware.hw.cores.learner.network_stages import ACTOR, CRITIC
from rewardware.hw.cores.replay.config import SumTreeConfig
from rewardware.sw.mapping.composer.algorithms import Workload, training_iteration
from rewardware.sw.mapping.composer.fpga_latency import CycleModel, model_cycles
from rewardware.sw.mapping.composer.platform import Platform
from rewardware.sw.mapping.composer.profiling import profile
from rewardware.sw.mapping.composer.torch_sum_tree import TorchSumTree
from rewardware.sw.mapping.layer_pipeline import fill_cycles, learner_stage_cycles, step_cycles
from rewardware.sw.mapping.replay_cycles import sample_cycles, update_cycles

SIZES = {"observation_size": 4, "action_size": 2, "hidden_sizes": (64, 64), "batch": 128}


def iteration(algorithm="dqn", **changed):
    return training_iteration(Workload(algorithm=algorithm, **SIZES | changed))


def platform(**devices):
    made = {name: {"memory_bandwidth": 1.0e10, **fields} for name, fields in devices.items()}
    names = list(made)
    links = [{"between": [names[0], other], "bandwidth": 1.0e9} for other in names[1:]]
    return Platform.from_mapping({"devices": made, "links": links})


def test_cycle_models():
    made = iteration()
    # A power of two, so that no time is rounded.
    model = CycleModel(frequency=128, dsp_per_multiply_accumulate=4, fanout=8)
    latencies, resources = model_cycles(made, model, 1000)
    tree = SumTreeConfig(leaves=1 << 17, fanout=8)
    for batch in (1, 32, 128):
        assert 128 * latencies["sample"].at(batch) == sample_cycles(tree, batch)
        assert 128 * latencies["update"].at(batch) == update_cycles(tree, batch)
    # A DQN's learner takes 3 * 3 + 4 * 32 + 4 of 250 units, with 130 cycles per stage; the loss has two of its own.
    assert sum(amounts.get("dsp", 0) for amounts in resources.values()) == 4 * (3 * 3 + 4 * 32 + 4 * 1 + 2)
    config = DQNLearnerConfig(network=NetworkConfig(sizes=(4, 64, 64, 2), units=(3, 32, 1)))
    stage = learner_stage_cycles(config)
    cycles = {task: 128 * latency.at(128) for task, latency in latencies.items()}
    # Forward, the loss of two values, and backward one after the other take what the learner would overlap.
    assert cycles["target_forward"] == cycles["policy_forward"] and cycles["loss"] == 3 * 128
    both = cycles["policy_forward"] + cycles["policy_backward"]
    assert both == step_cycles(config, 128) + 127 * stage == stage * (127 + 127) + fill_cycles(config) + 2 * stage
    # Too few for a unit each: so many, and whoever has them sees that they are short.
    _, resources = model_cycles(made, model, 40)
    assert sum(amounts.get("dsp", 0) for amounts in resources.values()) == 4 * (11 + 2)
    # 2**17 leaves of 32 bits beside each other and, with their sums, in the tree.
    assert resources["sample"]["ram_bits"] > 2 * 32 * 2**17 and "update" not in resources


def test_stages_of_ddpg_are_those_of_its_learner():
    """With one unit a stage, so that units are stages; of three layers each."""
    _, resources = model_cycles(iteration("ddpg"), CycleModel(frequency=128, dsp_per_multiply_accumulate=1), 0)
    units = {task: amounts["dsp"] for task, amounts in resources.items() if "dsp" in amounts}
    # The critic also goes back through its first layer, to the inputs, and adds up no gradient.
    assert units == {
        "target_actor_forward": 3, "target_critic_forward": 3, "critic_forward": 3, "loss": 2, "critic_backward": 5,
        "actor_forward": 3, "critic_value": 6, "actor_backward": 5,
    }  # fmt: skip
    counts = {stages: stages.count(first=True) + 2 * stages.count(first=False) for stages in (ACTOR, CRITIC)}
    assert sum(counts.values()) == sum(units.values()) - units["loss"]


def test_estimates():
    problem = profile(
        iteration(), platform(gpu={"kind": "gpu", "profile": {"operations_per_second": 16, "seconds_per_task": 3}})
    )
    products = 4 * 64 + 64 * 64 + 64 * 2
    assert problem.latency("target_forward", "gpu") == 3 + 128 * 2 * products / 16
    assert problem.latency("sample", "gpu") == 3 + 128 * 2 * 17 / 16


@pytest.mark.parametrize("algorithm", ["dqn", "ddpg", "sac"])
def test_all_tasks_are_measured(algorithm, monkeypatch):
    monkeypatch.setattr("rewardware.sw.mapping.composer.torch_latency.REPEATS", 3)
    threads = torch.get_num_threads()
    problem = profile(
        iteration(algorithm, batch=9, leaves=1000),
        platform(
            cpu={"kind": "cpu"},
            fpga={"kind": "fpga", "resources": {"dsp": 200}, "profile": {"frequency": 2.5e8}},
        ),
    )
    assert torch.get_num_threads() == threads
    for task in problem.graph.order:
        origins = {device: latency.origin for device, latency in problem.table.latencies[task].items()}
        assert origins == {"cpu": "measured", "fpga": "cycle model"}


def test_sum_tree_of_a_gpu_on_a_processor():
    """Priorities of 0 to 6 over 0 to 12 leaves: every draw finds the leaf whose part of the total it is in."""
    tree, priorities = TorchSumTree(13, torch.device("cpu")), torch.arange(13) % 7
    tree.update(torch.arange(13), priorities.float())
    total = int(priorities.sum())
    indices, found = tree.sample((torch.arange(total) + 0.5) / total)
    assert torch.equal(indices, torch.repeat_interleave(torch.arange(13), priorities))
    assert torch.equal(found, priorities[indices].float())
    tree.update(torch.tensor([3, 3, 12]), torch.tensor([0.0, 0.0, 9.0]))
    assert tree.sums[1] == total - 3 - 5 + 9
    # Rounding puts no draw on a leaf of nothing.
    tree.update(torch.arange(13), (torch.arange(13) == 5).float())
    assert torch.equal(tree.sample(torch.tensor([0.0, 1.0]))[0], torch.tensor([5, 5]))


@pytest.mark.parametrize(
    ("fields", "kind", "words"),
    [
        ({"kind": "fpga", "profile": {"frequency": 1}}, ValueError, "resources need dsp"),
        ({"kind": "fpga", "resources": {"dsp": 9}}, ValueError, "It needs frequency"),
        ({"kind": "fpga", "resources": {"dsp": 9}, "profile": {"frequency": 0}}, ValueError, "Frequency must be above"),
        ({"kind": "gpu", "profile": {"index": 99}}, ValueError, "PyTorch has no cuda:99 here"),
        ({"kind": "cpu", "profile": {"threads": 0}}, ValueError, "Threads must be at least 1, not 0"),
        ({"kind": "cpu", "profile": {"speed": 0}}, ValueError, "Unknown field of It: speed"),
        ({"kind": "gpu", "profile": {"operations_per_second": 1}}, ValueError, "It needs seconds_per_task"),
    ],
)
def test_errors(fields, kind, words):
    with pytest.raises(kind, match=f"Profile of device it: .*{words}"):
        profile(iteration(), platform(it=fields))
