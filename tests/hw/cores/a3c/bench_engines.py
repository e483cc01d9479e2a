"""Many agents at once: they infer, are trained and updated by shared engines, against the reference of all agents.

Parameters: ``config``.
"""

import copy

import cocotb
import numpy as np
from cocotb.triggers import Event, Lock, RisingEdge

from rewardware.hw.cores.a3c.rms_prop_unit import central_regions
from rewardware.hw.cores.optimizer.rms_prop_config import RMS_PROP
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.a3c.agents import A3CRates, AgentsReference
from rewardware.sw.reference.a3c.network import forward_sums
from rewardware.sw.reference.float import host
from rewardware.sw.reference.float.conversion import from_numbers
from tests.hw.cores.layer.stimulus import numbers

from .words import bits_of, numbers_of, pack_parameters, pack_rows, random_parameters, value_of

ROLLOUTS = 4
RATES = A3CRates(
    discount=0.99,
    entropy=0.01,
    value_slope=-2.0,
    decay=0.99,
    one_minus_decay=0.01,
    learning_rate=0.01,
    epsilon=0.01,
)


class Engine:
    """An engine's streams: results come in the order of the jobs."""

    def __init__(self, dut, jobs, results, stall):
        self.jobs, self.results = StreamSource(dut, jobs, stall=stall), StreamSink(dut, results, stall=stall)
        self.waiting = []
        cocotb.start_soon(self._receive())

    async def work(self, job):
        """The result of a job."""
        done = Event()
        answer = [done, None]
        self.waiting.append(answer)
        self.jobs.put(job)
        await done.wait()
        return answer[1]

    async def _receive(self):
        while True:
            result = await self.results.receive()
            answer = self.waiting.pop(0)
            answer[1] = result
            answer[0].set()


class Bench:
    """All agents, their reference, and who may use what."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format = self.config.arithmetic.format
        self.random = rng("agents")
        # Small ones: binary16 ends soon.
        small = [type(layer)(*map(self._quarter, layer)) for layer in random_parameters(self.config, self.random)]
        self.reference = AgentsReference(self.config, small)
        self.locks = {kind: Lock() for kind in ("activations", "errors")}
        for kind in self.locks:
            getattr(dut, f"load_{kind}__enable").value = 0
        for name in ("parameters", "squares"):
            getattr(dut, f"{name}__read__enable").value = getattr(dut, f"{name}__write__enable").value = 0
        rates = (from_numbers(self.format, getattr(RATES, name)).item() for name in RMS_PROP.rates)
        dut.rates.value = sum(bits << self.format.width * place for place, bits in enumerate(rates))

    def _quarter(self, values):
        return host.from_bits(self.format, host.to_bits(self.format, values * np.float32(0.25)))

    def start(self, stall):
        """The engines."""
        config, dut = self.config, self.dut
        self.forward = [
            Engine(dut, f"forward_jobs__{number}", f"results__{number}", stall)
            for number in range(config.forward_engines)
        ]
        self.backward = [
            Engine(dut, f"backward_jobs__{number}", f"backward_done__{number}", stall)
            for number in range(config.backward_engines)
        ]
        self.update = Engine(dut, "gradient_jobs", "done", stall)

    async def load_parameters(self):
        """The central parameters by the host, and with them those of all agents; mean squares of 0."""
        words = pack_parameters(self.config, self.reference.parameters).tolist()
        for name, rows in (("parameters", words), ("squares", np.zeros_like(words).tolist())):
            for address, word in enumerate(rows):
                getattr(self.dut, f"{name}__write__enable").value = 1
                getattr(self.dut, f"{name}__write__address").value = address
                getattr(self.dut, f"{name}__write__data").value = value_of(self.config, word)
                await RisingEdge(self.dut.clk)
            getattr(self.dut, f"{name}__write__enable").value = 0
        for _ in range(central_regions(self.config)[0].settle):
            await RisingEdge(self.dut.clk)

    async def load(self, kind, agent, first, rows):
        """Rows of an agent's memory, by whoever has the port."""
        async with self.locks[kind]:
            port = f"load_{kind}"
            for address, row in enumerate(rows, first):
                getattr(self.dut, f"{port}__enable").value = 1
                getattr(self.dut, f"{port}__agent").value = agent
                getattr(self.dut, f"{port}__address").value = address
                getattr(self.dut, f"{port}__data").value = value_of(self.config, row)
                await RisingEdge(self.dut.clk)
            getattr(self.dut, f"{port}__enable").value = 0

    async def live(self, agent, rollouts):
        """An agent's rollouts, of any length, with and without a state behind them."""
        for _ in range(rollouts):
            steps = 1 + int(self.random.integers(self.config.steps))
            for slot in range(steps + int(self.random.integers(2))):
                await self.infer(agent, slot)
                if slot < steps:
                    reward = np.asarray(numbers(self.random, self.format, 1)[0])
                    self.reference.act(agent, int(self.random.integers(self.config.actions)), reward)
            await self.train(agent, steps)

    async def infer(self, agent, slot):
        """An observation through any forward engine."""
        config = self.config
        observation = self._quarter(numbers(self.random, self.format, config.sizes[0]))
        rows = pack_rows(config, bits_of(config, observation))
        await self.load("activations", agent, slot * config.activation_rows, rows)
        engine = self.forward[self.random.integers(len(self.forward))]
        result = await engine.work({"agent": agent, "slot": slot})
        inference = self.reference.observe(agent, observation)
        last = self.reference.local[agent][-1]
        outputs = forward_sums(self.format, config.layers[-1], last, inference.inputs[-1])
        expected = {"agent": agent, "slot": slot, "outputs": bits_of(config, outputs).tolist()}
        compare(expected, result, f"results of agent {agent}, slot", slot)

    async def train(self, agent, steps):
        """Errors at the outputs, back through any backward engine, and the update."""
        config, layer = self.config, self.config.layers[-1]
        # The loss does not depend on the updates of others, which may come first.
        errors = copy.deepcopy(self.reference).train(agent, RATES).errors
        for step, rows in enumerate(pack_rows(config, bits_of(config, errors))):
            await self.load("errors", agent, step * config.error_rows + layer.output_row, rows)
        job = {"agent": agent, "steps": steps}
        engine = self.backward[self.random.integers(len(self.backward))]
        compare(job, await engine.work(job), "backward_done", agent)
        self.reference.train(agent, RATES)
        compare(agent, await self.update.work(job), "done", agent)

    async def check(self):
        """The central parameters and mean squares, as the host reads them."""
        for name, expected in (("parameters", self.reference.parameters), ("squares", self.reference.squares)):
            for address, word in enumerate(pack_parameters(self.config, expected).tolist()):
                getattr(self.dut, f"{name}__read__enable").value = 1
                getattr(self.dut, f"{name}__read__address").value = address
                for _ in range(3):
                    await RisingEdge(self.dut.clk)
                compare(
                    word, numbers_of(self.config, int(getattr(self.dut, f"{name}__read__data").value)), name, address
                )
            getattr(self.dut, f"{name}__read__enable").value = 0

    async def watch(self):
        """Nothing meets, and nothing is infinite."""
        while True:
            await RisingEdge(self.dut.clk)
            assert not int(self.dut.conflict.value), "Two users mean one port of an agent's memory"
            assert not int(self.dut.nonfinite.value), "A number is infinite or NaN"


@cocotb.test()
async def agents_share_the_engines(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    cocotb.start_soon(bench.watch())
    bench.start(stall=0.2)
    await bench.load_parameters()
    for _ in range(2):
        agents = [cocotb.start_soon(bench.live(agent, ROLLOUTS)) for agent in range(bench.config.agents)]
        for agent in agents:
            await agent
        await bench.check()
