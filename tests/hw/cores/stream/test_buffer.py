"""The stream buffer."""

import pytest

from rewardware.hw.cores.stream.buffer import StreamBuffer
from rewardware.hw.cores.stream.buffer_config import StreamBufferConfig
from rewardware.hw.cores.stream.packet import packet_layout
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize("stall", [0.0, 0.5])
@pytest.mark.parametrize("depth, latency, head_register", [(3, 2, False), (11, 1, False), (2, 1, True), (6, 1, True)])
def test_buffer(depth, latency, head_register, stall):
    buffer = StreamBuffer(
        packet_layout(20), StreamBufferConfig(depth=depth, latency=latency, head_register=head_register)
    )
    assert buffer.latency == latency
    simulate(
        buffer,
        bench="tests.hw.cores.stream.bench_buffer",
        parameters={"depth": depth, "latency": buffer.latency, "stall": stall},
        after_noise=True,
    )


def test_configuration_says_what_is_allowed():
    with pytest.raises(ValueError, match="Depth must be at least 2, not 1"):
        StreamBufferConfig(depth=1)
    with pytest.raises(ValueError, match="Latency must be from 1 to 2, not 0"):
        StreamBufferConfig(depth=2, latency=0)
    with pytest.raises(ValueError, match="A buffer with a head register must have latency 1, not 2"):
        StreamBufferConfig(depth=2, head_register=True)
    with pytest.raises(TypeError, match="Head register must be True or False, not 1"):
        StreamBufferConfig(depth=2, latency=1, head_register=1)
    with pytest.raises(TypeError, match="Depth must be an integer, not True"):
        StreamBufferConfig(depth=True)
