import cocotb
from cocotb.triggers import Timer

from rewardware.sim.cocotb import clock_and_reset, parameters


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


@cocotb.test()
async def fails_the_first_time(dut):
    await clock_and_reset(dut)
    ran = parameters()["ran"]
    before = ran.exists()
    ran.touch()
    assert before
