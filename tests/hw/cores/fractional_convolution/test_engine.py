"""The engine against the reference."""

import pytest

from rewardware.hw.cores.fractional_convolution.config import FractionalConvolutionConfig
from rewardware.hw.cores.fractional_convolution.cycles import (
    DONE_TO_READ,
    ISSUE_TO_OPERANDS,
    PIXEL_TO_WRITE,
    READ_TO_COMPLETION,
    sums_latency,
    total_cycles,
)
from rewardware.hw.cores.fractional_convolution.pad_accumulate import PadAccumulate
from rewardware.hw.cores.fractional_convolution.passes import make_passes
from rewardware.hw.cores.fractional_convolution.processing_element import ConvolutionElement
from rewardware.hw.cores.fractional_convolution.row_reader import RowReader
from rewardware.sim.cocotb import simulate
from rewardware.sw.mapping.fractional_convolution.models import dcgan
from rewardware.sw.reference.convolution.counts import kn2row_counts
from rewardware.sw.systems.dynamap.bench.engine_with_memories import EngineWithMemories

from .configurations import CONFIGURATIONS, LAYERS

BENCH = "tests.hw.cores.fractional_convolution.bench_engine"


@pytest.mark.parametrize("config", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_engine(config):
    simulate(
        EngineWithMemories(config),
        bench=BENCH,
        parameters={"config": config, "layers": LAYERS},
        after_noise=True,
    )


@pytest.mark.parametrize("config", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_latencies_are_those_of_the_cycles(config):
    """The benches hold the cycles to the engine's; these hold the parts' latencies to the cycles."""
    assert sums_latency(config) == ISSUE_TO_OPERANDS + ConvolutionElement(config).latency + 1
    assert PadAccumulate(config).latency == PIXEL_TO_WRITE + config.arithmetic.adder_depth
    # The completion comes in the cycle after the last word.
    assert RowReader(config).latency == DONE_TO_READ + READ_TO_COMPLETION - 1


def test_dcgan_of_few_channels():
    """Counted: two operations in nearly every cycle and element, but where pixels or columns are few."""
    config = FractionalConvolutionConfig(cores=2, rows=4, columns=4, scratchpad_rows=1600, weight_rows=4096)
    layers = [(shape, 1, channels) for shape, channels in zip(dcgan(width=16), (64, 8, 4, 4, 3), strict=True)]
    simulate(
        EngineWithMemories(config),
        bench=BENCH,
        parameters={"config": config, "layers": layers, "mixtures": 0},
        tests="takes_as_many_cycles_as_it_says",
    )
    utilisation = [
        kn2row_counts(shape).multiplications
        / (total_cycles(config, make_passes(config, shape, channels)) * config.elements)
        for shape, _, channels in layers
    ]
    assert [round(share, 3) for share in utilisation] == [0.164, 0.995, 0.991, 0.968, 0.887]
