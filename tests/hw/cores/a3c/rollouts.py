"""Rollouts of several agents: activations and errors, in the memories and as the reference has them."""

import numpy as np

from rewardware.sw.reference.a3c.network import backward, infer
from tests.hw.cores.layer.stimulus import numbers

from .agents_bench import AgentsBench
from .words import bits_of, pack_rows, with_corners


class RolloutsBench(AgentsBench):
    """Jobs are rollouts, one of each agent, of any number of steps.

    Parameters
    ----------
    dut, output
        See :class:`.AgentsBench`.
    layers : slice
        Layers whose errors the engine reads.
    """

    def __init__(self, dut, output, layers):
        super().__init__(dut, output)
        self.layers = layers

    def draw(self):
        """For each agent another number of steps, where there are as many."""
        counts = self.all_steps()
        return [counts[agent % len(counts)] for agent in range(self.config.agents)]

    def all_steps(self):
        """Each number of steps, in any order."""
        return (1 + self.random.permutation(self.config.steps)).tolist()

    def rollout(self, agent, steps, share=0.0):
        """Inputs (steps, inputs) and errors (steps, outputs) of each layer."""
        config = self.config
        observations = with_corners(
            config, self.random, numbers(self.random, self.format, steps, config.sizes[0]), share
        )
        inferences = [infer(config, self.networks[agent], observation) for observation in observations]
        inputs = [np.array(layer) for layer in zip(*(inference.inputs for inference in inferences), strict=True)]
        errors = with_corners(config, self.random, numbers(self.random, self.format, steps, config.outputs), share)
        return inputs, backward(config, self.networks[agent], inputs, errors)

    async def put(self, jobs, share=0.0):
        """A job for each agent, of so many steps; returns inputs and errors of each layer, by agent."""
        rollouts = []
        for agent, steps in enumerate(jobs):
            inputs, errors = self.rollout(agent, steps, share)
            await self.load_activations(agent, inputs)
            for layer, values in list(zip(self.config.layers, errors, strict=True))[self.layers]:
                await self.load_errors(agent, layer, values)
            rollouts.append((inputs, errors))
        for agent, steps in enumerate(jobs):
            self.jobs.put({"agent": agent, "steps": steps})
        return rollouts

    async def check_rollouts(self, *stalls):
        """Random rollouts, for each pair of stalls, then rollouts of each number of steps."""
        await self.check_with_stalls(*stalls)
        for steps in range(1, self.config.steps + 1):
            await self.check(await self.put([steps] * self.config.agents))

    async def load_activations(self, agent, inputs):
        """Activations of all layers and steps, and their signs."""
        config = self.config
        for layer, values in zip(config.layers, inputs, strict=True):
            for step, rows in enumerate(pack_rows(config, bits_of(config, values))):
                first = step * config.activation_rows + layer.input_row
                await self.load("activations", agent, first, rows)
                signs = [sum(int(number != 0) << lane for lane, number in enumerate(row)) for row in rows]
                await self.load("signs", agent, first, signs)

    async def load_errors(self, agent, layer, errors):
        """Errors at a layer's outputs, of all steps."""
        for step, rows in enumerate(pack_rows(self.config, bits_of(self.config, errors))):
            await self.load("errors", agent, step * self.config.error_rows + layer.output_row, rows)
