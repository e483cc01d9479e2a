"""Updates of a whole learner of attentive critics, against the reference, and the cycles that they take."""

import cocotb
import numpy as np

from rewardware.hw.cores.learner.learner_base_config import LearnerCommand
from rewardware.hw.cores.learner.maac_learner_config import MAACNetwork
from rewardware.sim.cocotb import compare, parameters
from rewardware.sw.reference.float import host
from rewardware.sw.reference.learner.maac import MAACReference, MAACSamples

from .learner_bench import LearnerBench, more_samples_take, steps_have_the_bits

TAU, ENTROPY_SHARE = 0.3, 0.1
RESULTS = ("first", "second", "logits", "values")


class Bench(LearnerBench):
    """A learner and its reference, which begin with the same weights."""

    FIELD = "network"
    SOURCES = ("commands", "parameters_in", "draws", "next_draws", "outcomes")

    def __init__(self, dut):
        config = parameters()["config"]
        self.networks = config.agents
        results = ("advantages",) if config.updates_policies else (*RESULTS, "choices")
        self.SINKS = ("completions", "parameters_out", *results, "verdicts")
        update = config.optimizers["critic"][0]
        super().__init__(dut, self.networks.arithmetic.format, update, ("observations", "next_observations"))
        # Agents have other numbers of actions.
        self.available = 1 + (np.arange(self.networks.agents) + 1) % self.networks.actions
        present = np.arange(self.networks.actions) < self.available[:, None]
        self.reference = MAACReference(self.networks, self.weights("policy"), self.weights("critic"), present)
        self.reference.target_policies, self.reference.target_critics = self.weights("policy"), self.weights("critic")

    def values(self, numbers):
        """The numbers of the format nearest to others."""
        return host.from_bits(self.format, host.to_bits(self.format, np.asarray(numbers, np.float64)))

    def weights(self, network):
        """Random ones of all layers."""
        found = []
        for layer in self.config.networks[network].layers:
            sets = (layer.parameter_sets,) if layer.parameter_sets > 1 else ()
            found.append(self.values(self.random.normal(0, layer.inputs**-0.5, (*sets, layer.rows, layer.outputs))))
        return found

    def place(self, name, **fields):
        network = MAACNetwork(fields["network"]).name.lower()
        return self.config.optimizers[network][0].arrays.index(name)

    def arrays(self):
        """All that is kept of each network, as bit patterns."""
        reference = self.reference
        kept = {
            MAACNetwork.POLICY: {"weights": reference.policies, "target": reference.target_policies},
            MAACNetwork.CRITIC: {"weights": reference.critics, "target": reference.target_critics},
        }
        for network, arrays in kept.items():
            found = {name: [host.to_bits(self.format, matrix) for matrix in given] for name, given in arrays.items()}
            if network == MAACNetwork.CRITIC:
                found |= {"first": reference.first, "second": reference.second}
            elif self.config.updates_policies:
                found |= {"first": reference.policy_first, "second": reference.policy_second}
            yield network, found

    def set_number(self, port, number):
        """A setting of a step."""
        getattr(self.dut, port).value = host.to_bits(self.format, self.values(number)).item()

    async def prepare(self, stall):
        """Reset, and all that is kept to the learner."""
        self.set_number("tau", TAU)
        self.set_number("entropy_share", ENTROPY_SHARE)
        await self.reset(stall)
        for network, arrays in self.arrays():
            for name, matrices in arrays.items():
                await self.load(name, matrices, network=network)

    def batch(self, count):
        """Random experiences."""
        networks, random = self.networks, self.random
        samples = count * networks.agents
        below = 1 - 2.0 ** -(self.format.fraction_bits + 1)
        return MAACSamples(
            observations=self.values(random.normal(0, 1, (samples, networks.observations))),
            actions=random.integers(0, np.tile(self.available, count)),
            rewards=self.values(random.normal(0, 1, samples)),
            discounts=self.values(np.where(random.random(samples) < 0.3, 0, 0.99)),
            next_observations=self.values(random.normal(0, 1, (samples, networks.observations))),
            uniforms=self.values(np.minimum(random.random(samples), below)),
            next_uniforms=self.values(np.minimum(random.random(samples), below)),
        )

    def put(self, batch):
        """A batch's samples."""
        bits = {
            name: host.to_bits(self.format, getattr(batch, name))
            for name in ("observations", "next_observations", "rewards", "discounts", "uniforms", "next_uniforms")
        }
        for name in self.samples:
            for number in bits[name].ravel():
                self.sources[name].put(int(number))
        there = np.tile(self.available, len(batch.actions) // self.networks.agents)
        for name, uniforms in (("draws", bits["uniforms"]), ("next_draws", bits["next_uniforms"])):
            for uniform, available in zip(uniforms.tolist(), there.tolist(), strict=True):
                self.sources[name].put({"uniform": uniform, "available": available})
        columns = (batch.actions.tolist(), bits["rewards"].tolist(), bits["discounts"].tolist())
        for action, reward, discount in zip(*columns, strict=True):
            self.sources["outcomes"].put({"action": action, "reward": reward, "discount": discount})

    async def step(self, batch):
        """An update on both, with samples that have been put, compared in every number; returns its cycles."""
        self.steps += 1
        rates = self.set_rates("critic_rates", 0.02)
        count = len(batch.actions) // self.networks.agents
        self.dut.batch.value = count
        self.set_number("slope", 2 / count)
        if self.config.updates_policies:
            policy_rates = self.set_rates("policy_rates", 0.03)
            self.set_number("policy_slope", 1 / count)
        cycles = await self.command(LearnerCommand.STEP)
        found = self.reference.gradients(batch, ENTROPY_SHARE)
        if self.config.updates_policies:
            policies = self.reference.policy_gradients(batch, ENTROPY_SHARE)
            self.reference.step_policies(policies.policies, policy_rates, TAU)
            await self.check_pairs("advantages", ("logarithm", "advantage"), policies[1:])
        else:
            await self.check_forward(self.reference.forward(batch), count)
        self.reference.step(found.critics, rates, TAU)
        await self.check_pairs("verdicts", ("value", "error"), found[1:])
        # The results of the next update show what this one leaves; all of it is read every third time.
        if self.steps % 3 == 0:
            await self.check_arrays()
        return cycles

    async def check_forward(self, forward, count):
        """The policies' forward pass is that of the reference."""
        present = np.tile(self.reference.present, (count, 1)).ravel()
        for name in RESULTS:
            for index, bits in enumerate(host.to_bits(self.format, getattr(forward, name)).ravel()):
                given = await self.sinks[name].receive()
                # Values of actions that an agent does not have are the driver's affair.
                if name != "values" or present[index]:
                    compare(int(bits), given, name, index)
        for index, choice in enumerate(forward.choices.tolist()):
            compare(choice, await self.sinks["choices"].receive(), "choices", index)

    async def check_pairs(self, name, fields, numbers):
        """Two numbers of each sample are those of the reference."""
        rows = zip(*(host.to_bits(self.format, part).tolist() for part in numbers), strict=True)
        for index, row in enumerate(rows):
            compare(dict(zip(fields, row, strict=True)), await self.sinks[name].receive(), name, index)

    async def check_arrays(self):
        """All that is kept is that of the reference."""
        for network, arrays in self.arrays():
            for name, matrices in arrays.items():
                await self.check(name, matrices, network=network)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    bench = Bench(dut)
    batches = [bench.batch(count) for count in (1, 7, 3, 4, 4, 4, 4, 4, 6)]
    plan = [(0.3, None), (0.5, None), (0, None)]
    # One stream at a time is slow.
    plan += [(0, bench.sources[name]) for name in ("observations", "draws", "next_draws", "outcomes")]
    plan += [
        (0, bench.sinks["verdicts"]),
        (0.1, bench.sinks["advantages" if bench.config.updates_policies else "values"]),
    ]
    await steps_have_the_bits(bench, batches, plan)


@cocotb.test()
async def targets_follow_loaded_policies_when_they_are_told(dut):
    bench = Bench(dut)
    await bench.prepare(stall=0)
    for _ in range(2):
        new = bench.weights("policy")
        await bench.load("weights", [host.to_bits(bench.format, matrix) for matrix in new], network=MAACNetwork.POLICY)
        bench.reference.policies = new
        await bench.check_arrays()
        if bench.config.follows:
            await bench.command(LearnerCommand.FOLLOW)
            bench.reference.take_policies(new, TAU)
            await bench.check_arrays()


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    bench = Bench(dut)
    await more_samples_take(bench, bench.batch, (8, 16), bench.config.experience_cycles)
