"""The AXI4-Lite slave keeps the protocol, whatever the master does: proved, not sampled."""

import pytest
from amaranth.hdl import Module

from rewardware.hw.soc.bus.axi_lite import AxiLiteSlave
from tests.hw.formal import prove
from tests.hw.soc.bus.formal import AxiLiteProperties


@pytest.mark.parametrize("address_width", [5, 16])
def test_slave_keeps_the_protocol(tmp_path, address_width):
    text = prove(AxiLiteProperties(AxiLiteSlave(address_width)), tmp_path)
    assert "successful proof by k-induction" in text


class ForgetfulSlave(AxiLiteSlave):
    """Takes its answer back after a cycle."""

    def elaborate(self, platform):
        m = Module()
        m.submodules.slave = slave = AxiLiteSlave(self.address_width)
        for ours, theirs in zip(self.signature.flatten(self), self.signature.flatten(slave), strict=True):
            path, member, value = ours
            inner = theirs[2]
            if path == ("control", "write_response", "ready"):
                m.d.comb += inner.eq(1)
            else:
                m.d.comb += inner.eq(value) if "In" in repr(member.flow) else value.eq(inner)
        return m


def test_proof_finds_a_slave_that_takes_its_answer_back(tmp_path):
    with pytest.raises(AssertionError, match="Assert failed|FAIL"):
        prove(AxiLiteProperties(ForgetfulSlave(5)), tmp_path)
