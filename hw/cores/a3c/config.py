"""Configuration of the units that many agents share. No Amaranth here."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from ..checks import require_integer, require_kind
from ..float.config import FloatLaneConfig
from ..layer.config import BINARY32_LANE

__all__ = ["READ_LATENCY", "A3CConfig", "AgentLayer"]

# Cycles from an address to the data of any memory of the agents: one of block RAM, and one of the register behind the
# multiplexer that chooses the agent.
READ_LATENCY = 2

LARGEST_LAYER = 4096
LARGEST_ACTIONS = 64
LARGEST_AGENTS = 64
LARGEST_STEPS = 64
LARGEST_WIDTH = 64
LARGEST_ENGINES = 16


@dataclass(frozen=True, kw_only=True)
class AgentLayer:
    """A fully connected layer in the words of an agent's memories.

    A word of weights has ``width`` consecutive inputs of one output: output o, block b has the weights from inputs
    ``b * width`` and on, at ``first_word + o * blocks + b``. The biases follow, ``width`` consecutive outputs a word.
    Places of inputs and outputs that are not there hold +0.

    Parameters
    ----------
    inputs, outputs : int
    width : int
        n, numbers of a word.
    first_word : int
        Where its parameters begin.
    input_row, output_row : int
        Where a step's inputs begin in the rows of its activations, and its errors in those of its errors.
    """

    inputs: int
    outputs: int
    width: int
    first_word: int
    input_row: int
    output_row: int

    @property
    def blocks(self) -> int:
        """Words of an output's weights, and of the inputs."""
        return -(-self.inputs // self.width)

    @property
    def groups(self) -> int:
        """Words of the outputs, and of the biases."""
        return -(-self.outputs // self.width)

    @property
    def first_bias_word(self) -> int:
        """Where its biases begin."""
        return self.first_word + self.outputs * self.blocks

    @property
    def words(self) -> int:
        """Words of its parameters."""
        return self.outputs * self.blocks + self.groups


@dataclass(frozen=True, kw_only=True)
class A3CConfig:
    """Many agents, the network that each has a copy of, and the engines that they share.

    All layers but the last are rectified and serve policy and value; the outputs of the last are the logits of the
    actions and, after them, the value.

    Parameters
    ----------
    sizes : tuple of int
        Numbers of an observation, then outputs of each shared layer: two or more, each 1 to 4096.
    actions : int
        Outputs of the policy (2 to 64).
    agents : int
        N, local agents (1 to 64).
    steps : int
        T_max, most steps of a rollout (1 to 64).
    width : int
        n, multipliers of an engine, and numbers of a word of its memories (1 to 64).
    forward_engines, backward_engines : int
        FPEs and BPEs (1 to 16 of each).
    gradient_engines : int
        GPEs, each of which works on another output (1 to 16, and not more than ``width``, which they divide).
    interval : int
        Cycles from one word of parameters to the next in the RMSProp unit, which has ``ceil(width / interval)`` lanes
        (1 to 64).
    arithmetic : FloatLaneConfig
        Format, and stages of each adder and multiplier; or a mapping of its fields.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.

    Source
    ------
    Ge et al., "A FPGA Accelerator of Distributed A3C Algorithm with Optimal Resource Deployment", 2024, sections 3.2
    and 4, table 2.
    """

    sizes: tuple[int, ...] = (128, 256, 128, 64)
    actions: int = 4
    agents: int = 8
    steps: int = 5
    width: int = 16
    forward_engines: int = 3
    backward_engines: int = 2
    gradient_engines: int = 2
    interval: int = 2
    arithmetic: FloatLaneConfig = BINARY32_LANE

    def __post_init__(self):
        if isinstance(self.sizes, list):
            object.__setattr__(self, "sizes", tuple(self.sizes))
        if isinstance(self.arithmetic, Mapping):
            object.__setattr__(self, "arithmetic", FloatLaneConfig(**self.arithmetic))
        require_kind("Sizes", self.sizes, tuple)
        if len(self.sizes) < 2:
            raise ValueError(f"Sizes must be those of an observation and of at least one layer, not {self.sizes}")
        for size in self.sizes:
            require_integer("Sizes", size, 1, LARGEST_LAYER)
        require_integer("Actions", self.actions, 2, LARGEST_ACTIONS)
        require_integer("Agents", self.agents, 1, LARGEST_AGENTS)
        require_integer("Steps", self.steps, 1, LARGEST_STEPS)
        require_integer("Width", self.width, 1, LARGEST_WIDTH)
        require_integer("Forward engines", self.forward_engines, 1, LARGEST_ENGINES)
        require_integer("Backward engines", self.backward_engines, 1, LARGEST_ENGINES)
        require_integer("Gradient engines", self.gradient_engines, 1, min(LARGEST_ENGINES, self.width))
        if self.width % self.gradient_engines:
            raise ValueError(f"Gradient engines must divide the width {self.width}, not {self.gradient_engines}")
        require_integer("Interval", self.interval, 1, 64)
        require_kind("Arithmetic", self.arithmetic, FloatLaneConfig)

    @property
    def outputs(self) -> int:
        """Outputs of the last layer: logits and the value."""
        return self.actions + 1

    @property
    def layers(self) -> tuple[AgentLayer, ...]:
        """All layers, the first one first."""
        layers: list[AgentLayer] = []
        word = input_row = output_row = 0
        for inputs, outputs in itertools.pairwise((*self.sizes, self.outputs)):
            layer = AgentLayer(
                inputs=inputs,
                outputs=outputs,
                width=self.width,
                first_word=word,
                input_row=input_row,
                output_row=output_row,
            )
            layers.append(layer)
            word, input_row, output_row = word + layer.words, input_row + layer.blocks, output_row + layer.groups
        return tuple(layers)

    @property
    def words(self) -> int:
        """Words of an agent's parameters."""
        return sum(layer.words for layer in self.layers)

    @property
    def activation_rows(self) -> int:
        """Rows of a step's activations: the inputs of all layers."""
        return sum(layer.blocks for layer in self.layers)

    @property
    def error_rows(self) -> int:
        """Rows of a step's errors: the outputs of all layers."""
        return sum(layer.groups for layer in self.layers)

    @property
    def slots(self) -> int:
        """Steps whose activations an agent keeps: those of a rollout, and the state after it."""
        return self.steps + 1

    @property
    def lanes(self) -> int:
        """Lanes of the RMSProp unit."""
        return -(-self.width // self.interval)

    @property
    def multipliers(self) -> int:
        """Multipliers of the engines: forward, backward and gradients, without loss and optimiser."""
        return self.width * (self.forward_engines + self.backward_engines + self.gradient_engines)

    @property
    def inference_products(self) -> int:
        """Multiply-accumulates of an inference."""
        return sum(layer.inputs * layer.outputs for layer in self.layers)

    @property
    def exploration_products(self) -> int:
        """Multiply-accumulates of an exploration: inferences of ``steps`` states and of the one after them, backward
        pass and gradients."""
        backward = sum(layer.inputs * layer.outputs for layer in self.layers[1:])
        return self.slots * self.inference_products + self.steps * (backward + self.inference_products)
