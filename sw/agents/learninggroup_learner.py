"""LearningGroup as a learner of IC3Net: the bit-exact reference, with first weights from the hyper-parameters."""

from typing import Any

import numpy as np

from ...hw.soc.learninggroup.config import LearningGroupConfig, Network, Rates
from ..reference.learninggroup.iteration import LearningGroupReference
from .ic3net_config import IC3NetConfig

__all__ = ["OPTIMIZER_FORMATS", "LearningGroupLearner", "initial_parameters", "network_of", "precision_of", "rates_of"]

# Of the device, by what the hyper-parameters call precision.
OPTIMIZER_FORMATS = {"mixed": "binary32", "half": "binary16"}


def precision_of(hardware: LearningGroupConfig) -> str:
    """What the hyper-parameters call a device's formats."""
    return next(name for name, format in OPTIMIZER_FORMATS.items() if format == hardware.optimizer_format)


def network_of(observation_size: int, actions: int, agents: int, config: IC3NetConfig) -> Network:
    """Shape of the network."""
    return Network(
        observation_size=observation_size,
        hidden_size=config.hidden_size,
        actions=actions,
        agents=agents,
        groups=config.groups,
    )


def rates_of(config: IC3NetConfig) -> Rates:
    """The device's registers. Its gradients are those of the scaled loss, and so epsilon is scaled."""
    return Rates(
        learning_rate=config.learning_rate,
        alpha=config.alpha,
        epsilon=config.epsilon * config.loss_scale,
        value_coefficient=config.value_coefficient,
        grouping_gradient=config.grouping_gradient,
    )


def initial_parameters(network: Network, config: IC3NetConfig, generator: np.random.Generator) -> dict[str, np.ndarray]:
    """First weights, by the device's names: the same numbers, drawn in the same order, as PyTorch's."""

    def uniform(bound, *shape):
        return generator.uniform(-bound, bound, shape).astype(np.float32)

    found = {}
    for name, layer in network.layers.items():
        found[f"weight/{name}"] = uniform((network.groups / layer.rows) ** 0.5, layer.rows, layer.columns)
        found[f"input_grouping/{name}"] = np.zeros((layer.rows, network.groups), np.float32)
        found[f"output_grouping/{name}"] = np.zeros((network.groups, layer.columns), np.float32)
        if network.groups > 1:
            found[f"input_grouping/{name}"] = uniform(config.grouping_bound, layer.rows, network.groups)
            found[f"output_grouping/{name}"] = uniform(config.grouping_bound, network.groups, layer.columns)
        if name in network.biases:
            found[f"bias/{name}"] = uniform(layer.rows**-0.5, layer.columns)
    return found


class LearningGroupLearner:
    """IC3Net's two jobs on LearningGroup.

    Made by `on_reference`, with the first weights in place.

    Parameters
    ----------
    engine
        `LearningGroupReference`, or what has its methods.
    config
        Hyper-parameters.

    Raises
    ------
    FloatingPointError
        An infinity or a NaN was met (from `update`); the message names the layers.
    """

    def __init__(self, engine: Any, config: IC3NetConfig):
        self.engine, self.config = engine, config
        self._iterations = 0

    @classmethod
    def on_reference(
        cls,
        hardware: LearningGroupConfig,
        observation_size: int,
        actions: int,
        agents: int,
        config: IC3NetConfig,
        generator: np.random.Generator,
    ) -> "LearningGroupLearner":
        """The bit-exact reference.

        Parameters
        ----------
        hardware
            The device.
        observation_size, actions, agents, config, generator
            As of `IC3NetNetwork`.

        Raises
        ------
        ValueError
            What only PyTorch can do, or what does not fit the device.
        """
        if config.precision != precision_of(hardware):
            raise ValueError(
                f"precision must be {precision_of(hardware)!r} with configuration {hardware.name}, whose optimizer has "
                f"{hardware.optimizer_format}, not {config.precision!r}"
            )
        if config.sparsity != "grouping":
            raise ValueError(f"sparsity must be 'grouping' on LearningGroup, not {config.sparsity!r}")
        if config.entropy_coefficient:
            raise ValueError(f"entropy_coefficient must be 0 on LearningGroup, not {config.entropy_coefficient}")
        network = network_of(observation_size, actions, agents, config)
        engine = LearningGroupReference(hardware, network, rates_of(config), episodes=config.episodes, seed=config.seed)
        engine.load({**engine.save(), **initial_parameters(network, config, generator)})
        return cls(engine, config)

    def begin(self) -> None:
        """Makes the masks of an iteration and begins all episodes."""
        self.engine.start()

    def step(self, observations: np.ndarray) -> np.ndarray:
        """Movements for observations, episodes x agents x elements."""
        movements, _, _ = self.engine.step(observations)
        return movements

    def update(self, returns: np.ndarray, active: np.ndarray) -> dict[str, Any]:
        """Backward and update.

        Reports the unmasked weights of each core, ``workloads``, and the share of weights whose step was lost in
        rounding, ``lost_updates``.
        """
        workloads = self.engine.workloads()
        scales = self.config.loss_scale * active / active.sum()
        self.engine.train(returns, np.broadcast_to(scales[..., np.newaxis], returns.shape))
        self._iterations += 1
        if layers := self.engine.nonfinite_layers():
            raise FloatingPointError(
                f"Layer {', '.join(layers)} met an infinity or NaN in iteration {self._iterations}; "
                "a smaller loss_scale or learning_rate may avoid it"
            )
        return {"workloads": workloads, "lost_updates": self.engine.lost_updates}

    def sparsity(self) -> float:
        """The share of weights that take no part since `begin`."""
        total = sum(layer.rows * layer.columns for layer in self.engine.shape.layers.values())
        return 1 - sum(self.engine.workloads()) / total

    def save(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The device's whole state between iterations."""
        return self.engine.save(), {"iterations": self._iterations}

    def load(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Takes back what `save` gave."""
        self.engine.load(arrays)
        self._iterations = rest["iterations"]

    def close(self) -> None:
        """Lets go of the device, if there is one."""
        if hasattr(self.engine, "close"):
            self.engine.close()
