"""Blocks announced, filled and drained at any pace, against a plain queue."""

import dataclasses
from collections import deque
from functools import reduce
from operator import or_

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.array.block_queue import BlockQueue
from rewardware.hw.cores.array.config import Operation
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng

from ..side_by_side import Ports

# How often a block is announced, filled, and drained in a row's cycle.
PHASES = ((1.0, 1.0, 1.0), (0.5, 0.5, 0.5), (1.0, 1.0, 0.1), (0.1, 0.3, 1.0), (1.0, 0.2, 1.0))
CYCLES = 400
# Cycles from one beginning to the next, in which the first row is worked out.
SPACING = 4
# Operations whose auxiliary words are in the memories of activations, and of errors.
READ_ACTIVATIONS = {Operation.RELU_GRADIENT, Operation.TANH_GRADIENT}
READ_ERRORS = {Operation.MULTIPLY_ADD, Operation.DIFFERENCE, Operation.TANH_NOISE}


@dataclasses.dataclass
class Block:
    number: int
    fields: dict
    complete: int | None = None

    @property
    def reads(self):
        """The memories that its drain reads, activations and errors."""
        operation = self.fields["command"]["operation"]
        return (operation in READ_ACTIVATIONS) | (operation in READ_ERRORS) << 1


@cocotb.test()
async def blocks_begin_when_they_are_complete_and_prepared(dut):
    config, latency = parameters()["config"], parameters()["latency"]
    random, ports = rng(), Ports(dut, BlockQueue(config, fill_latency=latency))
    await clock_and_reset(dut)
    announced, active, began, begins, shown = deque(), None, -SPACING, [], deque(maxlen=SPACING)
    number = 0
    for cycle in range(CYCLES * len(PHASES)):
        announces, fills, ends = random.random(3) < PHASES[cycle // CYCLES]
        announces &= len(announced) + (active is not None) < 2
        filling = next((block for block in announced if block.complete is None), None) if fills else None
        ended = bool(ends and active is not None)
        # A block that is not announced is noise.
        codec = ports.codecs["block"]
        bits = int.from_bytes(random.bytes(codec.width // 8 + 1)) % (1 << codec.width)
        block = codec.unpack(bits) | ({"buffer": number % 2} if announces else {})
        ports.set(announced=int(announces), block=block, filled=int(filling is not None), ended=int(ended))
        got = await ports.outputs()
        begin = bool(
            announced
            and announced[0].complete is not None
            and announced[0].complete <= cycle
            and cycle - began >= SPACING
            and (active is None or ended)
        )
        compare(int(begin), got["begin"], "begin", cycle)
        compare(int(active is not None), got["active"], "active", cycle)
        if active is not None:
            compare(active.number % 2, got["buffer"], "buffer", cycle)
        here = [*announced, *([] if active is None else [active])]
        busy, reads = sum(1 << one.number % 2 for one in here), [one.reads for one in here]
        compare(busy, got["buffer_busy"], "buffer_busy", cycle)
        compare(reduce(or_, reads, 0), got["auxiliary_busy"], "auxiliary_busy", cycle)
        compare(int(bool(here) or announces), got["waiting"], "waiting", cycle)
        shown.append(got["upcoming"])
        if begin:
            compare([announced[0].fields] * SPACING, list(shown), "upcoming", cycle)
        if ended:
            active = None
        if begin:
            active = announced.popleft()
            begins.append(cycle - began)
            began = cycle
        if filling is not None:
            filling.complete = cycle + latency + 1
        if announces:
            announced.append(Block(number, block))
            number = (number + 1) % 64
        await RisingEdge(dut.clk)
    assert min(begins) == SPACING and len(begins) > 100, begins
