"""The interconnect keeps its promises, whatever stages and banks do: proved, not sampled."""

import pytest

from rewardware.hw.cores.tree.interconnect import StageBankInterconnect
from rewardware.hw.cores.tree.interconnect_config import InterconnectConfig
from tests.hw.cores.tree.formal import FairnessProperties, RoutingProperties
from tests.hw.formal import prove


@pytest.mark.parametrize("count", [2, 3, 4, 7])
def test_nobody_is_passed_over(tmp_path, count):
    assert "successful proof by k-induction" in prove(FairnessProperties(count), tmp_path, depth=2)


@pytest.mark.parametrize("way", ["requests", "responses"])
@pytest.mark.parametrize(
    ("stages", "banks", "interconnect", "concentration"),
    [
        (2, 4, "butterfly", 1),
        (3, 5, "butterfly", 1),
        (3, 5, "butterfly", 2),
        (4, 8, "butterfly", 1),
        (4, 7, "butterfly4", 1),
        (5, 12, "butterfly4", 1),
        (5, 12, "butterfly4", 2),
        (5, 7, "butterfly", 4),
        (3, 5, "crossbar", 1),
    ],
)
def test_nothing_is_lost_duplicated_misrouted_or_overtaken(tmp_path, stages, banks, interconnect, concentration, way):
    config = InterconnectConfig(stages=stages, banks=banks, interconnect=interconnect, concentration=concentration)
    assert "successful proof by k-induction" in prove(RoutingProperties(config, way), tmp_path, depth=1)


class MisroutingInterconnect(StageBankInterconnect):
    """Has the banks of a row the wrong way round."""

    def _banks(self, port):
        return super()._banks(port)[::-1]


class LosingInterconnect(StageBankInterconnect):
    """Does not wait for its banks."""

    def _distribute(self, m, row, banks):
        super()._distribute(m, row, banks)
        m.d.comb += row.ready.eq(1)


@pytest.mark.parametrize("network", [MisroutingInterconnect, LosingInterconnect])
def test_proof_finds_a_network_that_breaks_them(tmp_path, network):
    config = InterconnectConfig(stages=2, banks=4)
    with pytest.raises(AssertionError, match="Assert failed|FAIL"):
        prove(RoutingProperties(config, "requests", network), tmp_path, depth=4)
