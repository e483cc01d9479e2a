"""Writes of the host come to the registers, and answers to the host, every bit of them."""

import numpy as np

from rewardware.hw.soc.bus.axi_lite import AxiLiteSlave
from tests.hw.simulation import run

from .axi_lite_host import access, answer_anyhow

WIDTH = 5
ACCESSES = 150


def test_every_bit_goes_through():
    slave, random, seen = AxiLiteSlave(WIDTH), np.random.default_rng(3), []

    async def host(ctx):
        for number in range(ACCESSES):
            address, expected = await access(ctx, random, slave.control)
            assert seen == [("slave", address // 4, *expected)], number
            seen.clear()

    async def registers(ctx):
        await answer_anyhow(ctx, random, {"slave": slave}, seen)

    run(slave, host, registers)
