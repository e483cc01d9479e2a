"""LearningGroup as a learner of IC3Net: reference, device or both, with first weights from the hyper-parameters."""

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....hw.soc.learninggroup.config import LearningGroupConfig, Network, Rates
from ....hw.soc.learninggroup.hardware import LearningGroupHardware
from ...algorithms.ic3net.ic3net_config import IC3NetConfig
from ...core.backends import Backend, open_backend, options_at
from ...device.transport import Transport
from ...reference.learninggroup.iteration import LearningGroupReference
from ...reference.learninggroup.state import initial_state
from .lockstep import LearningGroupLockstep

__all__ = ["OPTIMIZER_FORMATS", "LearningGroupLearner", "initial_parameters", "network_of", "precision_of", "rates_of"]

# Formats of the device, by the precision of the hyper-parameters.
OPTIMIZER_FORMATS = {"mixed": "binary32", "half": "binary16"}


def precision_of(hardware: LearningGroupConfig) -> str:
    """Precision, as the hyper-parameters name it, of a device's formats."""
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

    def uniform(bound: float, *shape: int) -> NDArray[np.float32]:
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


def check_hyper_parameters(hardware: LearningGroupConfig, config: IC3NetConfig) -> None:
    """ValueError for what only PyTorch can do."""
    if config.precision != precision_of(hardware):
        raise ValueError(
            f"precision must be {precision_of(hardware)!r} with configuration {hardware.name}, whose optimizer has "
            f"{hardware.optimizer_format}, not {config.precision!r}"
        )
    if config.sparsity != "grouping":
        raise ValueError(f"sparsity must be 'grouping' on LearningGroup, not {config.sparsity!r}")
    if config.entropy_coefficient:
        raise ValueError(f"entropy_coefficient must be 0 on LearningGroup, not {config.entropy_coefficient}")


def _reference(hardware: LearningGroupHardware, network: Network, config: IC3NetConfig) -> Any:
    return LearningGroupReference(hardware.device, network, rates_of(config), episodes=config.episodes)


def _device(
    where: str,
    hardware: LearningGroupHardware,
    network: Network,
    config: IC3NetConfig,
    steps: int,
    transport: Transport | None,
) -> Any:
    from ...device.open import open_device
    from .driver import LearningGroupDevice

    device = open_device(where, hardware, **options_at(where, {"transport": transport}))
    try:
        return LearningGroupDevice(device, hardware, network, rates_of(config), episodes=config.episodes, steps=steps)
    except BaseException:
        device.close()
        raise


class LearningGroupLearner:
    """IC3Net's two jobs on LearningGroup; state and interface are the same for reference and device.

    Made by `on`, with the first weights in place.

    Parameters
    ----------
    engine
        `LearningGroupReference`, `LearningGroupDevice` or `LearningGroupLockstep`.
    network, config
        Values that it was made with.

    Raises
    ------
    FloatingPointError
        An infinity or a NaN was met (from `update`); the message names the layers.
    """

    def __init__(self, engine: Any, network: Network, config: IC3NetConfig):
        self.engine, self.network, self.config = engine, network, config
        self._iterations = 0
        self._measured: dict[str, Any] = {"iterations": 0, "cycles": 0, "busy": {}}

    @classmethod
    def on(
        cls,
        backend: Backend | str,
        hardware: LearningGroupHardware,
        network: Network,
        config: IC3NetConfig,
        generator: np.random.Generator,
        *,
        steps: int,
        lockstep_every: int = 100,
        transport: Transport | None = None,
    ) -> "LearningGroupLearner":
        """On a backend, as `parse_backend` gives or takes it.

        Parameters
        ----------
        backend
            Where.
        hardware
            The device.
        network
            Its shape, of `network_of`.
        config, generator
            As of `IC3NetNetwork`.
        steps
            Length of an episode.
        lockstep_every
            Iterations from one comparison to the next.
        transport
            For backend ``"transport"``: an open link of one's own.

        Raises
        ------
        ValueError
            What only PyTorch can do, or what does not fit the device.
        """
        check_hyper_parameters(hardware.device, config)
        engine: Any = open_backend(
            backend,
            lambda: _reference(hardware, network, config),
            lambda place: _device(place, hardware, network, config, steps, transport),
            lambda reference, device: LearningGroupLockstep(reference, device, lockstep_every),
        )
        try:
            return cls(engine, network, config)._begun(hardware.device.cores, generator)
        except BaseException:
            engine.close()
            raise

    def _begun(self, cores: int, generator: np.random.Generator) -> "LearningGroupLearner":
        """With first weights."""
        network, config = self.network, self.config
        state = initial_state(network, cores, config.seed)
        self.engine.load({**state, **initial_parameters(network, config, generator)})
        return self

    def begin(self) -> None:
        """Makes the masks of an iteration and begins all episodes."""
        self.engine.start()

    def step(self, observations: np.ndarray) -> np.ndarray:
        """Movements for observations, episodes x agents x elements."""
        movements, _, _ = self.engine.step(observations)
        return movements

    def rewind(self) -> None:
        """Takes back `begin` and the steps since."""
        self.engine.rewind()

    def update(self, returns: np.ndarray, alive: np.ndarray) -> dict[str, Any]:
        """Backward and update.

        Reports the unmasked weights of each core, ``workloads``, and the share of weights whose step was lost in
        rounding, ``lost_updates``.
        """
        workloads = self.engine.workloads()
        self.engine.train(returns, self.config.loss_scale * alive / alive.any(axis=-1).sum())
        self._iterations += 1
        self._measure()
        if layers := self.engine.nonfinite_layers():
            raise FloatingPointError(
                f"Layer {', '.join(layers)} met an infinity or NaN in iteration {self._iterations}; "
                "a smaller loss_scale or learning_rate may avoid it"
            )
        lost = getattr(self.engine, "lost_updates", None)
        return {"workloads": workloads} | ({} if lost is None else {"lost_updates": lost})

    def _measure(self) -> None:
        """Takes in what the programs of an iteration on a device took."""
        measured, reports = self._measured, getattr(self.engine, "reports", [])
        measured["iterations"] += bool(reports)
        for report in reports:
            measured["cycles"] += report.cycles
            for engine, cycles in report.busy.items():
                measured["busy"][engine] = measured["busy"].get(engine, 0) + cycles

    def counters(self) -> dict[str, Any]:
        """Counters of a device: iterations, their cycles, the share in which each engine worked; comparisons."""
        counts, measured = {}, self._measured
        if measured["iterations"]:
            counts = {f"measured_{name}": measured[name] for name in ("iterations", "cycles")}
            counts["utilization"] = {name: busy / measured["cycles"] for name, busy in measured["busy"].items()}
        return counts | (self.engine.counts() if isinstance(self.engine, LearningGroupLockstep) else {})

    def sparsity(self) -> float:
        """The share of weights that take no part since `begin`."""
        total = sum(layer.rows * layer.columns for layer in self.network.layers.values())
        return 1 - sum(self.engine.workloads()) / total

    def save(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The device's whole state between iterations."""
        rest = {"iterations": self._iterations, "measured": copy.deepcopy(self._measured)}
        if isinstance(self.engine, LearningGroupLockstep):
            rest["comparisons"] = self.engine.comparisons()
        return self.engine.save(), rest

    def load(self, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
        """Takes back what `save` gave."""
        self.engine.load(arrays)
        self._iterations, self._measured = rest["iterations"], copy.deepcopy(rest["measured"])
        if isinstance(self.engine, LearningGroupLockstep) and "comparisons" in rest:
            self.engine.restore_comparisons(rest["comparisons"])

    def close(self) -> None:
        """Lets go of the device, if there is one."""
        self.engine.close()
