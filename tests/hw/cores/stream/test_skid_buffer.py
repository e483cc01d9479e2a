"""The register that ends the path of ready."""

import pytest

from rewardware.hw.cores.stream.skid_buffer import SkidBuffer
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize("stall", [0.0, 0.5])
def test_skid_buffer(stall):
    simulate(
        SkidBuffer(21), bench="tests.hw.cores.stream.bench_skid_buffer", parameters={"stall": stall}, after_noise=True
    )
