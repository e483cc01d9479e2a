"""Registers in the cycle of an access."""

from rewardware.hw.soc.bus.register_bank import RegisterBank
from rewardware.hw.soc.bus.registers import Access, AddressMap, Register
from tests.hw.simulation import run

MAP = AddressMap(
    name="test",
    items=(
        Register(name="wide", access=Access.READ_ONLY, width=40),
        Register(name="other", access=Access.READ_ONLY, width=64),
        Register(name="fixed", access=Access.CONSTANT, width=36, reset=0x9_8765_4321),
        Register(name="flags", access=Access.WRITE_ONE_TO_CLEAR, width=3),
        Register(name="order", access=Access.STROBE, width=7),
    ),
)
OKAY, REFUSED = 0, 2


class Host:
    """One access at a time."""

    def __init__(self, ctx, bank):
        self.ctx, self.control = ctx, bank.control

    async def read(self, address):
        ctx, control = self.ctx, self.control
        ctx.set(control.read_address.payload, address)
        ctx.set(control.read_address.valid, 1)
        ctx.set(control.read_data.ready, 1)
        await ctx.tick()
        ctx.set(control.read_address.valid, 0)
        (answer,) = await ctx.tick().sample(control.read_data.payload).until(control.read_data.valid)
        return answer.data

    async def write(self, address, value):
        ctx, control = self.ctx, self.control
        ctx.set(control.write_address.payload, address)
        ctx.set(control.write_data.payload, {"data": value, "strobe": 15})
        for channel in (control.write_address, control.write_data):
            ctx.set(channel.valid, 1)
        ctx.set(control.write_response.ready, 1)
        await ctx.tick()
        for channel in (control.write_address, control.write_data):
            ctx.set(channel.valid, 0)
        (response,) = await ctx.tick().sample(control.write_response.payload).until(control.write_response.valid)
        return response.value


def run_bank(bench, listener=None):
    bank = RegisterBank(MAP)

    async def whole(ctx):
        await bench(ctx, bank.registers, Host(ctx, bank))

    async def listening(ctx):
        await listener(ctx, bank.registers)

    run(bank, whole, *([listening] if listener else []))


def test_high_words_are_those_of_the_cycle_in_which_the_low_one_was_read():
    async def bench(ctx, registers, host):
        wide, other = MAP["wide"].address, MAP["other"].address
        ctx.set(registers.wide, 0xAB_0000_0001)
        ctx.set(registers.other, 0x1234_5678_0000_0002)
        assert await host.read(wide) == 1
        ctx.set(registers.wide, 0xCD_0000_0003)
        assert await host.read(wide + 4) == 0xAB
        assert await host.read(other) == 2
        assert await host.read(wide + 4) == await host.read(other + 4) == 0x1234_5678
        assert await host.read(wide) == 3
        assert await host.read(wide + 4) == 0xCD
        assert await host.read(MAP["fixed"].address) == 0x8765_4321
        assert await host.read(MAP["fixed"].address + 4) == 9

    run_bank(bench)


def test_setting_wins_over_clearing():
    values = []

    async def bench(ctx, registers, host):
        address = MAP["flags"].address
        ctx.set(registers.flags.set, 0b011)
        await ctx.tick().repeat(2)
        for kept in (0b011, 0b001, 0):
            ctx.set(registers.flags.set, kept)
            values.clear()
            assert await host.write(address, 0b111) == OKAY
            # Not even for a cycle is a bit 0 that is being set.
            assert [value & kept for value in values] == [kept] * len(values) and len(values) >= 3
            assert ctx.get(registers.flags.value) == kept

    async def listen(ctx, registers):
        async for _, _, value in ctx.tick().sample(registers.flags.value):
            values.append(value)

    run_bank(bench, listen)


def test_refused_orders_are_none():
    strobes = []

    async def bench(ctx, registers, host):
        address = MAP["order"].address
        ctx.set(registers.order.refuse, 1)
        assert await host.write(address, 5) == REFUSED
        ctx.set(registers.order.refuse, 0)
        assert await host.write(address, 6) == OKAY
        assert await host.read(address) == 0

    async def listen(ctx, registers):
        async for _, _, strobe, value in ctx.tick().sample(registers.order.strobe, registers.order.value):
            if strobe:
                strobes.append(value)

    run_bank(bench, listen)
    assert strobes == [6]
