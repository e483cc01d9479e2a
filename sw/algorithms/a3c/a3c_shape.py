"""Sizes of A3C's network, and its first parameters: the same numbers for every backend. No gateware, no PyTorch."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

__all__ = ["A3CShape", "Arrays"]

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True, kw_only=True)
class A3CShape:
    """A network of fully connected layers: the last has the actions' logits and, behind them, the value.

    Parameters
    ----------
    observation_size
        Elements of an observation.
    actions
        How many there are.
    hidden_sizes
        Neurons of the layers before the last, which are rectified.

    Raises
    ------
    ValueError
        Fewer than two actions, of which there is nothing to learn.
    """

    observation_size: int
    actions: int
    hidden_sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.actions < 2:
            raise ValueError(f"A3C must have at least 2 actions to choose from, not {self.actions}")

    @property
    def sizes(self) -> tuple[int, ...]:
        """Numbers before and behind each layer."""
        return (self.observation_size, *self.hidden_sizes, self.actions + 1)

    @property
    def layers(self) -> int:
        """How many there are."""
        return len(self.sizes) - 1

    @property
    def parameter_shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes by name: ``layer1.weight`` (outputs, inputs), ``layer1.bias`` (outputs,), ``layer2.weight``..."""
        found: dict[str, tuple[int, ...]] = {}
        for number, (inputs, outputs) in enumerate(pairwise(self.sizes), 1):
            found[f"layer{number}.weight"], found[f"layer{number}.bias"] = (outputs, inputs), (outputs,)
        return found

    def initial_parameters(self, generator: np.random.Generator) -> Arrays:
        """Float32 numbers by name, drawn uniformly within 1 / sqrt(inputs)."""
        shapes, found = self.parameter_shapes, {}
        for name, shape in shapes.items():
            inputs = shapes[name.replace("bias", "weight")][1]
            found[name] = (generator.uniform(-1, 1, shape) / np.sqrt(inputs)).astype(np.float32)
        return found

    def require_shapes(self, parameters: Arrays) -> None:
        """Refuse parameters of another network.

        Raises
        ------
        ValueError
            One is missing, of another shape, or none of this network.
        """
        found = {name: tuple(np.shape(values)) for name, values in parameters.items()}
        expected = self.parameter_shapes
        for name in sorted(expected.keys() | found.keys()):
            if expected.get(name) != found.get(name):
                raise ValueError(f"Parameter {name} must have shape {expected.get(name)}, not {found.get(name)}")
