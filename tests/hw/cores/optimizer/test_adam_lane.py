"""A lane of Adam against its reference."""

import numpy as np
import pytest

from rewardware.hw.cores.optimizer.adam_lane import AdamLane
from rewardware.hw.cores.optimizer.config import AdamConfig
from rewardware.sw.reference.optimizer.adam import AdamReference
from tests.hw.cores.optimizer.stimulus import LEAST, RATES, second_moments, words
from tests.hw.cores.pipeline import check_pipeline

COUNT = 600


@pytest.mark.parametrize("number", range(len(RATES)))
def test_adam_lane(number):
    rng = np.random.default_rng(number)
    rates, config = RATES[number], AdamConfig(lanes=3, rows=7, weight_fraction=24 if number % 2 else 27)
    step = [429_496, (1 << 32) - 1, 1 << 31, 1][number]
    gradient, first, weight, target = (words(rng, COUNT) for _ in range(4))
    second = second_moments(rng, COUNT)
    # A moment of nearly nothing under a large one saturates the ratio.
    second[:10], first[:10], gradient[:10] = 0, LEAST, [0, 1] * 5
    given = {
        "gradient": gradient.copy(),
        "first_moment": first.copy(),
        "second_moment": second.copy(),
        "weight": weight.copy(),
        "target": target.copy(),
    }
    saturated = np.empty(COUNT, dtype=np.int64)
    adam = AdamReference(config.weight_fraction)
    for index in range(COUNT):
        element = [array[index : index + 1] for array in (weight, target, gradient, first, second)]
        saturated[index] = adam.update(*element, step_size=step, rates=rates)
    if number == 1:
        assert 0 < saturated.sum() < COUNT
    lane = AdamLane(config)
    constants = {name: [value] for name, value in (*vars(rates).items(), ("step_size", step))}
    check_pipeline(
        lane,
        given | constants,
        {
            "first_moment_next": first,
            "second_moment_next": second,
            "weight_next": weight,
            "target_next": target,
            "saturated": saturated,
        },
        delays={"weight": lane.weight_delay, "target": lane.target_delay},
        latencies={
            "first_moment_next": lane.first_latency,
            "second_moment_next": lane.second_latency,
            "weight_next": lane.weight_latency,
            "saturated": lane.weight_latency,
        },
    )
