"""The vector processing unit against plain sums."""

import numpy as np
import pytest

from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, FloatFormat
from rewardware.hw.cores.vector.matrix_config import ACCUMULATORS, VpuConfig
from rewardware.hw.cores.vector.vpu import SELECT_TO_CLEAR, VectorProcessingUnit
from rewardware.sim.harness.vectors import evaluate
from rewardware.sw.reference.vector.products import accumulate

from .stimulus import corners, mixed, packed

FORMATS = [BINARY16, BFLOAT16.flushing(), FloatFormat(exponent_bits=6, fraction_bits=7)]


@pytest.mark.parametrize("number_format", FORMATS, ids=str)
def test_four_sums_go_round(number_format):
    rng = np.random.default_rng(number_format.width)
    config = VpuConfig(format=number_format)
    steps = np.concatenate([rng.integers(1, 12, 400), [1, 1, 200, 1]])
    first_step = np.repeat(True, len(steps))
    total = int(steps.sum())
    starts = np.cumsum(steps) - steps
    first_step = np.isin(np.arange(total), starts)
    own = np.repeat(rng.integers(0, 2, len(steps)), steps)
    operands = mixed(rng, number_format, (total, ACCUMULATORS))
    factors = mixed(rng, number_format, (total, ACCUMULATORS))
    weights = mixed(rng, number_format, total)
    # Every corner by every corner, as the only product of a sum.
    pairs = np.stack(np.meshgrid(corners(number_format), corners(number_format)), -1).reshape(-1, 2)
    operands = np.concatenate([operands, np.repeat(pairs[:, :1], ACCUMULATORS, 1)])
    weights = np.concatenate([weights, pairs[:, 1]])
    factors = np.concatenate([factors, operands[total:]])
    own = np.concatenate([own, np.zeros(len(pairs), int)])
    first_step = np.concatenate([first_step, np.ones(len(pairs), bool)])

    cycles = len(weights) * ACCUMULATORS
    first = np.zeros(cycles + SELECT_TO_CLEAR, int)
    first[SELECT_TO_CLEAR:] = np.repeat(first_step, ACCUMULATORS)
    unit = VectorProcessingUnit(config)
    assert unit.latency == 8
    results = evaluate(
        unit,
        {
            "operands": np.repeat(packed(operands, number_format.width), ACCUMULATORS),
            "factors": np.repeat(packed(factors, number_format.width), ACCUMULATORS),
            "weight": np.repeat(weights, ACCUMULATORS),
            "own_factors": np.repeat(own, ACCUMULATORS),
            "select": np.arange(cycles) % ACCUMULATORS,
            "clear": first[:cycles],
        },
    )["result"].reshape(-1, ACCUMULATORS)

    bounds = [*np.flatnonzero(first_step), len(weights)]
    for begin, end in zip(bounds, bounds[1:], strict=False):
        seconds = np.where(own[begin:end, None], factors[begin:end], weights[begin:end, None])
        expected = accumulate(number_format, operands[begin:end], seconds)
        assert (results[end - 1] == expected).all(), f"sum of steps {begin} to {end - 1}"


def test_negative_zero_never_comes_out_of_zeros():
    number_format = BINARY16
    cycles = 40
    results = evaluate(
        VectorProcessingUnit(VpuConfig(format=number_format)),
        {
            "operands": np.full(cycles, 0x8000800080008000, np.uint64),
            "factors": 0,
            "weight": number_format.one,
            "own_factors": 0,
            "select": np.arange(cycles) % ACCUMULATORS,
            "clear": (np.arange(cycles) < SELECT_TO_CLEAR + ACCUMULATORS).astype(int),
        },
    )["result"]
    assert (results[ACCUMULATORS:] == 0).all()


def test_bad_configuration():
    with pytest.raises(ValueError, match="^Format must be one of .*, not 'half'$"):
        VpuConfig(format="half")
