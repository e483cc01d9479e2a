"""Gradient steps of a whole learner, against the reference, and the cycles that they take."""

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.layer.config import LearnerCommand
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float import host
from rewardware.sw.reference.float.conversion import from_numbers
from rewardware.sw.reference.layer.dqn_learner import DQNLearnerReference
from rewardware.sw.reference.optimizer.float_adam import AdamRates
from tests.sw.reference.layer.stimulus import random_batch, random_weights

SOURCES = ("commands", "observations", "next_observations", "transitions", "numbers_in")
SINKS = ("completions", "priorities", "numbers_out")


class Bench:
    """A learner and its reference, which begin with the same weights."""

    def __init__(self, dut):
        self.dut, self.config = dut, parameters()["config"]
        self.format, self.sizes = self.config.network.arithmetic.format, self.config.network.sizes
        self.sources = {name: StreamSource(dut, name) for name in SOURCES}
        self.sinks = {name: StreamSink(dut, name) for name in SINKS}
        self.random, self.steps = rng("numbers"), 0
        self.reference = DQNLearnerReference(self.config, random_weights(self.random, self.sizes))
        self.reference.target = DQNLearnerReference(self.config, random_weights(self.random, self.sizes)).weights

    async def prepare(self, stall):
        """Reset, and weights to both networks."""
        self.stall(stall)
        self.dut.batch.value = 1
        await clock_and_reset(self.dut)
        for array, matrices in (("weights", self.reference.weights), ("target", self.reference.target)):
            await self.load(array, [host.to_bits(self.format, matrix) for matrix in matrices])
        for array in self.config.updates[0].numbers.state:
            await self.load(array, self.reference.online.first)

    def stall(self, probability):
        """Of all streams."""
        for part in (*self.sources.values(), *self.sinks.values()):
            part.stall = probability

    async def command(self, kind, array=0, copy=False):
        """Returns cycles from the command to its completion."""
        source, sink = self.sources["commands"], self.sinks["completions"]
        taken, done = source.count, sink.count
        source.put({"kind": kind, "array": array, "copy": int(copy)})
        cycles = 0
        while sink.count == done:
            await RisingEdge(self.dut.clk)
            cycles += source.count > taken
            assert cycles < parameters()["limit"], f"Command {kind.name} is not done after {cycles} cycles"
        await sink.receive()
        return cycles

    async def load(self, name, matrices):
        """An array of bit patterns to the learner."""
        for bits in np.concatenate([matrix.ravel() for matrix in matrices]):
            self.sources["numbers_in"].put(int(bits))
        await self.command(LearnerCommand.LOAD, self.config.arrays.index(name))

    async def check(self, name, matrices):
        """An array of the learner is that of the reference."""
        expected = np.concatenate([matrix.ravel() for matrix in matrices])
        await self.command(LearnerCommand.STORE, self.config.arrays.index(name))
        for index, bits in enumerate(expected):
            compare(int(bits), await self.sinks["numbers_out"].receive(), name, index)

    def put(self, batch):
        """A batch's samples."""
        for name in ("observations", "next_observations"):
            for bits in from_numbers(self.format, getattr(batch, name)).ravel():
                self.sources[name].put(int(bits))
        columns = [batch.actions, *(from_numbers(self.format, numbers) for numbers in (batch.rewards, batch.discounts))]
        for row in zip(*columns, from_numbers(self.format, batch.weights), strict=True):
            values = dict(zip(("action", "reward", "discount", "weight"), map(int, row), strict=True))
            self.sources["transitions"].put(values)

    async def step(self, batch, copy=False):
        """A gradient step on both, with samples that have been put, compared in every number; returns its cycles."""
        self.steps += 1
        adam = AdamRates.of_step(self.steps, learning_rate=0.01, epsilon=1e-4)
        rates = adam.rounded(self.format)
        self.dut.rates.value = sum(
            int(getattr(rates, name)) << self.format.width * place
            for place, name in enumerate(self.config.updates[0].numbers.rates)
        )
        self.dut.batch.value = len(batch.actions)
        cycles = await self.command(LearnerCommand.STEP, copy=copy)
        gradients, _ = self.reference.gradients(batch)
        priorities = self.reference.step(batch, adam if self.config.optimizer == "adam" else adam.rate)
        if copy:
            self.reference.copy_to_target()
        for index, bits in enumerate(host.to_bits(self.format, priorities)):
            compare(int(bits), await self.sinks["priorities"].receive(), "priorities", index)
        values = {"gradients": gradients, "weights": self.reference.weights, "target": self.reference.target}
        arrays = {name: [host.to_bits(self.format, matrix) for matrix in matrices] for name, matrices in values.items()}
        if self.config.optimizer == "adam":
            arrays |= {"first": self.reference.online.first, "second": self.reference.online.second}
        for name, matrices in arrays.items():
            await self.check(name, matrices)
        return cycles


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await bench.prepare(stall=0.3)
    batches = [random_batch(bench.random, bench.sizes, count) for count in (1, 7, 20, 5, 6, 6, 6, 20)]
    # A corner value, after which much is NaN.
    batches[-1].observations[3, -1] = np.inf
    # Samples of the next batches wait at the door.
    for batch in batches:
        bench.put(batch)
    plan = [(0.3, None), (0.5, None), (0, None), (0.1, None)]
    # One stream at a time is slow.
    plan += [(0, bench.sources[name]) for name in ("observations", "next_observations", "transitions")]
    plan += [(0, bench.sinks["priorities"])]
    for number, (batch, (stall, slow)) in enumerate(zip(batches, plan, strict=True)):
        bench.stall(stall)
        if slow is not None:
            slow.stall = 0.9
        await bench.step(batch, copy=number in (1, 7))


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await bench.prepare(stall=0)
    cycles = []
    for count in (4, 34):
        batch = random_batch(bench.random, bench.sizes, count)
        bench.put(batch)
        cycles.append(await bench.step(batch))
    expected = 30 * parameters()["period"]
    assert cycles[1] - cycles[0] == expected, f"30 more samples took {cycles[1] - cycles[0]} cycles, not {expected}"
