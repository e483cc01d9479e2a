"""The stream buffer."""

import pytest

from rewardware.hw.cores.stream.buffer import StreamBuffer
from rewardware.hw.cores.stream.buffer_config import StreamBufferConfig
from rewardware.hw.soc.bus.axi_stream import packet_layout
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize("stall", [0.0, 0.5])
@pytest.mark.parametrize("depth", [3, 11])
def test_buffer(depth, stall):
    buffer = StreamBuffer(packet_layout(20), StreamBufferConfig(depth=depth))
    simulate(
        buffer,
        bench="tests.hw.cores.stream.bench_buffer",
        parameters={"depth": depth, "latency": buffer.latency, "stall": stall},
    )


def test_configuration_says_what_is_allowed():
    with pytest.raises(ValueError, match="Depth must be at least 2, not 1"):
        StreamBufferConfig(depth=1)
    with pytest.raises(TypeError, match="Depth must be an integer, not True"):
        StreamBufferConfig(depth=True)
