"""Parts that benches of engines with memories share."""

from abc import ABC, abstractmethod

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from rewardware.hw.cores.a3c.config import READ_LATENCY
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, parameters, rng

from .words import numbers_of, pack_parameters, random_parameters, value_of, with_corners

KINDS = ("parameters", "activations", "signs", "errors")


class AgentsBench(ABC):
    """An engine that takes jobs, the memories of all agents behind the bench's ports, and random networks.

    A bench of an engine says what its jobs are and what has to come of them: ``draw``, ``put`` and ``check``.

    Parameters
    ----------
    dut : handle
    output : str
        The engine's stream that ends or answers jobs.
    stall : float
        Stall rate of both streams.
    """

    def __init__(self, dut, output, stall=0.0):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.arithmetic.format
        self.random = rng("numbers")
        self.jobs, self.output = StreamSource(dut, "jobs", stall=stall), StreamSink(dut, output, stall=stall)
        for kind in KINDS:
            getattr(dut, f"load_{kind}__enable").value = 0
            getattr(dut, f"read_{kind}__enable").value = 0
        dut.load_parameters__broadcast.value = 0
        # Words that the engine has read, by its ports.
        self.reads = {kind: 0 for kind in KINDS if hasattr(dut, f"reads_{kind}")}

    @abstractmethod
    def draw(self):
        """Random jobs of all agents."""

    @abstractmethod
    async def put(self, jobs, share=0.0):
        """Fills the memories for jobs, a share of it with corner values, and queues them; returns what has to come."""

    @abstractmethod
    async def check(self, expected):
        """Waits until the jobs have ended, and compares."""

    async def begin(self):
        """A reset, and networks without corner values; two users of a port of a memory fail the bench from now on."""
        await clock_and_reset(self.dut)
        cocotb.start_soon(self._watch())
        await self.prepare()

    async def _watch(self):
        while True:
            await RisingEdge(self.dut.clk)
            for kind in self.reads:
                self.reads[kind] += int(getattr(self.dut, f"reads_{kind}").value)
            assert not int(self.dut.conflict.value), "Two users mean one port of an agent's memory"

    async def prepare(self, share=0.0):
        """Another network for each agent, a share of whose parameters are corner values."""
        self.networks = []
        for agent in range(self.config.agents):
            network = [
                type(layer)(*(with_corners(self.config, self.random, values, share) for values in layer))
                for layer in random_parameters(self.config, self.random)
            ]
            self.networks.append(network)
            await self.load_parameters(agent, network)

    async def check_with_stalls(self, *stalls):
        """Random jobs with more and more corner values, for each pair of stalls of jobs and output."""
        for share in (0.0, 0.01, 0.1):
            await self.prepare(share)
            for self.jobs.stall, self.output.stall in stalls:
                await self.check(await self.put(self.draw(), share))

    async def pass_cycles(self, count):
        """Some cycles."""
        for _ in range(count):
            await RisingEdge(self.dut.clk)

    async def load(self, kind, agent, first, rows):
        """Write rows from one on: words of numbers, or for signs bits."""
        for address, row in enumerate(rows, first):
            self._set(f"load_{kind}", agent, address)
            bits = int(row) if kind == "signs" else value_of(self.config, row)
            getattr(self.dut, f"load_{kind}__data").value = bits
            await RisingEdge(self.dut.clk)
        getattr(self.dut, f"load_{kind}__enable").value = 0

    async def load_parameters(self, agent, values):
        """Write a whole network."""
        await self.load("parameters", agent, 0, pack_parameters(self.config, values))

    async def read(self, kind, agent, first, count):
        """Read rows."""
        rows = []
        for address in range(first, first + count):
            self._set(f"read_{kind}", agent, address)
            for _ in range(READ_LATENCY):
                await RisingEdge(self.dut.clk)
                getattr(self.dut, f"read_{kind}__enable").value = 0
            await ReadOnly()
            bits = int(getattr(self.dut, f"read_{kind}__data").value)
            rows.append(bits if kind == "signs" else numbers_of(self.config, bits))
            await RisingEdge(self.dut.clk)
        return rows

    def _set(self, port, agent, address):
        getattr(self.dut, f"{port}__enable").value = 1
        getattr(self.dut, f"{port}__agent").value = agent
        getattr(self.dut, f"{port}__address").value = address
