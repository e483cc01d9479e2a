"""Writes of the host come to the registers, and answers to the host, every bit of them."""

import numpy as np

from rewardware.hw.soc.bus.axi_lite import AxiLiteSlave, Response
from tests.hw.simulation import run

from .axi_lite_host import exchange, random_payload

WIDTH = 5
ACCESSES = 150


def test_every_bit_goes_through():
    slave, random = AxiLiteSlave(WIDTH), np.random.default_rng(3)
    control, write, read = slave.control, slave.write, slave.read
    written, asked = [], []

    async def answer(ctx):
        """Other answers in every cycle, of which those with an access count."""
        while True:
            okay, read_okay, word = int(random.integers(2)), int(random.integers(2)), int(random.integers(1 << 32))
            for port, value in ((write.okay, okay), (read.okay, read_okay), (read.data, word)):
                ctx.set(port, value)
            _, _, writes, *given, reads, place = await ctx.tick().sample(
                write.enable, write.address, write.data, write.strobe, read.enable, read.address
            )
            if writes:
                written.append((*given, okay))
            if reads:
                asked.append((place, word, read_okay))

    async def host(ctx):
        for number in range(ACCESSES):
            address = random_payload(random, control.read_address)
            if random.random() < 0.5:
                got = await exchange(ctx, random, {control.read_address: address}, control.read_data)
                ((place, word, okay),) = asked
                assert (place, word, okay) == (address // 4, got.data, got.response == Response.OKAY), number
                assert not written, number
            else:
                payload = random_payload(random, control.write_data)
                requests = {control.write_address: address, control.write_data: payload}
                got = await exchange(ctx, random, requests, control.write_response)
                expected = address // 4, payload["data"], payload["strobe"], got == Response.OKAY
                assert written == [expected] and not asked, number
            written.clear()
            asked.clear()

    run(slave, host, answer)
