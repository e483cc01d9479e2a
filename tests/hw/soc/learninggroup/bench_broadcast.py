"""Cores that take commands and complete them when they like, each at its own pace."""

from collections import deque

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.sim.cocotb import StreamSource, clock_and_reset, compare, parameters, rng

LIMIT_CYCLES = 5000


@cocotb.test()
async def every_core_gets_every_command(dut):
    cores, together, random = parameters()["cores"], parameters()["together"], rng("cores")
    dut.core_done.value = dut.core_busy.value = 0
    for core in range(cores):
        getattr(dut, f"core_commands__{core}__ready").value = 0
    source = StreamSource(dut, "commands")
    await clock_and_reset(dut)
    sent = [(int(random.integers(0, 1 << 9)), int(random.integers(0, 1 << cores))) for _ in range(60)]
    for command, meant in sent:
        source.put({"command": {"number": command}, "cores": meant})
    open_commands = [deque() for _ in range(cores)]
    given, done = [0] * cores, [0] * cores
    completed = apart = 0
    for _ in range(LIMIT_CYCLES):
        ready = [int(random.random() < 0.7) for _ in range(cores)]
        ends = [int(bool(own) and random.random() < 0.3) for own in open_commands]
        for core, value in enumerate(ready):
            getattr(dut, f"core_commands__{core}__ready").value = value
        dut.core_busy.value = sum(bool(own) << core for core, own in enumerate(open_commands))
        dut.core_done.value = sum(end << core for core, end in enumerate(ends))
        await ReadOnly()
        valid = [int(getattr(dut, f"core_commands__{core}__valid").value) for core in range(cores)]
        assert not together or len(set(valid)) == 1, "cores out of step"
        for core in range(cores):
            if valid[core]:
                assert ready[core]
                number, meant = sent[given[core]]
                compare(number, int(getattr(dut, f"core_commands__{core}__payload").value), "command", given[core])
                compare(meant >> core & 1, int(dut.meant.value) >> core & 1, "core meant", given[core])
                given[core] += 1
        apart = max(apart, max(given) - min(given))
        completed += int(dut.done.value)
        assert completed <= min(done)
        if completed < max(given):
            assert dut.busy.value == 1
        for core, end in enumerate(ends):
            if end:
                open_commands[core].popleft()
                done[core] += 1
            if valid[core]:
                open_commands[core].append(given[core])
        if completed == len(sent):
            break
        await RisingEdge(dut.clk)
    assert given == [len(sent)] * cores and completed == len(sent)
    assert (apart > 1) == (cores > 1 and not together), "the pace of a core"
