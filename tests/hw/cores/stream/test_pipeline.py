"""A pipeline of fixed latency behind a stream."""

import pytest

from rewardware.hw.cores.stream.buffer_config import StreamBufferConfig
from rewardware.hw.cores.stream.pipeline_config import StreamPipelineConfig
from rewardware.sim.cocotb import simulate
from tests.hw.cores.side_by_side import SideBySide
from tests.hw.cores.stream.formal import CreditProperties
from tests.hw.cores.stream.multiplier import StreamMultiplier
from tests.hw.formal import prove

CONFIGS = [
    StreamPipelineConfig(latency=0, buffer_latency=1),
    StreamPipelineConfig(latency=1),
    StreamPipelineConfig(latency=5, buffer_latency=1),
    StreamPipelineConfig(latency=4, depth=3),
    StreamPipelineConfig(latency=2, depth=11),
]


def test_pipelines():
    units = {f"unit_{index}": config for index, config in enumerate(CONFIGS)}
    component = SideBySide({name: StreamMultiplier(config) for name, config in units.items()})
    simulate(component, bench="tests.hw.cores.stream.bench_pipeline", parameters={"units": units}, after_noise=True)


@pytest.mark.parametrize("depth, latency, through", [(2, 1, 1), (3, 3, 1), (3, 2, 2)])
def test_no_value_comes_without_a_place(tmp_path, depth, latency, through):
    text = prove(CreditProperties(StreamBufferConfig(depth=depth, latency=through), latency), tmp_path)
    assert "successful proof by k-induction" in text


def test_the_proof_finds_a_value_without_a_place(tmp_path):
    with pytest.raises(AssertionError, match="Assert failed|FAIL"):
        prove(CreditProperties(StreamBufferConfig(depth=3, latency=1), 2, guarded=False), tmp_path)


@pytest.mark.parametrize(
    "values, message",
    [
        ({"latency": -1}, "Latency must be at least 0, not -1"),
        ({"latency": 2, "depth": 1}, "Depth must be at least 2, not 1"),
        ({"latency": 2, "buffer_latency": 3}, "Buffer latency must be from 1 to 2, not 3"),
    ],
)
def test_configuration_says_what_is_allowed(values, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        StreamPipelineConfig(**values)
