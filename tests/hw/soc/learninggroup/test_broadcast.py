"""Commands for several cores, against cores that take their time."""

import pytest
from amaranth.lib import data

from rewardware.hw.soc.learninggroup.broadcast import CommandBroadcast
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize("together", [True, False], ids=["in step", "own pace"])
@pytest.mark.parametrize("cores", [1, 3])
def test_every_core_gets_every_command(cores, together):
    layout = data.StructLayout({"number": 9})
    bench = "tests.hw.soc.learninggroup.bench_broadcast"
    component = CommandBroadcast(layout, cores, together=together)
    simulate(component, bench=bench, parameters={"cores": cores, "together": together}, after_noise=True)
