"""Cycles that gradient steps take on the RTL of a learner."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .....hw.cores.float.config import FloatFormat
from .....hw.cores.layer.config import NetworkConfig
from .....hw.cores.layer.update_stage_config import UpdateStageConfig
from .....hw.cores.learner.learner_base_config import LearnerCommand
from .....hw.cores.learner.learner_config import (
    DDPGLearnerConfig,
    DQNLearnerConfig,
    LearnedNetwork,
    PerceptronLearnerConfig,
)
from .....hw.cores.learner.sac_learner_config import SACLearnerConfig, SACNetwork
from ....core.lockstep import require_equal
from ....mapping.layer_pipeline import step_cycles
from ....measurement.bench import drawn_from
from ....reference.float.conversion import from_numbers
from ....reference.float.host import to_bits
from ....reference.layer.network import NetworkReference
from ....reference.learner.ddpg_learner import DDPGLearnerReference
from ....reference.learner.dqn_learner import DQNLearnerReference
from ....reference.learner.sac_learner import SACBatch, SACLearnerReference
from ....reference.learner_batch import LearnerBatch
from ....reference.optimizer.float_adam import AdamRates

__all__ = ["count_step"]

# How far the targets of a learner with an actor move, and the learning rates.
TAU = 0.005
ACTOR_RATE, RATE = 1e-4, 1e-3


def count_step(config: PerceptronLearnerConfig, batch: int, seed: int = 0) -> int:
    """Cycles of a gradient step with random samples, from its command to its completion.

    Two steps, and then all numbers compared; of a DQN the first one with a copy to the target network.

    Parameters
    ----------
    config : DQNLearnerConfig, DDPGLearnerConfig or SACLearnerConfig
    batch : int
        Samples.
    seed : int
        Seed of weights and samples.

    Raises
    ------
    LockstepError
        A number is not the reference's.
    """
    from .....sim.harness.streams import StreamSimulation

    rng = np.random.default_rng(drawn_from(seed))
    learner = _LEARNERS[type(config)](config, rng)
    with StreamSimulation(learner.component) as simulation:
        learner.load(simulation)
        cycles = [learner.step(simulation, batch, step) for step in (1, 2)]
        learner.check(simulation)
    return cycles[1]


class _Learner(ABC):
    """A learner's reference, and the commands with which its RTL does the same.

    Parameters
    ----------
    config : DQNLearnerConfig, DDPGLearnerConfig or SACLearnerConfig
    rng : Generator
        Generator of weights and samples.
    """

    component: Any
    command_layout: Any
    transition_layout: Any
    update: UpdateStageConfig

    def __init__(self, config: PerceptronLearnerConfig, rng: np.random.Generator):
        self.config, self.rng = config, rng
        self.format: FloatFormat = config.network_stages[0][0].arithmetic.format
        layers = [layer for network, _ in config.network_stages for layer in network.layers]
        self.numbers = sum(layer.rows * layer.outputs for layer in layers)

    def _place(self, name: str, **fields: int) -> int:
        """Place of an array, in a command with these fields."""
        return self.update.arrays.index(name)

    @abstractmethod
    def _arrays(self) -> Iterable[tuple[dict[str, int], dict[str, list[np.ndarray]]]]:
        """For each network what names it in a command, and bit patterns of what is kept."""

    @abstractmethod
    def _step(self, simulation: Any, count: int, step: int) -> tuple[dict[str, int], np.ndarray]:
        """Samples and rates to the RTL, and the step on the reference; fields of the command, and priorities."""

    def load(self, simulation: Any) -> None:
        """Load weights into the RTL; the optimiser's state starts as 0 on both sides."""
        for fields, arrays in self._arrays():
            for name in ("weights", "target"):
                if name in arrays:
                    simulation.send("parameters_in", _joined(arrays[name]))
                    self._command(simulation, LearnerCommand.LOAD, array=self._place(name, **fields), **fields)

    def step(self, simulation: Any, count: int, step: int) -> int:
        """A gradient step on both; cycles of the RTL."""
        simulation.set("batch", count)
        fields, priorities = self._step(simulation, count, step)
        cycles = self._command(simulation, LearnerCommand.STEP, 4 * step_cycles(self.config, count), **fields)
        got = simulation.receive("priorities", count, 0)
        require_equal("The learner", {"priorities": to_bits(self.format, priorities)}, {"priorities": got})
        return cycles

    def check(self, simulation: Any) -> None:
        """All numbers of the RTL are the reference's."""
        for network, arrays in self._arrays():
            for name, matrices in arrays.items():
                self._command(simulation, LearnerCommand.STORE, array=self._place(name, **network), **network)
                expected = _joined(matrices)
                got = simulation.receive("parameters_out", len(expected), 0)
                require_equal("The learner", {name: expected}, {name: got})

    def _command(self, simulation: Any, kind: LearnerCommand, limit: int = 0, **fields: int) -> int:
        """Returns cycles to its completion."""
        simulation.send("commands", [_pack(self.command_layout, {"kind": kind} | fields)])
        cycles: int = simulation.run("completions", 1, limit + 2 * self.numbers + 1000)
        simulation.receive("completions", 1, 0)
        return cycles

    def _send(self, simulation: Any, samples: Any, names: Sequence[str], **fields: np.ndarray) -> None:
        """Samples; ``fields`` are further ones of the transitions."""
        for name in names:
            simulation.send(name, from_numbers(self.format, getattr(samples, name)).ravel())
        parts = {"reward": samples.rewards, "discount": samples.discounts, "weight": samples.weights}
        fields |= {name: from_numbers(self.format, numbers) for name, numbers in parts.items()}
        rows = (dict(zip(fields, row, strict=True)) for row in zip(*fields.values(), strict=True))
        simulation.send("transitions", [_pack(self.transition_layout, row) for row in rows])

    def _rates(self, simulation: Any, port: str, step: int, rate: float) -> AdamRates | float:
        """Set the rates of a step, and return them as the reference takes them."""
        rates = AdamRates.of_step(step, learning_rate=rate)
        bits = vars(rates.rounded(self.format))
        chosen = [int(bits[name]) for name in self.update.algorithm.rates]
        simulation.set(port, sum(number << self.format.width * place for place, number in enumerate(chosen)))
        return rates if self.update.optimizer == "adam" else rates.learning_rate

    def _patterns(self, network: NetworkReference, **values: Sequence[np.ndarray]) -> dict[str, list[np.ndarray]]:
        """Bit patterns of what the optimiser keeps of a network, and of other arrays."""
        arrays = {name: [to_bits(self.format, matrix) for matrix in given] for name, given in values.items()}
        return arrays | {name: getattr(network, name) for name in self.update.algorithm.state}

    def _weights(self, network: NetworkConfig) -> list[np.ndarray]:
        shapes = [(layer.inputs, layer.rows, layer.outputs) for layer in network.layers]
        return [self.rng.normal(0, inputs**-0.5, (rows, outputs)) for inputs, rows, outputs in shapes]

    def _samples(self, count: int, inputs: int) -> dict[str, np.ndarray]:
        """Values of a sample that all learners have."""
        rng = self.rng
        return {
            "observations": rng.normal(0, 1, (count, inputs)),
            "rewards": rng.normal(0, 1, count),
            "discounts": np.where(rng.random(count) < 0.2, 0, 0.99),
            "next_observations": rng.normal(0, 1, (count, inputs)),
            "weights": rng.random(count) / count,
        }


class _DQN(_Learner):
    def __init__(self, config: DQNLearnerConfig, rng: np.random.Generator):
        from .....hw.cores.learner.dqn_learner import DQNLearner, learner_command
        from .....hw.cores.learner.temporal_difference_loss import transition_layout

        super().__init__(config, rng)
        self.component, self.command_layout = DQNLearner(config), learner_command
        self.transition_layout, self.update = transition_layout(config.temporal_difference), config.updates[0]
        self.sizes = config.network.sizes
        self.reference = DQNLearnerReference(config, self._weights(config.network))

    def _arrays(self) -> Iterable[tuple[dict[str, int], dict[str, list[np.ndarray]]]]:
        reference = self.reference
        return [({}, self._patterns(reference.online, weights=reference.weights, target=reference.target))]

    def _step(self, simulation: Any, count: int, step: int) -> tuple[dict[str, int], np.ndarray]:
        samples = self._samples(count, self.sizes[0])
        batch = LearnerBatch(actions=self.rng.integers(0, self.sizes[-1], count), **samples)
        self._send(simulation, batch, ("observations", "next_observations"), action=batch.actions)
        priorities = self.reference.step(batch, self._rates(simulation, "rates", step, RATE))
        if step == 1:
            self.reference.copy_to_target()
        return {"copy": int(step == 1)}, priorities


class _DDPG(_Learner):
    def __init__(self, config: DDPGLearnerConfig, rng: np.random.Generator):
        from .....hw.cores.learner.ddpg_learner import DDPGLearner, ddpg_learner_command
        from .....hw.cores.learner.temporal_difference_loss import transition_layout

        super().__init__(config, rng)
        self.component, self.command_layout = DDPGLearner(config), ddpg_learner_command
        self.transition_layout, self.update = transition_layout(config.temporal_difference), config.actor_updates[0]
        self.sizes = config.actor.sizes
        self.reference = DDPGLearnerReference(config, self._weights(config.actor), self._weights(config.critic))

    def _arrays(self) -> Iterable[tuple[dict[str, int], dict[str, list[np.ndarray]]]]:
        reference = self.reference
        targets = reference.actor_target, reference.critic_target
        networks = zip(LearnedNetwork, (reference.actor, reference.critic), targets, strict=True)
        for place, network, target in networks:
            yield {"network": place}, self._patterns(network, weights=network.weights, target=target)

    def _step(self, simulation: Any, count: int, step: int) -> tuple[dict[str, int], np.ndarray]:
        samples = self._samples(count, self.sizes[0])
        batch = LearnerBatch(actions=self.rng.uniform(-1, 1, (count, self.sizes[-1])), **samples)
        self._send(simulation, batch, ("observations", "actions", "next_observations"))
        for port, number in (("tau", TAU), ("policy_slope", -1 / count)):
            simulation.set(port, from_numbers(self.format, number).item())
        actor_rates = self._rates(simulation, "actor_rates", step, ACTOR_RATE)
        critic_rates = self._rates(simulation, "critic_rates", step, RATE)
        return {}, self.reference.step(batch, actor_rates, critic_rates, TAU)


class _SAC(_Learner):
    def __init__(self, config: SACLearnerConfig, rng: np.random.Generator):
        from .....hw.cores.learner.sac_learner import SACLearner, sac_learner_command
        from .....hw.cores.learner.temporal_difference_loss import transition_layout

        super().__init__(config, rng)
        self.component, self.command_layout = SACLearner(config), sac_learner_command
        self.optimizers, self.update = config.optimizers, config.optimizers["actor"][0]
        self.transition_layout = transition_layout(config.temporal_difference)
        self.observations, self.actions = config.observations, config.actions
        self.reference = SACLearnerReference(config, *(self._weights(each) for each in config.networks.values()))

    def _place(self, name: str, **fields: int) -> int:
        return self.optimizers[SACNetwork(fields["network"]).name.lower()][0].arrays.index(name)

    def _arrays(self) -> Iterable[tuple[dict[str, int], dict[str, list[np.ndarray]]]]:
        for network in SACNetwork:
            name = network.name.lower()
            part, values = getattr(self.reference, name), {}
            if "target" in self.optimizers[name][0].arrays:
                values["target"] = getattr(self.reference, f"{name}_target")
            yield {"network": network}, self._patterns(part, weights=part.weights, **values)

    def _step(self, simulation: Any, count: int, step: int) -> tuple[dict[str, int], np.ndarray]:
        samples, shape = self._samples(count, self.observations), (count, self.actions)
        noises = {name: self.rng.normal(0, 1, shape) for name in ("noises", "next_noises")}
        batch = SACBatch(actions=self.rng.uniform(-1, 1, shape), **samples, **noises)
        self._send(simulation, batch, ("observations", "actions", "next_observations", *noises))
        entropy = -float(self.actions)
        for port, number in (("tau", TAU), ("policy_slope", -1 / count), ("target_entropy", entropy)):
            simulation.set(port, from_numbers(self.format, number).item())
        rates = [self._rates(simulation, f"{network.name.lower()}_rates", step, RATE) for network in SACNetwork]
        return {}, self.reference.step(batch, rates, TAU, entropy)


# By the configuration.
_LEARNERS: dict[type[PerceptronLearnerConfig], Callable[..., _Learner]] = {
    DQNLearnerConfig: _DQN,
    DDPGLearnerConfig: _DDPG,
    SACLearnerConfig: _SAC,
}


def _joined(matrices: Sequence[np.ndarray]) -> np.ndarray:
    return np.concatenate([matrix.ravel() for matrix in matrices])


def _pack(layout: Any, values: Mapping[str, Any]) -> int:
    return sum(int(value) << layout[name].offset for name, value in values.items())
