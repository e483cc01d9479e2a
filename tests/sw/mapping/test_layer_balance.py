"""The balance search against all that there is to choose from."""

import itertools

import pytest

from rewardware.hw.cores.float.config import FloatLaneConfig
from rewardware.hw.cores.layer.config import DQNLearnerConfig, NetworkConfig
from rewardware.sw.mapping.layer_balance import balance_units
from rewardware.sw.mapping.layer_pipeline import layer_stages, stage_cycles, units


@pytest.mark.parametrize("sizes", [(4, 9, 7, 2), (2, 12, 5), (1, 6, 1, 3), (8, 13)])
@pytest.mark.parametrize("target", [False, True])
def test_no_choice_is_faster(sizes, target):
    stages = [layer_stages(index == 0, target=target) for index in range(len(sizes) - 1)]
    arithmetic = FloatLaneConfig(adder_depth=3)
    fastest = {}
    for counts in itertools.product(*(range(1, outputs + 1) for outputs in sizes[1:])):
        used = sum(count * share for count, share in zip(counts, stages, strict=True))
        cycles = stage_cycles(NetworkConfig(sizes=sizes, units=counts, arithmetic=arithmetic))
        fastest[used] = min(fastest.get(used, cycles), cycles)
    for budget in range(sum(stages), max(fastest) + 5):
        chosen = balance_units(sizes, budget, target=target, arithmetic=arithmetic)
        assert sum(count * share for count, share in zip(chosen, stages, strict=True)) <= budget
        best = min(cycles for used, cycles in fastest.items() if used <= budget)
        network = NetworkConfig(sizes=sizes, units=chosen, arithmetic=arithmetic)
        assert stage_cycles(network) == best
        # Nor does a layer have more units than it needs for that.
        for layer, count in enumerate(chosen):
            if count > 1:
                fewer = (*chosen[:layer], count - 1, *chosen[layer + 1 :])
                assert stage_cycles(NetworkConfig(sizes=sizes, units=fewer, arithmetic=arithmetic)) > best


def test_cartpole():
    assert balance_units((4, 64, 64, 2), 200) == (3, 32, 1)
    assert balance_units((4, 64, 64, 2), 300) == (5, 64, 2)
    # More would not be faster: the second layer takes its 65 inputs one a cycle.
    assert balance_units((4, 64, 64, 2), 10_000) == (5, 64, 2)
    config = DQNLearnerConfig(network=NetworkConfig(sizes=(4, 64, 64, 2), units=(5, 64, 2)))
    assert units(config) == 279


def test_too_small_a_budget():
    with pytest.raises(ValueError, match="^Budget must be at least one unit for each of 11 stages, not 10$"):
        balance_units((4, 64, 64, 2), 10)
