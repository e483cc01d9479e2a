"""Random accesses of all users to the memories of all agents, against dictionaries.

Parameters: ``config``.
"""

import cocotb
import numpy as np
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.a3c.config import READ_LATENCY
from rewardware.sim.cocotb import clock_and_reset, compare, parameters, rng

CYCLES = 600


class Users:
    """The ports of one kind of memory, and what it holds."""

    def __init__(self, dut, kind, banks, random):
        self.kind, self.banks, self.random = kind, banks, random
        self.reads = [Port(dut, f"{kind}_reads__{number}") for number in range(banks.readers)]
        self.writes = [Port(dut, f"{kind}_writes__{number}") for number in range(banks.writers)]
        self.width = len(getattr(dut, f"{kind}_writes__0__data"))
        self.rows = {}
        # Each reader's data in the cycles to come, and its data now.
        self.coming = [[] for _ in self.reads]
        self.data = [None for _ in self.reads]

    def choose(self, share):
        """Accesses of a cycle: no two to one port of an agent, none to a row that is written."""
        written, writers, readers = set(), set(), set()
        for port in self.writes:
            agent, address = self._place()
            broadcast = self.banks.broadcast and self.random.random() < 0.2
            targets = set(range(self.banks.agents)) if broadcast else {agent}
            chosen = self.random.random() < share and not targets & writers
            value = int.from_bytes(self.random.bytes(self.width // 8 + 1)) & (1 << self.width) - 1
            port.drive(chosen, agent, address, data=value, **({"broadcast": broadcast} if self.banks.broadcast else {}))
            if chosen:
                writers |= targets
                written |= {(target, address) for target in targets}
                # Reads of this cycle are of other rows.
                self.rows |= {(target, address): value for target in targets}
        for number, port in enumerate(self.reads):
            place = self._place()
            chosen = self.random.random() < share and place[0] not in readers
            chosen &= place not in written and place in self.rows
            port.drive(chosen, *place)
            self.coming[number].append(self.rows[place] if chosen else None)
            readers |= {place[0]} if chosen else set()

    def check(self, cycle):
        """Data of the reads of some cycles ago, or of those before that stay."""
        for number, (port, coming) in enumerate(zip(self.reads, self.coming, strict=True)):
            if len(coming) > READ_LATENCY:
                new = coming.pop(0)
                self.data[number] = self.data[number] if new is None else new
            if self.data[number] is not None:
                compare(self.data[number], port.data, f"{self.kind}_reads[{number}]", cycle)

    def _place(self):
        """A few rows of all agents, the last one among them."""
        address = int(self.random.choice([*range(min(4, self.banks.depth)), self.banks.depth - 1]))
        return int(self.random.integers(self.banks.agents)), address


class Port:
    """A port of the crossbar."""

    def __init__(self, dut, name):
        self.dut, self.name = dut, name

    def drive(self, enable, agent, address, **others):
        for name, value in {"enable": enable, "agent": agent, "address": address, **others}.items():
            # The only agent has no number.
            if (port := getattr(self.dut, f"{self.name}__{name}", None)) is not None:
                port.value = int(value)

    @property
    def data(self):
        return int(getattr(self.dut, f"{self.name}__data").value)


@cocotb.test()
async def every_user_has_its_agent(dut):
    random, kinds = rng("accesses"), parameters()["config"].banks
    users = [Users(dut, kind, banks, random) for kind, banks in kinds.items()]
    for user in users:
        user.choose(0)
        user.coming = [[] for _ in user.reads]
    await clock_and_reset(dut)
    for cycle in range(CYCLES):
        for user in users:
            user.choose((0.1, 0.5, 1.0)[cycle * 3 // CYCLES])
        await ReadOnly()
        assert not int(dut.conflict.value), f"Conflict in cycle {cycle}, where each port has one user"
        if cycle:
            for user in users:
                user.check(cycle)
        await RisingEdge(dut.clk)


@cocotb.test()
async def two_users_of_a_port_are_a_conflict(dut):
    kinds = parameters()["config"].banks
    ports = {
        name: Port(dut, name)
        for kind, banks in kinds.items()
        for name in (
            *(f"{kind}_reads__{number}" for number in range(banks.readers)),
            *(f"{kind}_writes__{number}" for number in range(banks.writers)),
        )
    }
    for port in ports.values():
        port.drive(0, 0, 0, data=0)
    await clock_and_reset(dut)
    names = list(ports)
    for first in names:
        for second in names:
            for agents in np.ndindex(*[min(2, next(iter(kinds.values())).agents)] * 2):
                for port in ports.values():
                    port.drive(0, 0, 0)
                ports[first].drive(1, agents[0], 1)
                ports[second].drive(1, agents[1], 1)
                await RisingEdge(dut.clk)
                await ReadOnly()
                same = first != second and first.rpartition("__")[0] == second.rpartition("__")[0]
                compare(int(same and agents[0] == agents[1]), int(dut.conflict.value), f"{first}, {second}", 0)
                await RisingEdge(dut.clk)
