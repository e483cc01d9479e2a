"""Parts that the benches of learners share."""

import numpy as np
from cocotb.triggers import RisingEdge

from rewardware.hw.cores.learner.learner_base_config import LearnerCommand
from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.float import host
from rewardware.sw.reference.float.conversion import from_numbers
from rewardware.sw.reference.optimizer.float_adam import AdamRates


class LearnerBench:
    """A learner's streams, commands and arrays.

    Parameters
    ----------
    dut : handle
    number_format : FloatFormat
    update : UpdateStageConfig
        Configuration of any layer.
    samples : iterable of str
        Streams of numbers, as the fields of a batch are called.
    """

    # The field that a command has beside its kind and its array.
    FIELD: str
    SOURCES = ("commands", "transitions", "parameters_in")
    SINKS = ("completions", "priorities", "parameters_out")

    def __init__(self, dut, number_format, update, samples):
        self.dut, self.config = dut, parameters()["config"]
        self.format, self.update, self.samples = number_format, update, samples
        self.sources = {name: StreamSource(dut, name) for name in (*self.SOURCES, *samples)}
        self.sinks = {name: StreamSink(dut, name) for name in self.SINKS}
        self.random, self.steps = rng("numbers"), 0

    async def reset(self, stall):
        """Reset, with so many stalls from then on."""
        self.stall(stall)
        self.dut.batch.value = 1
        await clock_and_reset(self.dut)

    def stall(self, probability):
        """Set the stalls of all streams."""
        for part in (*self.sources.values(), *self.sinks.values()):
            part.stall = probability

    async def command(self, kind, **fields):
        """Returns cycles from the command to its completion."""
        source, sink = self.sources["commands"], self.sinks["completions"]
        taken, done = source.count, sink.count
        source.put({"kind": kind, "array": 0, self.FIELD: 0} | fields)
        cycles = 0
        while sink.count == done:
            await RisingEdge(self.dut.clk)
            cycles += source.count > taken
            assert cycles < parameters()["limit"], f"Command {kind.name} is not done after {cycles} cycles"
        await sink.receive()
        return cycles

    def place(self, name, **fields):
        """Number of an array in commands."""
        return self.config.arrays.index(name)

    async def load(self, name, matrices, **fields):
        """An array of bit patterns to the learner."""
        for bits in np.concatenate([matrix.ravel() for matrix in matrices]):
            self.sources["parameters_in"].put(int(bits))
        await self.command(LearnerCommand.LOAD, array=self.place(name, **fields), **fields)

    async def check(self, name, matrices, **fields):
        """An array of the learner is that of the reference."""
        expected = np.concatenate([matrix.ravel() for matrix in matrices])
        await self.command(LearnerCommand.STORE, array=self.place(name, **fields), **fields)
        for index, bits in enumerate(expected):
            compare(int(bits), await self.sinks["parameters_out"].receive(), (name, fields), index)

    async def check_priorities(self, values):
        """Compare the priorities of a step."""
        for index, bits in enumerate(host.to_bits(self.format, values)):
            compare(int(bits), await self.sinks["priorities"].receive(), "priorities", index)

    def put(self, batch, **fields):
        """A batch's samples; ``fields`` are further ones of the transitions, a list each."""
        for name in self.samples:
            for bits in from_numbers(self.format, getattr(batch, name)).ravel():
                self.sources[name].put(int(bits))
        parts = {"reward": batch.rewards, "discount": batch.discounts, "weight": batch.weights}
        fields |= {name: from_numbers(self.format, numbers) for name, numbers in parts.items()}
        for row in zip(*fields.values(), strict=True):
            self.sources["transitions"].put(dict(zip(fields, map(int, row), strict=True)))

    def set_rates(self, port, rate):
        """Adam's of this step, or the learning rate, to the learner; returned for the reference."""
        adam = AdamRates.of_step(self.steps, learning_rate=rate, epsilon=1e-4)
        rates, width = adam.rounded(self.format), self.format.width
        getattr(self.dut, port).value = sum(
            int(getattr(rates, name)) << width * place for place, name in enumerate(self.update.algorithm.rates)
        )
        return adam if self.update.optimizer == "adam" else adam.learning_rate

    def patterns(self, network, **values):
        """Bit patterns of arrays: those of a network's state, and others given as values."""
        arrays = {name: [host.to_bits(self.format, matrix) for matrix in given] for name, given in values.items()}
        return arrays | {name: getattr(network, name) for name in self.update.algorithm.state}


async def steps_have_the_bits(bench, batches, plan):
    """Steps with batches of which all wait at the door from the beginning; a corner value in the last one.

    Parameters
    ----------
    bench : LearnerBench
        With ``prepare``, ``put`` and ``step``.
    batches : list
    plan : iterable of (float, stream or None)
        For each batch how often streams wait, and one that is slower.
    """
    await bench.prepare(stall=0.3)
    # Much is NaN after it.
    batches[-1].observations[3, -1] = np.inf
    for batch in batches:
        bench.put(batch)
    for batch, (stall, slow) in zip(batches, plan, strict=True):
        bench.stall(stall)
        if slow is not None:
            slow.stall = 0.9
        await bench.step(batch)


async def more_samples_take(bench, make_batch, counts, period):
    """A step with the second count of samples takes a period for each one more than a step with the first."""
    await bench.prepare(stall=0)
    cycles = []
    for count in counts:
        batch = make_batch(count)
        bench.put(batch)
        cycles.append(await bench.step(batch))
    compare((counts[1] - counts[0]) * period, cycles[1] - cycles[0], "cycles of more samples", 0)
