"""The engine against the reference."""

import pytest

from rewardware.hw.cores.fractional_convolution.config import FractionalConvolutionConfig
from rewardware.hw.cores.fractional_convolution.cycles import total_cycles
from rewardware.hw.cores.fractional_convolution.passes import make_passes
from rewardware.sim.cocotb import simulate
from rewardware.sw.mapping.fractional_convolution.models import dcgan

from .configurations import CONFIGURATIONS, LAYERS
from .with_memories import WithMemories

BENCH = "tests.hw.cores.fractional_convolution.bench_engine"


@pytest.mark.parametrize("config", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_engine(config):
    simulate(
        WithMemories(config),
        bench=BENCH,
        parameters={"config": config, "layers": LAYERS},
        after_noise=True,
    )


def test_dcgan_of_few_channels():
    """Counted: two operations in nearly every cycle and element, but where pixels or columns are few."""
    config = FractionalConvolutionConfig(cores=2, rows=4, columns=4, scratchpad_rows=1600, weight_rows=4096)
    layers = list(zip(dcgan(width=16), (64, 8, 4, 4, 3), strict=True))
    simulate(
        WithMemories(config),
        bench=BENCH,
        parameters={"config": config, "layers": layers, "mixtures": 0},
        tests="takes_as_many_cycles_as_it_says",
    )
    utilisation = [
        layer.products / (total_cycles(config, make_passes(config, layer, channels)) * config.elements)
        for layer, channels in layers
    ]
    assert [round(share, 3) for share in utilisation] == [0.164, 0.995, 0.991, 0.968, 0.887]
