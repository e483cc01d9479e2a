import cocotb
from cocotb.triggers import Timer

from rewardware.sim.cocotb import clock_and_reset


@cocotb.test()
async def doubles(dut):
    await clock_and_reset(dut)
    for value in range(128):
        dut.value.value = value
        await Timer(1, "ns")
        assert int(dut.double.value) == 2 * value


@cocotb.test()
async def triples(dut):
    """Fails: the component does something else."""
    await clock_and_reset(dut)
    dut.value.value = 5
    await Timer(1, "ns")
    assert int(dut.double.value) == 3 * 5
