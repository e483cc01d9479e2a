"""The gate before a learner's batch."""

import pytest

from rewardware.hw.cores.learner.sample_gate import SampleGate
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize("elements", [1, 3])
def test_sample_gate(elements):
    simulate(
        SampleGate(9, elements),
        bench="tests.hw.cores.learner.bench_sample_gate",
        parameters={"elements": elements},
        after_noise=True,
    )
