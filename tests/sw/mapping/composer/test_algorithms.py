"""Task graphs of the algorithms against counts by hand and against PyTorch."""

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from rewardware.sw.mapping.composer.algorithms import Workload, training_iteration
from rewardware.sw.mapping.composer.layer_group import LayerGroup, Propagation


def workload(algorithm, **changed):
    sizes = {"observation_size": 4, "action_size": 2, "hidden_sizes": (64, 48), "batch": 32}
    return Workload(algorithm=algorithm, **sizes | changed)


def edges(graph):
    return {(edge.source, edge.target): edge.bytes for edge in graph.edges}


def test_dqn_by_hand():
    iteration = training_iteration(workload("dqn"))
    graph, parameters = iteration.graph, 4 * 64 + 64 + 64 * 48 + 48 + 48 * 2 + 2
    assert graph.experience_bytes == 4 * (4 + 1 + 1 + 4 + 1) and graph.gradient_bytes == 4 * parameters
    assert edges(graph) == {
        ("sample", "policy_forward"): 32 * 16,
        ("sample", "target_forward"): 32 * 16,
        ("sample", "loss"): 32 * 16,
        ("policy_forward", "loss"): 32 * 8,
        ("target_forward", "loss"): 32 * 4,
        ("loss", "policy_backward"): 32 * 8,
        ("policy_forward", "policy_backward"): 32 * 4 * (4 + 64 + 48 + 2) + 4 * parameters,
        ("loss", "update"): 32 * 8,
    }
    assert graph.replay_tasks == ("sample", "update")
    assert set(graph.learner_entry_tasks) == {"policy_forward", "target_forward"}


def test_ddpg_and_sac():
    ddpg, sac = (training_iteration(workload(name)).graph for name in ("ddpg", "sac"))
    assert ddpg.experience_bytes == sac.experience_bytes == 4 * (4 + 2 + 1 + 4 + 1)
    assert len(ddpg.learner_tasks) == 8 and len(sac.learner_tasks) == 12
    actor, critic = 4 * 64 + 64 + 64 * 48 + 48 + 48 * 2 + 2, 6 * 64 + 64 + 64 * 48 + 48 + 48 + 1
    assert ddpg.gradient_bytes == 4 * (actor + critic)
    assert sac.gradient_bytes == 4 * (actor + 48 * 2 + 2 + 2 * critic)
    # The actor's step is through the critic after its own.
    for graph, name in ((ddpg, "critic"), (sac, "critic1"), (sac, "critic2")):
        assert edges(graph)[f"{name}_backward", f"{name}_value"] == 4 * critic
        assert edges(graph)[f"target_{name}_forward", f"{name}_backward"] == 4 * critic
        assert edges(graph)[f"{name}_value", "actor_backward"] == 32 * 4 * 2
    assert edges(sac)["next_actor_forward", "loss"] == 32 * 4


@pytest.mark.parametrize("sizes", [(4, 64, 48, 2), (7, 5), (3, 300, 1)])
def test_operations_are_those_that_pytorch_counts(sizes):
    network = nn.Sequential(*(nn.Linear(*pair, bias=False) for pair in zip(sizes, sizes[1:], strict=False)))
    inputs = torch.zeros(16, sizes[0])

    def counted(run):
        with FlopCounterMode(display=False) as counter:
            run()
        return counter.get_total_flops()

    def operations(propagation):
        return 16 * LayerGroup(propagation=propagation, sizes=sizes).operations

    assert counted(lambda: network(inputs)) == operations(Propagation.FORWARD) == operations(Propagation.INFERENCE)
    outputs = network(inputs)
    assert counted(outputs.sum().backward) == operations(Propagation.BACKWARD)
    for parameter in network.parameters():
        parameter.requires_grad_(False)
    inputs.requires_grad_(True)
    assert counted(lambda: network(inputs).sum().backward()) == operations(Propagation.INPUT_GRADIENT)


def test_stages_by_hand():
    forward, backward, loss = (
        LayerGroup(propagation=way, sizes=sizes)
        for way, sizes in (
            (Propagation.FORWARD, (4, 64, 48, 2)),
            (Propagation.BACKWARD, (4, 64, 48, 2)),
            (Propagation.LOSS, (2,)),
        )
    )
    assert forward.stages == (256, 3072, 96) and backward.stages == (3072, 96, 256, 3072, 96)
    assert (loss.stages, loss.batch_operations) == ((2,), 0)
    assert backward.batch_operations == 12 * backward.parameters and forward.batch_operations == 0


@pytest.mark.parametrize(
    ("changed", "kind", "words"),
    [
        ({"algorithm": "ppo"}, ValueError, "Algorithm must be one of dqn, ddpg, sac, not 'ppo'"),
        ({"batch": 0}, ValueError, "Batch must be at least 1, not 0"),
        ({"observation_size": 0}, ValueError, "Observation size must be at least 1"),
        ({"action_size": 1.5}, TypeError, "Action size must be an integer"),
        ({"hidden_sizes": (64, 0)}, ValueError, "Hidden size must be at least 1, not 0"),
        ({"leaves": 1}, ValueError, "Leaves must be at least 2, not 1"),
    ],
)
def test_errors(changed, kind, words):
    with pytest.raises(kind, match=words):
        workload(**{"algorithm": "dqn"} | changed)
