"""Samples through the categorical sampler, against the reference, and the cycles that they take."""

import cocotb
import numpy as np

from rewardware.sim.cocotb import StreamSink, StreamSource, clock_and_reset, compare, parameters, rng
from rewardware.sw.reference.attention.softmax import shares
from rewardware.sw.reference.float import host
from rewardware.sw.reference.float.conversion import from_numbers
from rewardware.sw.reference.learner.maac import draw
from tests.hw.cores.float.operands import extremes
from tests.hw.cores.layer.stimulus import numbers
from tests.hw.cores.transfer_cycles import TransferCycles


class Bench:
    """A sampler and its reference."""

    def __init__(self, dut):
        names = ["choices", "probabilities"] if parameters()["probabilities"] else ["choices"]
        self.config, self.count = parameters()["config"], parameters()["count"]
        self.format = self.config.format
        self.sources = [StreamSource(dut, name) for name in ("logits", "draws")]
        self.sinks, self.random = [StreamSink(dut, name) for name in names], rng("samples")

    def put(self, logits, uniforms=None, available=None):
        """Queue samples; returns what has to come out: actions with their probabilities, and all probabilities."""
        samples = len(logits)
        if uniforms is None:
            # The largest number below 1, and 0, beside others.
            below = 1 - 2.0 ** -(self.format.fraction_bits + 1)
            uniforms = np.where(self.random.random(samples) < 0.2, below, self.random.random(samples))
            uniforms[self.random.random(samples) < 0.1] = 0
        if available is None:
            available = self.random.integers(1, self.count + 1, samples)
        bits = np.minimum(from_numbers(self.format, uniforms), self.format.one - 1)
        for row, uniform, there in zip(host.to_bits(self.format, logits), bits, available, strict=True):
            for logit in row:
                self.sources[0].put(int(logit))
            self.sources[1].put({"uniform": int(uniform), "available": int(there)})
        present = np.arange(self.count) < available[:, None]
        probabilities = shares(self.format, logits, present)
        actions = draw(self.format, probabilities, host.from_bits(self.format, bits))
        chances = np.take_along_axis(probabilities, actions[:, None], axis=1)[:, 0]
        choices = zip(actions.tolist(), host.to_bits(self.format, chances).tolist(), strict=True)
        return list(choices), host.to_bits(self.format, probabilities).ravel().tolist()

    async def check(self, expected):
        """Compare the outputs with the expected ones."""
        choices, probabilities = expected
        for index, (action, probability) in enumerate(choices):
            found = await self.sinks[0].receive()
            compare({"action": action, "probability": probability}, found, "choices", index)
        for sink in self.sinks[1:]:
            for index, probability in enumerate(probabilities):
                compare(probability, await sink.receive(), "probabilities", index)

    def at_sums(self, logits):
        """Uniform numbers where a choice changes: a sum of the first probabilities, and its neighbours."""
        probabilities = shares(self.format, logits, np.ones((len(logits), self.count), bool))
        sums = np.zeros(len(logits), probabilities.dtype)
        ends = self.random.integers(1, self.count, len(logits))
        for action, probability in enumerate(probabilities.T):
            sums = np.where(action < ends, host.add(self.format, sums, probability), sums)
        bits = host.to_bits(self.format, sums).astype(np.int64) + self.random.integers(-1, 2, len(logits))
        return host.from_bits(self.format, np.clip(bits, 0, self.format.one - 1))

    def samples(self, samples):
        """Random logits."""
        return numbers(self.random, self.format, samples, self.count)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    await clock_and_reset(dut)
    corners = host.from_bits(bench.format, extremes(bench.format))
    logits = bench.samples(len(corners))
    logits[np.arange(len(corners)), bench.random.integers(0, bench.count, len(corners))] = corners
    await bench.check(bench.put(logits))
    alike = np.zeros_like(bench.samples(20))
    await bench.check(bench.put(alike, np.arange(20) / 20, np.full(20, bench.count)))
    logits = bench.samples(60)
    # Some first probabilities are 0, as a uniform number then is.
    logits[::3, 0] = -128
    await bench.check(bench.put(logits, bench.at_sums(logits), np.full(60, bench.count)))
    parts = (*bench.sources, *bench.sinks)
    for slow in (None, *parts):
        for stall in (0, 0.3) if slow is None else (0,):
            for part in parts:
                part.stall = 0.9 if part is slow else stall
            await bench.check(bench.put(bench.samples(40)))


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench, period = Bench(dut), parameters()["cycles"]
    for part in (*bench.sources, *bench.sinks):
        part.stall = 0
    await clock_and_reset(dut)
    seen = TransferCycles(dut, "choices")
    await bench.check(bench.put(bench.samples(20)))
    compare([period] * 10, np.diff(seen.taken["choices"][9:]), "cycles between samples", 0)
