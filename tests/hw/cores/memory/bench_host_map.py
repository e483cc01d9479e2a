"""Random accesses to mapped memories, of which each is busy now and then."""

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.memory.host_map import HostMapReference

ACCESSES = 900


def random_access(config, random):
    """An access to any region, core and row, now and then to one that is not there."""
    region = config.regions[random.integers(len(config.regions))]
    missing = random.random() < 0.05
    cores = [*range(region.cores), config.every_core]
    row = min(int(random.integers(region.rows + (3 if missing else 0))), config.rows - 1)
    return {
        "memory": (region.number ^ 1 if missing and random.random() < 0.5 else region.number)
        % (1 << config.number_width),
        "core": int(random.choice(cores)),
        "row": row,
        "index": row % config.modulus,
        "write": int(random.random() < 0.5),
        "data": int.from_bytes(random.bytes(config.width // 8 + 1)) & (1 << config.width) - 1,
    }


@cocotb.test()
async def answers_as_the_reference(dut):
    """Every read that has an answer gets the reference's, in order, whatever waits."""
    given = parameters()
    config, stall = given["config"], given["stall"]
    random, reference = rng("accesses"), HostMapReference(config)
    source = StreamSource(dut, "accesses", stall=stall)
    dut.busy.value = 0
    await clock_and_reset(dut)
    expected = []
    for _ in range(ACCESSES):
        access = random_access(config, random)
        source.put(access)
        if access["write"]:
            reference.write(access["memory"], access["core"], access["row"], access["data"])
        else:
            expected.append((access, reference.read(access["memory"], access["core"], access["row"])))
    checked = answered = 0
    for _ in range(20 * ACCESSES):
        if answered == len(expected):
            break
        dut.busy.value = sum(int(random.random() < stall) << memory for memory in range(len(dut.busy)))
        await FallingEdge(dut.clk)
        if int(dut.answers.value) & 1:
            bits = int(dut.answers.value) >> 1
            access, found = expected[answered]
            if found is not None:
                got = (bits & (1 << config.width) - 1, bits >> config.width)
                compare(found, got, f"answer to {access}", answered)
                checked += 1
            answered += 1
        await RisingEdge(dut.clk)
    assert answered == len(expected), f"{answered} of {len(expected)} reads were answered"
    assert checked > ACCESSES // 4


@cocotb.test()
async def answers_after_its_latency(dut):
    """A read that nothing keeps is answered after the latency, and one a cycle follows."""
    given = parameters()
    config = given["config"]
    source = StreamSource(dut, "accesses", stall=0.0)
    dut.busy.value = 0
    await clock_and_reset(dut)
    region = config.regions[-1]
    for row in range(region.rows):
        source.put({"memory": region.number, "core": 0, "row": row, "index": 0, "write": 0, "data": 0})
    begun, answers = None, []
    for cycle in range(region.rows + config.latency + 10):
        await FallingEdge(dut.clk)
        if begun is None and dut.accesses__valid.value == 1:
            begun = cycle
        if int(dut.answers.value) & 1:
            answers.append(cycle)
        await RisingEdge(dut.clk)
    assert answers == [begun + given["latency"] + row for row in range(region.rows)]


def nowhere(config):
    """Memory, core and row of accesses that reach no memory."""
    regions = {region.number: region for region in config.regions}
    for number in range(1 << config.number_width):
        if number not in regions:
            yield number, 0, 0
            continue
        region = regions[number]
        yield from ((number, 0, row) for row in range(region.rows, config.rows))
        # Where there is one memory, the core's number means nothing.
        if region.cores > 1:
            yield from ((number, core, 0) for core in range(region.cores, config.every_core))


@cocotb.test()
async def what_reaches_no_memory_waits_for_none(dut):
    """All memories are busy all the time; every read is answered all the same."""
    config = parameters()["config"]
    source = StreamSource(dut, "accesses", stall=0.0)
    dut.busy.value = (1 << len(dut.busy)) - 1
    await clock_and_reset(dut)
    places = list(nowhere(config))
    assert places
    for number, core, row in places:
        access = {"memory": number, "core": core, "row": row, "index": row % config.modulus, "data": 0}
        source.put(access | {"write": 0})
        source.put(access | {"write": 1})
    answered = 0
    for _ in range(2 * len(places) + config.latency + 10):
        await FallingEdge(dut.clk)
        answered += int(dut.answers.value) & 1
        await RisingEdge(dut.clk)
    compare(len(places), answered, "answers", 0)
