"""Cycles that gradient steps take on the RTL of a learner."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...hw.cores.layer.config import DQNLearnerConfig, LearnerCommand
from ..device.learner_backends import MANY_UNITS
from ..mapping.layer_pipeline import units
from ..reference.float.conversion import from_numbers
from ..reference.float.host import to_bits
from ..reference.layer.dqn_learner import DQNBatch, DQNLearnerReference
from ..reference.optimizer.float_adam import AdamRates

__all__ = ["count_step"]


def count_step(config: DQNLearnerConfig, batch: int, seed: int = 0) -> int:
    """Cycles of a gradient step with random samples, from its command to its completion.

    Two steps with all numbers compared, the first one with a copy to the target network.

    Parameters
    ----------
    config : DQNLearnerConfig
    batch : int
        Samples.
    seed : int
        Of weights and samples.

    Raises
    ------
    RuntimeError
        A number is not the reference's.
    """
    from ...hw.cores.layer.dqn_learner import DQNLearner
    from ...sim.harness.streams import StreamSimulation

    rng = np.random.default_rng(seed)
    sizes = config.network.sizes
    reference = DQNLearnerReference(config, [_weights(rng, *pair) for pair in zip(sizes, sizes[1:], strict=False)])
    with StreamSimulation(DQNLearner(config), hierarchical=units(config) > MANY_UNITS) as simulation:
        learner = _Learner(config, simulation)
        for name, matrices in _arrays(reference).items():
            learner.load(name, matrices)
        cycles = [learner.step(reference, _samples(rng, sizes, batch), step) for step in (1, 2)]
    return cycles[1]


class _Learner:
    """Commands to a learner in the simulator."""

    def __init__(self, config: DQNLearnerConfig, simulation: Any):
        from ...hw.cores.layer.dqn_learner import learner_command
        from ...hw.cores.layer.dqn_loss import transition_layout

        self.config, self.simulation = config, simulation
        self.format = config.network.arithmetic.format
        self.command_layout, self.transition_layout = learner_command, transition_layout(config)
        layers = config.network.layers
        self.numbers = sum(layer.rows * layer.outputs for layer in layers)
        self.slowest = max(layer.words * layer.rows for layer in layers)

    def command(self, kind: LearnerCommand, limit: int, name: str = "weights", copy: bool = False) -> int:
        """Returns cycles to its completion."""
        values = {"kind": kind, "array": self.config.arrays.index(name), "copy": copy}
        self.simulation.send("commands", [_pack(self.command_layout, values)])
        cycles: int = self.simulation.run("completions", 1, limit)
        self.simulation.receive("completions", 1, 0)
        return cycles

    def load(self, name: str, matrices: Sequence[np.ndarray]) -> None:
        """An array to the learner."""
        self.simulation.send("numbers_in", _joined(matrices))
        self.command(LearnerCommand.LOAD, 2 * self.numbers + 100, name)

    def check(self, name: str, matrices: Sequence[np.ndarray]) -> None:
        """An array is the reference's."""
        self.command(LearnerCommand.STORE, 2 * self.numbers + 100, name)
        _compare(name, self.simulation.receive("numbers_out", self.numbers, 0), _joined(matrices))

    def step(self, reference: DQNLearnerReference, samples: DQNBatch, step: int) -> int:
        """A gradient step on both."""
        count, copy = len(samples.actions), step == 1
        for name in ("observations", "next_observations"):
            self.simulation.send(name, from_numbers(self.format, getattr(samples, name)).ravel())
        parts = [from_numbers(self.format, part) for part in (samples.rewards, samples.discounts, samples.weights)]
        names = ("action", "reward", "discount", "weight")
        rows = zip(samples.actions, *parts, strict=True)
        self.simulation.send(
            "transitions", [_pack(self.transition_layout, dict(zip(names, row, strict=True))) for row in rows]
        )
        rates = AdamRates.of_step(step)
        bits = vars(rates.rounded(self.format))
        chosen = [int(bits[name]) for name in self.config.updates[0].numbers.rates]
        self.simulation.set("rates", sum(rate << self.format.width * place for place, rate in enumerate(chosen)))
        self.simulation.set("batch", count)
        cycles = self.command(LearnerCommand.STEP, 2 * (count + 20) * self.slowest + 1000, copy=copy)

        gradients, _ = reference.gradients(samples)
        priorities = reference.step(samples, rates if self.config.optimizer == "adam" else rates.rate)
        if copy:
            reference.copy_to_target()
        _compare("priorities", self.simulation.receive("priorities", count, 0), to_bits(self.format, priorities))
        arrays = _arrays(reference) | {"gradients": [to_bits(self.format, part) for part in gradients]}
        for name, matrices in arrays.items():
            self.check(name, matrices)
        return cycles


def _arrays(reference: DQNLearnerReference) -> dict[str, list[np.ndarray]]:
    """Bit patterns of what a reference keeps."""
    config = reference.config
    number_format = config.network.arithmetic.format
    kept = {"weights": reference.weights, "target": reference.target}
    arrays = {name: [to_bits(number_format, matrix) for matrix in matrices] for name, matrices in kept.items()}
    return arrays | {name: getattr(reference.online, name) for name in config.updates[0].numbers.state}


def _joined(matrices: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([matrix.ravel() for matrix in matrices])


def _pack(layout: Any, values: Mapping[str, Any]) -> int:
    return sum(int(value) << layout[name].offset for name, value in values.items())


def _compare(name: str, got: np.ndarray, expected: np.ndarray) -> None:
    if (got != expected).any():
        raise RuntimeError(f"The learner does not have the {name} that the reference has")


def _weights(rng: np.random.Generator, inputs: int, outputs: int) -> np.ndarray:
    return rng.normal(0, inputs**-0.5, (inputs + 1, outputs))


def _samples(rng: np.random.Generator, sizes: Sequence[int], count: int) -> DQNBatch:
    return DQNBatch(
        observations=rng.normal(0, 1, (count, sizes[0])),
        actions=rng.integers(0, sizes[-1], count),
        rewards=rng.normal(0, 1, count),
        discounts=np.where(rng.random(count) < 0.2, 0, 0.99),
        next_observations=rng.normal(0, 1, (count, sizes[0])),
        weights=rng.random(count) / count,
    )
