"""Rollouts of several agents: activations and errors, in the memories and as the reference has them."""

import numpy as np

from rewardware.sw.reference.a3c.network import backward, infer
from tests.hw.cores.layer.stimulus import numbers

from .agents_bench import AgentsBench
from .words import bits_of, pack_rows, with_corners


class RolloutsBench(AgentsBench):
    """Rollouts of any number of steps."""

    def rollout(self, agent, steps, share=0.0):
        """Inputs of each layer (steps, inputs), errors at the outputs of the last one, and those of all layers."""
        config = self.config
        observations = with_corners(
            config, self.random, numbers(self.random, self.format, steps, config.sizes[0]), share
        )
        inferences = [infer(config, self.networks[agent], observation) for observation in observations]
        inputs = [np.array(layer) for layer in zip(*(inference.inputs for inference in inferences), strict=True)]
        errors = with_corners(config, self.random, numbers(self.random, self.format, steps, config.outputs), share)
        return inputs, errors, backward(config, self.networks[agent], inputs, errors)

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

    def all_steps(self):
        """Each number of steps, in any order."""
        return [int(steps) for steps in 1 + self.random.permutation(self.config.steps)]
