"""Latencies that components state, held."""

import pytest

from rewardware.hw.soc.bus.axi_lite import AxiLiteSlave
from rewardware.hw.soc.bus.data_mover_config import DataMoverConfig
from rewardware.hw.soc.bus.data_movers import DataMovers
from rewardware.hw.soc.bus.register_bank import RegisterBank
from rewardware.hw.soc.shell.shell import Shell
from tests.hw.simulation import run
from tests.hw.soc.shell.row_memory import RowMemoryConfig

CONFIG = RowMemoryConfig(lanes=5)


async def cycles_until(ctx, signal):
    """Cycles from a transfer at the next edge until ``signal`` is 1."""
    for cycle in range(20):
        await ctx.tick()
        if ctx.get(signal):
            return cycle
    raise AssertionError("never")


@pytest.mark.parametrize(
    "make",
    [
        lambda: AxiLiteSlave(9),
        lambda: RegisterBank(CONFIG.shell.address_map),
        lambda: DataMovers(DataMoverConfig.of_rows(CONFIG.shell.stream_width)),
    ],
)
def test_answers_of_a_bus_slave(make):
    slave = make()
    control = slave.control

    async def bench(ctx):
        ctx.set(control.read_address.valid, 1)
        assert await cycles_until(ctx, control.read_data.valid) + 1 == slave.latency
        ctx.set(control.read_address.valid, 0)
        ctx.set(control.read_data.ready, 1)
        ctx.set(control.write_address.valid, 1)
        await ctx.tick().repeat(4)
        assert not ctx.get(control.write_response.valid)
        ctx.set(control.write_address.valid, 0)
        ctx.set(control.write_data.valid, 1)
        assert await cycles_until(ctx, control.write_response.valid) + 1 == slave.latency

    run(slave, bench)


def test_streams_through_the_shell():
    shell = Shell(CONFIG.shell)

    async def bench(ctx):
        for entry, leaving in ((shell.stream_in, shell.rows_in), (shell.rows_out, shell.stream_out)):
            ctx.set(entry.valid, 1)
            assert await cycles_until(ctx, leaving.valid) + 1 == shell.latency

    run(shell, bench)
