"""Gradient steps of a whole learner of soft actor-critic, against the reference, and the cycles that they take."""

import cocotb

from rewardware.hw.cores.learner.learner_base_config import LearnerCommand
from rewardware.hw.cores.learner.sac_learner_config import SACNetwork
from rewardware.sim.cocotb import parameters
from rewardware.sw.reference.float.conversion import from_numbers
from rewardware.sw.reference.learner.sac_learner import SACLearnerReference
from tests.sw.reference.learner.stimulus import random_sac_batch, random_weights

from .learner_bench import LearnerBench, more_samples_take, steps_have_the_bits

SAMPLES = ("observations", "actions", "next_observations", "noises", "next_noises")
TAU, TARGET_ENTROPY = 0.3, -1.5


class Bench(LearnerBench):
    """A learner and its reference, which begin with the same weights."""

    FIELD = "network"

    def __init__(self, dut):
        config = parameters()["config"]
        super().__init__(dut, config.actor.arithmetic.format, config.optimizers["actor"][0], SAMPLES)
        self.sizes = config.actor.sizes
        references = [SACLearnerReference(config, *self.weights(config)) for _ in range(2)]
        self.reference, other = references
        self.reference.critic_1_target = other.critic_1.weights
        self.reference.critic_2_target = other.critic_2.weights

    def weights(self, config):
        """Weights of all networks, the logarithm of the temperature among them."""
        networks = [random_weights(self.random, each.sizes) for each in (config.actor, config.critic, config.critic)]
        return *networks, [self.random.normal(-1, 0.3, (1, 1))]

    def kinds(self, network):
        """The arrays of a network in their order."""
        return self.config.optimizers[network.name.lower()][0].arrays

    def place(self, name, **fields):
        """Number of an array in commands."""
        return self.kinds(fields["network"]).index(name)

    def arrays(self, gradients=None):
        """All that is kept of each network, and its gradients, if they are given."""
        for network in SACNetwork:
            name = network.name.lower()
            part, values = getattr(self.reference, name), {}
            if "target" in self.kinds(network):
                values["target"] = getattr(self.reference, f"{name}_target")
            if gradients is not None:
                values["gradients"] = getattr(gradients, name)
            yield network, self.patterns(part, weights=part.weights, **values)

    async def prepare(self, stall):
        """Reset, and all that is kept to the learner."""
        for name, number in (("tau", TAU), ("target_entropy", TARGET_ENTROPY)):
            getattr(self.dut, name).value = from_numbers(self.format, number).item()
        await self.reset(stall)
        for network, arrays in self.arrays():
            for name, matrices in arrays.items():
                await self.load(name, matrices, network=network)

    async def step(self, batch):
        """A gradient step on both, with samples that have been put, compared in every number; returns its cycles."""
        self.steps += 1
        rates = [self.set_rates(f"{each.name.lower()}_rates", 0.01 * (each + 1)) for each in SACNetwork]
        count = len(batch.rewards)
        self.dut.batch.value = count
        self.dut.policy_slope.value = from_numbers(self.format, -1 / count).item()
        cycles = await self.command(LearnerCommand.STEP)
        gradients = self.reference.gradients(batch, TARGET_ENTROPY)
        await self.check_priorities(self.reference.step(batch, rates, TAU, TARGET_ENTROPY))
        for network, arrays in self.arrays(gradients):
            for name, matrices in arrays.items():
                await self.check(name, matrices, network=network)
        return cycles


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    batches = [random_sac_batch(bench.random, bench.sizes, count) for count in (1, 7, 20, 5, 5, 5, 5, 5, 5, 5, 12)]
    plan = [(0.3, None), (0.5, None), (0, None)]
    # One stream at a time is slow.
    plan += [(0, bench.sources[name]) for name in (*SAMPLES, "transitions")]
    plan += [(0, bench.sinks["priorities"]), (0.1, None)]
    await steps_have_the_bits(bench, batches, plan)


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await more_samples_take(
        bench, lambda count: random_sac_batch(bench.random, bench.sizes, count), (4, 34), parameters()["period"]
    )
