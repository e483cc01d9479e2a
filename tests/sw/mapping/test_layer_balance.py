"""The balance search against all that there is to choose from."""

import itertools

import pytest

from rewardware.hw.cores.float.config import FloatLaneConfig
from rewardware.hw.cores.layer.config import NetworkConfig
from rewardware.hw.cores.learner.learner_config import DDPGLearnerConfig, DQNLearnerConfig
from rewardware.hw.cores.learner.network_stages import CRITIC, ONLINE_AND_TARGET, NetworkStages
from rewardware.sw.mapping.layer_balance import balance_actor_critic, balance_units
from rewardware.sw.mapping.layer_pipeline import learner_stage_cycles, stage_cycles, units


@pytest.mark.parametrize("sizes", [(4, 9, 7, 2), (2, 12, 5), (1, 6, 1, 3), (8, 13)])
@pytest.mark.parametrize("stages", [NetworkStages(forward=1), ONLINE_AND_TARGET, CRITIC])
def test_no_choice_is_faster(sizes, stages):
    shares = [stages.count(index == 0) for index in range(len(sizes) - 1)]
    arithmetic = FloatLaneConfig(adder_depth=3)
    fastest = {}
    for counts in itertools.product(*(range(1, outputs + 1) for outputs in sizes[1:])):
        used = sum(count * share for count, share in zip(counts, shares, strict=True))
        cycles = stage_cycles(NetworkConfig(sizes=sizes, units=counts, arithmetic=arithmetic), stages)
        fastest[used] = min(fastest.get(used, cycles), cycles)
    for budget in range(sum(shares), max(fastest) + 5):
        chosen = balance_units(sizes, budget, stages=stages, arithmetic=arithmetic)
        assert sum(count * share for count, share in zip(chosen, shares, strict=True)) <= budget
        best = min(cycles for used, cycles in fastest.items() if used <= budget)
        network = NetworkConfig(sizes=sizes, units=chosen, arithmetic=arithmetic)
        assert stage_cycles(network, stages) == best
        # Nor does a layer have more units than it needs for that.
        for layer, count in enumerate(chosen):
            if count > 1:
                fewer = (*chosen[:layer], count - 1, *chosen[layer + 1 :])
                fewer = NetworkConfig(sizes=sizes, units=fewer, arithmetic=arithmetic)
                assert stage_cycles(fewer, stages) > best


def test_cartpole():
    assert balance_units((4, 64, 64, 2), 200) == (3, 32, 1)
    assert balance_units((4, 64, 64, 2), 300) == (5, 64, 2)
    # More would not be faster: the second layer takes its 65 inputs one a cycle.
    assert balance_units((4, 64, 64, 2), 10_000) == (5, 64, 2)
    config = DQNLearnerConfig(network=NetworkConfig(sizes=(4, 64, 64, 2), units=(5, 64, 2)))
    assert units(config) == 279


def test_actor_and_critic():
    """4 stages of the actor and 6 of the critic, one less of their first layers, and all as fast as the middle ones."""
    actor, critic = (2, 256, 128, 1), (3, 256, 128, 1)
    with pytest.raises(ValueError, match="^Budget must be at least one unit for each of 28 stages, not 27$"):
        balance_actor_critic(actor, critic, 27)
    chosen = balance_actor_critic(actor, critic, 700)
    assert chosen == ((2, 64, 1), (2, 64, 1))
    networks = [NetworkConfig(sizes=sizes, units=counts) for sizes, counts in zip((actor, critic), chosen, strict=True)]
    config = DDPGLearnerConfig(actor=networks[0], critic=networks[1])
    assert units(config) == 3 * 2 + 4 * 65 + 5 * 2 + 6 * 65 == 666
    assert learner_stage_cycles(config) == 257 * 2


def test_too_small_a_budget():
    with pytest.raises(ValueError, match="^Budget must be at least one unit for each of 11 stages, not 10$"):
        balance_units((4, 64, 64, 2), 10)
