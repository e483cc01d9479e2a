"""Stages of a design, and cycles of an iteration."""

import dataclasses

import pytest

from rewardware.hw.cores.learner.maac_config import MAACNetworksConfig
from rewardware.sw.mapping.maac.cycles import equation_cycles, fill_cycles, iteration_cycles, update_cycles
from rewardware.sw.mapping.maac.design import MAACDesign

UNITS = {"policy_units": (9, 64, 3), "critic_units": (12, 9, 64, 64, 64, 128, 3)}
PAPER = MAACNetworksConfig(agents=4, observations=16, actions=5, **UNITS)


def stage(design, name, kind="forward"):
    (found,) = (stage for stage in design.stages if (stage.name, stage.kind) == (name, kind))
    return found


@pytest.mark.parametrize("agents", [2, 4, 7])
@pytest.mark.parametrize("units", [1, 5, 16])
def test_the_slowest_stage_is_that_of_the_graphs(agents, units):
    networks = MAACNetworksConfig(
        agents=agents, observations=6, actions=16, hidden_size=16, policy_units=(units,) * 3, critic_units=(units,) * 7
    )
    policies = max(node.layer.forward_cycles for node in networks.policy.linear)
    assert MAACDesign(networks=networks).experience_cycles == max(networks.critic.cycles, agents * policies)


def test_stages_of_the_papers_size():
    design = MAACDesign(networks=dataclasses.replace(PAPER, parallel_heads=2))
    # Query, key, value and the first hidden layer of the head: all within one group of 257 rows, or two of 129.
    assert design.experience_cycles == 4 * 258
    assert {stage.kind for stage in design.stages if stage.name == "critic embedding"} == {"forward", "gradient"}
    hidden = stage(design, "critic hidden", "backward")
    assert (hidden.count, hidden.units, hidden.cycles, hidden.operations) == (1, 128, 4 * 256, 4 * 256 * 128)
    # Two products of three others' 32 elements in four heads, two heads at a time.
    message = stage(design, "critic message")
    assert (message.count, message.units, message.cycles) == (3, 4, 4 * 3 * 32 * 4 // 2)
    assert message.operations == 4 * 4 * 2 * 3 * 32
    forward, one = 12 + 9 + 3 * 64 + 128 + 3, 64 + 64 + 64 + 128 + 3
    assert design.units == 2 * (9 + 64 + 3) + 4 * forward + one + 3 * 4 + 8
    assert design.utilisation(1, 1) == design.operations / design.units


def test_copies_share_the_agents():
    one, two = (MAACDesign(networks=PAPER, parallel_agents=copies) for copies in (1, 2))
    hidden = [stage(design, "critic hidden") for design in (one, two)]
    assert hidden[1].units == 2 * hidden[0].units and 2 * hidden[1].cycles == hidden[0].cycles
    assert hidden[1].operations == hidden[0].operations
    assert stage(one, "critic message") == stage(two, "critic message")
    assert MAACDesign(networks=PAPER, parallel_agents=3).share == 2


def test_an_iteration_is_a_stage_for_each_experience_a_fill_and_an_update():
    design = MAACDesign(networks=dataclasses.replace(PAPER, parallel_heads=2), update_interval=8)
    # The output layer has 129 rows of two groups for each agent, as many as the hidden one has of one.
    assert update_cycles(design) == 8 * 4 * 258
    more = iteration_cycles(design, 1024) - iteration_cycles(design, 1023)
    assert more == design.experience_cycles
    assert iteration_cycles(design, 1) == fill_cycles(design) + update_cycles(design)
    # Through three layers of the policy, then state, query, attention, hidden and output of the critic, and back.
    policy = 17 * 15 + 129 * 2 + 129 * 2
    critic = 17 * 15 + 128 * 2 + 768 + 257 + 129 * 2
    back = 128 * 2 + 256 + 2 * 768 + 128 * 2 + 17 * 15
    assert fill_cycles(design) == design.experience_cycles + policy + critic + back


def test_the_papers_equations_of_a_design():
    design = MAACDesign(networks=dataclasses.replace(PAPER, critic_units=(12, 9, 64, 32, 64, 128, 3)))
    # Keys are encoded by 32 units: (4 + 4) * 128 * 128 / 32, in 2 * 3 + 3 * 4 + 3 + 3 + ... stages.
    stages = 2 * 3 + 2 * 4 + 2 * 5 + 4
    assert equation_cycles(design, 1024) == 8 * 128 * 4 * (stages + 1024)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"parallel_agents": 5}, "Parallel agents must be from 1 to 4, not 5"),
        ({"update_interval": 65}, "Update interval must be from 1 to 64, not 65"),
    ],
)
def test_errors(values, words):
    with pytest.raises(ValueError, match=f"^{words}$"):
        MAACDesign(networks=PAPER, **values)
    with pytest.raises(TypeError, match="^Networks must be of the kind MAACNetworksConfig, not None$"):
        MAACDesign(networks=None)
