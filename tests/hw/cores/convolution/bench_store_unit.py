"""A store unit writes to a feature map.

Parameters: ``config``; ``stores``, each with rows of sums and parameters, a command, and what it writes in how many
cycles.
"""

import random
from itertools import product

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSource, clock_and_reset, parameters

LIMIT = 5000


def packed(words, width):
    """The bits of an array's words."""
    return sum(int(word) % (1 << width) << width * index for index, word in enumerate(words))


async def _write_memories(dut, config, store):
    drains, width = config.gemm.array.drains, config.gemm.array.sum_width
    lanes, where = config.lanes, store["where"]
    for number, row in enumerate(store["sums"], where["sum_row"]):
        port = f"sums__{number % drains}"
        getattr(dut, f"{port}__enable").value = (1 << lanes) - 1
        getattr(dut, f"{port}__address").value = number // drains
        getattr(dut, f"{port}__data").value = packed(row, width)
        await RisingEdge(dut.clk)
        getattr(dut, f"{port}__enable").value = 0
    biases, multipliers = store["parameters"].reshape(2, -1, lanes)
    for number, (bias, multiplier) in enumerate(zip(biases, multipliers, strict=True), where["parameter_row"]):
        dut.parameters__enable.value, dut.parameters__address.value = 1, number
        dut.parameters__data.value = packed(bias, width) | packed(multiplier, 16) << width * lanes
        await RisingEdge(dut.clk)
    dut.parameters__enable.value = 0
    await RisingEdge(dut.clk)


async def written(dut, features, rng=None, commands=1):
    """Elements by place until all commands are complete, how many saturated, and the cycles from the first command.

    With ``rng`` the feature map takes words now and then only.
    """
    banks, width = features.lanes, features.width
    places, saturated, begins_in = {}, 0, None
    for cycle in range(LIMIT):
        granted = rng is None or rng.random() < 0.5
        dut.granted.value = granted
        await ReadOnly()
        if begins_in is None and int(dut.commands__valid.value) and int(dut.commands__ready.value):
            begins_in = cycle
        enable = int(dut.features__enable.value) if granted else 0
        begins = int(dut.features__row.value) * banks + int(dut.features__lane.value)
        bits = int(dut.features__data.value)
        for lane in range(banks):
            if enable >> lane & 1:
                word = bits >> width * lane & (1 << width) - 1
                assert begins + lane not in places, f"place {begins + lane} twice"
                places[begins + lane] = word - (word >> width - 1 << width)
        saturated += int(dut.saturated.value).bit_count()
        commands -= int(dut.completions__valid.value)
        await RisingEdge(dut.clk)
        if not commands:
            return places, saturated, cycle - begins_in
    raise AssertionError(f"No completion within {LIMIT} cycles")


@cocotb.test()
async def words(dut):
    run = parameters()
    commands = StreamSource(dut, "commands")
    await clock_and_reset(dut)
    for (number, store), rng in product(enumerate(run["stores"]), (None, random.Random(1))):
        await _write_memories(dut, run["config"], store)
        commands.put(store["command"])
        places, saturated, cycles = await written(dut, run["config"].features, rng)
        wrong = {place for place in store["places"].keys() | places if store["places"].get(place) != places.get(place)}
        assert not wrong, (
            f"store {number}: {len(wrong)} of {len(store['places'])} places differ, as {sorted(wrong)[:5]}"
        )
        assert rng or cycles == store["cycles"], f"store {number}: {cycles} cycles, not {store['cycles']}"
        assert saturated == store["saturated"], f"store {number}: {saturated} saturated, not {store['saturated']}"
        await ReadOnly()
        assert not int(dut.busy.value)
        await RisingEdge(dut.clk)
