"""Dequantiser: equality with the reference."""

import numpy as np

from rewardware.hw.cores.array.dequantizer import Dequantizer
from rewardware.sim.cocotb import simulate
from rewardware.sw.reference.array.writeback import expand_auxiliary
from rewardware.sw.reference.quantization.ranges import QuantizationParameters

from ..bench_play import Expected
from ..stimulus import WORD_CORNERS, flags, mixed

RANGES = [
    QuantizationParameters(),
    QuantizationParameters(minimum=-(1 << 31), maximum=(1 << 31) - 1),
    QuantizationParameters(minimum=-(1 << 31), bits=9),
    QuantizationParameters(minimum=-3, maximum=4, bits=16),
    QuantizationParameters(maximum=12345, bits=8),
]
# Scales and zero points of every magnitude.
RANDOM_RANGES = 60


def ranges(rng):
    ends = rng.integers(0, 1 << 31, (RANDOM_RANGES, 2)) >> rng.integers(0, 31, (RANDOM_RANGES, 2))
    bits = rng.integers(8, 17, RANDOM_RANGES).tolist()
    drawn = zip(ends.tolist(), bits, strict=True)
    return RANGES + [QuantizationParameters(minimum=-low, maximum=high, bits=width) for (low, high), width in drawn]


def test_equals_reference():
    rng = np.random.default_rng(0)
    cycles = 3000
    word = mixed(rng, cycles, 32, WORD_CORNERS) & 0xFFFF_FFFF
    packed, high = flags(rng, (2, cycles))
    choices = ranges(rng)
    which = rng.integers(len(choices), size=cycles)
    value, positive = np.zeros((2, cycles), np.int64)
    for cycle, number in enumerate(which):
        parameters = choices[number]
        if packed[cycle]:
            word[cycle] &= parameters.code_maximum << 16 | parameters.code_maximum
        value[cycle], positive[cycle] = expand_auxiliary(
            word[cycle], packed=packed[cycle], high=high[cycle], parameters=parameters
        )
    component = Dequantizer()
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {"word": word, "packed": packed, "high": high}
            | {
                name: np.array([getattr(choices[number], name) for number in which])
                for name in ("scale", "zero_point", "bits")
            },
            "outputs": {
                "value": Expected(value, component.latency),
                "positive": Expected(positive, component.latency),
            },
        },
        after_noise=True,
    )
