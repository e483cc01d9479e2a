"""Accesses of every kind at random, with stalls on every channel, against a model of the map's rules."""

import numpy as np

from rewardware.hw.soc.bus.axi_lite import Response
from rewardware.hw.soc.bus.register_bank import RegisterBank
from rewardware.hw.soc.bus.registers import Access, AddressMap, Placed, Register, Window
from tests.hw.simulation import run

from .axi_lite_host import exchange

MAP = AddressMap(
    name="test",
    items=(
        Register(name="setting", access=Access.READ_WRITE, width=13, reset=0x1A5A),
        Register(name="limit", access=Access.READ_WRITE, reset=0xDEAD_BEEF),
        Register(name="counter", access=Access.READ_ONLY, width=53),
        Register(name="fixed", access=Access.CONSTANT, width=36, reset=0x9_8765_4321),
        Register(name="level", access=Access.READ_ONLY, width=9),
        Register(name="flags", access=Access.WRITE_ONE_TO_CLEAR, width=11),
        Register(name="order", access=Access.STROBE, width=17),
        Placed(0x80, Window(name="table", size=32)),
    ),
)
ACCESSES = 400
WORD = 0xFFFF_FFFF


class Model:
    """Values that the host reads, and those that the hardware gets of its writes."""

    def __init__(self):
        self.values = {entry.item.name: entry.item.reset for entry in MAP.registers}
        self.kept, self.refuses, self.orders, self.written = 0, False, [], []

    def at(self, address):
        """The item at an address, and the number of its word."""
        for entry in MAP.placed:
            if entry.address <= address < entry.end:
                return entry.item, (address - entry.address) // 4
        return None, 0

    def read(self, address):
        """The word, or None where there is none to be read."""
        item, word = self.at(address)
        if not isinstance(item, Register):
            return None
        if word:
            return self.kept
        value = 0 if item.access is Access.STROBE else self.values[item.name]
        if item.size > 4:
            self.kept = value >> 32
        return value & WORD

    def write(self, address, data, strobe):
        """Whether it is taken."""
        item, word = self.at(address)
        mask = sum(0xFF << 8 * byte for byte in range(4) if strobe >> byte & 1)
        if isinstance(item, Window):
            if strobe == 0b1111:
                self.written.append((word, data))
            return strobe == 0b1111
        access = item and item.access
        mask &= (1 << item.width) - 1 if item else 0
        if access is Access.READ_WRITE:
            self.values[item.name] = self.values[item.name] & ~mask | data & mask
        elif access is Access.WRITE_ONE_TO_CLEAR:
            self.values[item.name] &= ~(data & mask)
        elif access is Access.STROBE and not self.refuses:
            self.orders.append(data & mask)
        else:
            return False
        return True


def test_accesses_at_random():
    bank, model, random = RegisterBank(MAP), Model(), np.random.default_rng(1)
    control, registers, table = bank.control, bank.registers, bank.windows.table
    got_orders, got_written = [], []

    async def change(ctx):
        """Change the values of the hardware before the next access."""
        for name in ("counter", "level"):
            model.values[name] = int(random.integers(1 << MAP[name].item.width))
            ctx.set(getattr(registers, name), model.values[name])
        model.refuses = bool(random.integers(2))
        ctx.set(registers.order.refuse, model.refuses)
        raised = int(random.integers(1 << 11)) if random.random() < 0.3 else 0
        ctx.set(registers.flags.set, raised)
        await ctx.tick()
        ctx.set(registers.flags.set, 0)
        model.values["flags"] |= raised

    async def host(ctx):
        for name in ("setting", "limit"):
            assert ctx.get(getattr(registers, name)) == MAP[name].item.reset
        for number in range(ACCESSES):
            await change(ctx)
            places = [place for entry in MAP.placed for place in range(entry.address, entry.end)]
            address = int(random.choice(places) if random.random() < 0.8 else random.integers(1 << MAP.address_width))
            if random.random() < 0.5:
                answer = await exchange(ctx, random, {control.read_address: address}, control.read_data)
                expected = model.read(address)
                assert (answer.response == Response.OKAY) == (expected is not None), (number, hex(address))
                assert expected in (None, answer.data), (number, hex(address))
            else:
                data, strobe = int(random.integers(1 << 32)), int(random.choice([15, 15, random.integers(16)]))
                requests = {control.write_address: address, control.write_data: {"data": data, "strobe": strobe}}
                answer = await exchange(ctx, random, requests, control.write_response)
                expected = model.write(address, data, strobe)
                assert (answer == Response.OKAY) == expected, (number, hex(address))
            for name in ("setting", "limit", "flags"):
                port = getattr(registers, name)
                value = ctx.get(port.value if name == "flags" else port)
                assert value == model.values[name], (number, name)
            assert (got_orders, got_written) == (model.orders, model.written), number

    async def listen(ctx):
        async for _, _, strobe, value, valid, word, data in ctx.tick().sample(
            registers.order.strobe, registers.order.value, table.valid, table.address, table.data
        ):
            if strobe:
                got_orders.append(value)
            if valid:
                got_written.append((word, data))

    run(bank, host, listen)
    assert len(model.orders) > 5 and len(model.written) > 5
