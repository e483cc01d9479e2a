"""The simulated host notices a system that breaks a rule of AXI."""

import pytest

from rewardware.hw.soc import devices
from rewardware.sim.harness.axi import AxiRuleError, AxiSimulation
from tests.sim.harness.mistaken_slave import DEVICE, WRITES, Mistake, MistakenSlaveConfig


@pytest.fixture(scope="module", autouse=True)
def registered():
    devices.register_device(DEVICE)
    yield
    # Tests of other modules run in this process too, and know the project's own devices alone.
    del devices._known()[DEVICE.name]


def use(mistake):
    with AxiSimulation(MistakenSlaveConfig(), seed=5, stall=0.6) as simulation:
        simulation.write(0, mistake)
        for address in range(4, 80, 4):
            assert simulation.write(address, address) == 0
            assert simulation.read(address) == (5, 0)
        simulation.run(200)


def test_a_slave_that_keeps_them_passes():
    use(Mistake.NONE)


@pytest.mark.parametrize("writes, channel", [(0, "R"), (WRITES, "B")])
@pytest.mark.parametrize(
    "mistake, words",
    [
        (Mistake.WITHDRAWN, "valid withdrawn before the response was taken"),
        (Mistake.CHANGED, "the response changed while it waited"),
        (Mistake.EARLY, "a response without a whole request"),
        (Mistake.TWICE, "a response without a whole request"),
        (Mistake.NEVER, "no response in 64 cycles"),
        (Mistake.EXCLUSIVE, "response EXOKAY"),
    ],
)
def test_a_wrong_response_is_noticed(mistake, words, writes, channel):
    with pytest.raises(AxiRuleError, match=rf"^The system breaks a rule of AXI: {channel}: {words} \(cycle"):
        use(mistake | writes)


def test_a_wrong_row_is_noticed():
    with pytest.raises(AxiRuleError, match="^The system breaks a rule of AXI: m_axis: the row changed while it waited"):
        use(Mistake.ROW)


def test_a_row_during_a_reset_is_noticed():
    with (
        AxiSimulation(MistakenSlaveConfig(rows_in_reset=True)) as simulation,
        pytest.raises(AxiRuleError, match="^The system breaks a rule of AXI: m_axis: valid while reset"),
    ):
        simulation.run(1)
