"""Gradient steps of a whole learner of a policy, against the reference, and the cycles that they take."""

import cocotb

from rewardware.hw.cores.learner.learner_base_config import LearnerCommand
from rewardware.hw.cores.learner.learner_config import LearnedNetwork
from rewardware.sim.cocotb import parameters
from rewardware.sw.reference.float.conversion import from_numbers
from rewardware.sw.reference.learner.ddpg_learner import DDPGLearnerReference
from tests.sw.reference.learner.stimulus import random_ddpg_batch, random_weights

from .learner_bench import LearnerBench, more_samples_take, steps_have_the_bits

SAMPLES = ("observations", "actions", "next_observations")
TAU = 0.3


class Bench(LearnerBench):
    """A learner and its reference, which begin with the same weights."""

    FIELD = "network"

    def __init__(self, dut):
        config = parameters()["config"]
        super().__init__(dut, config.actor.arithmetic.format, config.actor_updates[0], SAMPLES)
        self.sizes = config.actor.sizes
        references = [DDPGLearnerReference(config, *self.weights(config)) for _ in range(2)]
        self.reference, other = references
        self.reference.actor_target, self.reference.critic_target = other.actor.weights, other.critic.weights

    def weights(self, config):
        """Weights of actor and critic."""
        return [random_weights(self.random, network.sizes) for network in (config.actor, config.critic)]

    def arrays(self, **gradients):
        """All that is kept of each network, and its gradients, if they are given."""
        for network in LearnedNetwork:
            name = network.name.lower()
            part, target = getattr(self.reference, name), getattr(self.reference, f"{name}_target")
            others = {"gradients": gradients[name]} if gradients else {}
            yield network, self.patterns(part, weights=part.weights, target=target, **others)

    async def prepare(self, stall):
        """Reset, and all that is kept to the learner."""
        self.dut.tau.value = from_numbers(self.format, TAU).item()
        await self.reset(stall)
        for network, arrays in self.arrays():
            for name, matrices in arrays.items():
                await self.load(name, matrices, network=network)

    async def step(self, batch):
        """A gradient step on both, with samples that have been put, compared in every number; returns its cycles."""
        self.steps += 1
        rates = [self.set_rates(port, rate) for port, rate in (("actor_rates", 0.01), ("critic_rates", 0.02))]
        count = len(batch.rewards)
        self.dut.batch.value = count
        self.dut.policy_slope.value = from_numbers(self.format, -1 / count).item()
        cycles = await self.command(LearnerCommand.STEP)
        gradients = self.reference.gradients(batch)
        await self.check_priorities(self.reference.step(batch, *rates, TAU))
        for network, arrays in self.arrays(actor=gradients.actor, critic=gradients.critic):
            for name, matrices in arrays.items():
                await self.check(name, matrices, network=network)
        return cycles


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    batches = [random_ddpg_batch(bench.random, bench.sizes, count) for count in (1, 7, 20, 5, 5, 5, 5, 5, 12)]
    plan = [(0.3, None), (0.5, None), (0, None)]
    # One stream at a time is slow.
    plan += [(0, bench.sources[name]) for name in (*SAMPLES, "transitions")]
    plan += [(0, bench.sinks["priorities"]), (0.1, None)]
    await steps_have_the_bits(bench, batches, plan)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await more_samples_take(
        bench, lambda count: random_ddpg_batch(bench.random, bench.sizes, count), (4, 34), parameters()["period"]
    )
