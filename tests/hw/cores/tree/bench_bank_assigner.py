"""Random assignments, releases and clears, against the reference."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.tree.bank_assigner import AssignerCommand, BankAssigner
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.tree.bank_assignment import BankAssignmentReference


def requests(config, count):
    """Commands and stages: everything is given away first, then at random, so that few banks and many are left.

    A clear forgets what was assigned before a reset, as each tree begins with one.
    """
    random = rng("requests")
    yield AssignerCommand.CLEAR, 0
    for stage in random.integers(config.levels, size=config.banks + 2):
        yield AssignerCommand.ASSIGN, int(stage)
    for number in range(count):
        # One part of the run is mostly full, one mostly empty.
        release = 0.1 if number < count // 2 else 0.4
        kinds = random.choice(3, p=[0.98 - release, release, 0.02])
        yield AssignerCommand(int(kinds)), int(random.integers(config.levels))


@cocotb.test()
async def same_blocks_as_the_reference(dut):
    config = parameters()["config"]
    reference = BankAssignmentReference(config)
    source, sink = StreamSource(dut, "requests"), StreamSink(dut, "blocks")
    await clock_and_reset(dut)
    count = 0
    given = []
    for command, stage in requests(config, parameters()["count"]):
        await source.send({"command": command, "stage": stage})
        if command == AssignerCommand.CLEAR:
            reference.clear()
        elif command == AssignerCommand.RELEASE:
            reference.release(stage)
        else:
            node = reference.assign(stage)
            given.append(node is not None)
            block = await sink.receive()
            compare(node is not None, bool(block["given"]), "blocks.given", count)
            if node is not None or config.bank_assignment == "algorithm2":
                compare(node or 0, block["node"], "blocks.node", count)
            count += 1
    assert any(given) and not all(given)


@cocotb.test()
async def takes_the_stated_cycles(dut):
    config = parameters()["config"]
    core = BankAssigner(config)
    source = StreamSource(dut, "requests", stall=0)
    await clock_and_reset(dut)
    for command, cycles in (
        (AssignerCommand.CLEAR, core.scan_cycles),
        (AssignerCommand.ASSIGN, core.latency),
        (AssignerCommand.RELEASE, core.scan_cycles),
    ):
        await source.send({"command": command, "stage": 1})
        # The edge that took the request has passed.
        taken = 1
        await ReadOnly()
        if command == AssignerCommand.ASSIGN:
            while not int(dut.blocks__valid.value):
                await RisingEdge(dut.clk)
                await ReadOnly()
                taken += 1
        else:
            while not int(dut.requests__ready.value):
                await RisingEdge(dut.clk)
                await ReadOnly()
                taken += 1
        assert taken == cycles, f"{command.name} took {taken} cycles, not {cycles}"
        await RisingEdge(dut.clk)
        await RisingEdge(dut.clk)
