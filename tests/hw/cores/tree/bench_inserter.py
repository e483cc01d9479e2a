"""Rows taken at random while blocks are granted at random, against the list of rows that were granted."""

import cocotb
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.tree.inserter import Inserter
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng

from ..side_by_side import Ports

# How often a row is taken that is there, and cycles until a block is granted, at most.
PACES = ((1.0, 1), (1.0, 12), (0.3, 4), (0.7, 40))


class PlainRows:
    """Rows in the order in which they were granted; the k-th node goes to the k-th of them."""

    def __init__(self, config):
        self.config = config
        self.clear()

    def clear(self):
        self.rows, self.taken = [], 0
        # From when on the next row can be taken; whether it is not known yet if there will be another block.
        self.from_cycle, self.awaits = 0, True

    @property
    def left(self):
        """Rows left in the block of the next row."""
        return self.config.block - self.taken % self.config.block

    def outputs(self, cycle):
        is_there = self.taken < len(self.rows)
        available = is_there and cycle >= self.from_cycle
        expected = {"available": available, "waiting": not available and (is_there or self.awaits)}
        if available:
            expected["row"] = self.rows[self.taken]
            expected["is_first"] = not self.taken
            expected["asks"] = self.left - 1 == self.config.grant_threshold
        return expected

    def take(self, cycle):
        self.awaits |= self.left - 1 == self.config.grant_threshold
        self.taken += 1
        # The reserve becomes the current block first.
        self.from_cycle = cycle + (2 if self.taken % self.config.block == 0 else 1)

    def grant(self, cycle, grant):
        self.awaits = False
        if not grant["given"]:
            return
        if not grant["reserve"]:
            self.from_cycle = cycle + 1
        elif self.taken == len(self.rows):
            self.from_cycle = cycle + 2
        place = grant["node"]
        self.rows += [place | {"row": place["row"] + number} for number in range(self.config.block)]


async def follow(dut, name, config):
    """Trees one after another in one inserter; how often each pair of `available` and `waiting` was seen."""
    ports, plain, random = Ports(dut, Inserter(config), name, opened=("rows",)), PlainRows(config), rng(name)
    seen, cycle = {}, 0
    ports.set(clear=1)
    await RisingEdge(dut.clk)
    for tree in range(48):
        chance, delay = PACES[tree % len(PACES)]
        # Some trees get no block at all, after others that ended with one in reserve, or asked for.
        none_left_chance = 0.1 if random.random() < 0.6 else 0.6
        plain.clear()
        until_grant, quiet = int(random.integers(delay)), 0
        # Every third tree ends at any time, the others when nothing is left.
        while quiet < 3 if tree % 3 else quiet < 3 and random.random() < 0.97:
            cycle += 1
            expected = plain.outputs(cycle)
            take = bool(expected["available"] and random.random() < chance)
            grant = {name: int(random.integers(2)) for name in ("reserve", "given")}
            grant |= {"valid": 0, "node": random_block(config, random)}
            if plain.awaits and until_grant == 0:
                none_left = random.random() < none_left_chance
                grant |= {"valid": 1, "reserve": int(len(plain.rows) > 0), "given": int(not none_left)}
            ports.set(clear=0, take=take, grant=grant)
            got = await ports.outputs()
            compare(expected, {port: got[port] for port in expected}, f"{name}, outputs of cycle", cycle)
            await RisingEdge(dut.clk)
            if grant["valid"]:
                plain.grant(cycle, grant)
                until_grant = int(random.integers(delay))
            elif plain.awaits:
                until_grant -= 1
            if take:
                plain.take(cycle)
            pair = expected["available"], expected["waiting"]
            seen[pair] = seen.get(pair, 0) + 1
            quiet = 0 if any(pair) else quiet + 1
        # Noise beside it.
        ports.set(clear=1, take=0, grant={"valid": 0, "reserve": 1, "given": 1, "node": random_block(config, random)})
        await RisingEdge(dut.clk)
        cycle += 1
    return seen


def random_block(config, random):
    """The place of its first row."""
    row = int(random.integers(config.rows // config.block)) * config.block
    return {"bank": int(random.integers(config.banks)), "row": row}


@cocotb.test()
async def gives_the_rows_that_were_granted(dut):
    await clock_and_reset(dut)
    for name, config in parameters()["shapes"].items():
        seen = await follow(dut, name, config)
        assert all(seen.get(pair, 0) > 20 for pair in [(1, 0), (0, 1), (0, 0)]), f"{name}: {seen}"
