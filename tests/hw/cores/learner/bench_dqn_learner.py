"""Gradient steps of a whole learner, against the reference, and the cycles that they take."""

import cocotb
import numpy as np

from rewardware.hw.cores.learner.learner_base_config import LearnerCommand
from rewardware.sim.cocotb import parameters
from rewardware.sw.reference.learner.dqn_learner import DQNLearnerReference
from tests.sw.reference.learner.stimulus import random_batch, random_weights

from .learner_bench import LearnerBench, more_samples_take


class Bench(LearnerBench):
    """A learner and its reference, which begin with the same weights."""

    FIELD = "copy"

    def __init__(self, dut):
        config = parameters()["config"]
        network = config.network
        super().__init__(dut, network.arithmetic.format, config.updates[0], ("observations", "next_observations"))
        self.sizes = network.sizes
        self.reference = DQNLearnerReference(config, random_weights(self.random, self.sizes))
        self.reference.target = DQNLearnerReference(config, random_weights(self.random, self.sizes)).weights

    def arrays(self, **values):
        """All that is kept, and other values."""
        reference = self.reference
        return self.patterns(reference.online, weights=reference.weights, target=reference.target, **values)

    async def prepare(self, stall):
        """Reset, and all that is kept to the learner."""
        await self.reset(stall)
        for name, matrices in self.arrays().items():
            await self.load(name, matrices)

    def put(self, batch):
        """A batch's samples."""
        super().put(batch, action=batch.actions)

    async def step(self, batch, copy=False):
        """A gradient step on both, with samples that have been put, compared in every number; returns its cycles."""
        self.steps += 1
        rates = self.set_rates("rates", 0.01)
        self.dut.batch.value = len(batch.actions)
        cycles = await self.command(LearnerCommand.STEP, copy=int(copy))
        gradients, _ = self.reference.gradients(batch)
        priorities = self.reference.step(batch, rates)
        if copy:
            self.reference.copy_to_target()
        await self.check_priorities(priorities)
        for name, matrices in self.arrays(gradients=gradients).items():
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
    await more_samples_take(
        bench, lambda count: random_batch(bench.random, bench.sizes, count), (4, 34), parameters()["period"]
    )
