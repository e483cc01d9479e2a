"""Units between registers: the same results, later."""

import numpy as np
import pytest

from rewardware.hw.cores.float.adder import FloatAdder
from rewardware.hw.cores.float.config import FloatConfig
from rewardware.hw.soc.export.registered import RegisteredUnit
from rewardware.sim.harness.vectors import evaluate


@pytest.mark.parametrize(("depth", "latency"), [(0, 2), (3, 4)])
def test_results_come_later(depth, latency):
    inputs = {"a": np.arange(100) * 300, "b": np.arange(100) * 77, "subtract": 0}
    config = FloatConfig(depth=depth)
    surrounded = evaluate(RegisteredUnit(FloatAdder(config)), inputs, latency)
    alone = evaluate(FloatAdder(config), inputs)
    assert all((surrounded[name] == alone[name]).all() for name in alone)
