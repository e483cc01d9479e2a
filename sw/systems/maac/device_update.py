"""The critic's update of MAAC, and the policies' forward pass or update, on a device."""

from functools import partial
from typing import Any

import numpy as np

from ....hw.cores.learner.learner_records import ACTION_WIDTH
from ....hw.cores.learner.maac_config import CRITIC_LAYERS, POLICY_LAYERS
from ....hw.soc.maac.config import MAACSystemConfig
from ...algorithms.maac.maac_config import MAACConfig
from ...algorithms.maac.maac_shape import MAACShape
from ...algorithms.maac.reference_update import from_matrices, to_matrices
from ...algorithms.maac.update import JointBatch, PolicyForward, policy_report
from ...device.learner_connection import PATIENCE, LearnerConnection, matrices_of, numbers_of, words_of
from ...reference.optimizer.float_adam import AdamRates

__all__ = ["DeviceMAACUpdate", "hardware_for", "require_suitable"]

Arrays = dict[str, np.ndarray]

# Names of the device's arrays in a checkpoint.
NETWORKS = {
    "policy": ("policy_weights", "policy"),
    "target_policy": ("policy_target", "policy"),
    "critic": ("critic_weights", "critic"),
    "target_critic": ("critic_target", "critic"),
    "adam.mean": ("critic_first", "critic"),
    "adam.mean_square": ("critic_second", "critic"),
}
# And what the host calls those of policies that the device updates.
POLICY_MOMENTS = {"mean": ("policy_first", "policy"), "mean_square": ("policy_second", "policy")}
LAYERS = {"policy": POLICY_LAYERS, "critic": CRITIC_LAYERS}


def hardware_for(shape: MAACShape) -> MAACSystemConfig:
    """The smallest accelerator for agents: a unit a layer, as the reference has without one."""
    return MAACSystemConfig(
        agents=shape.agents,
        observations=shape.observation_size,
        actions=shape.actions,
        hidden_size=shape.hidden_size,
        heads=shape.heads,
    )


def require_suitable(hardware: MAACSystemConfig, shape: MAACShape) -> None:
    """Refuses networks that an accelerator does not have.

    Raises
    ------
    ValueError
        The text names what is asked for and what the accelerator has.
    """
    wanted = hardware_for(shape)
    for name in ("agents", "observations", "actions", "hidden_size", "heads"):
        has, asked = getattr(hardware, name), getattr(wanted, name)
        if has != asked:
            words = name.replace("_", " ").capitalize()
            raise ValueError(f"{words} of accelerator {hardware.name} must be those of the agents, {asked}, not {has}")


class DeviceMAACUpdate:
    """A :class:`.MAACUpdate` on the RTL in the simulator, or on a board.

    After a loss that is not finite the device's networks are what that update has made of them.

    Parameters
    ----------
    shape, config, policies, critics
        As of :class:`.ReferenceMAACUpdate`.
    hardware
        The accelerator.
    where, **options
        As of :class:`.LearnerConnection`.

    Raises
    ------
    ValueError
        The accelerator is for other networks.
    DeviceError
        There is no such device, or one that was built for something else.
    """

    def __init__(
        self,
        shape: MAACShape,
        config: MAACConfig,
        policies: Arrays,
        critics: Arrays,
        hardware: MAACSystemConfig,
        where: str = "sim",
        **options: Any,
    ):
        require_suitable(hardware, shape)
        self.shape, self.config, self.hardware = shape, config, hardware
        self._like = {"policy": policies, "critic": critics}
        self._format = hardware.arithmetic.format
        self._steps = self._policy_steps = self._cycles = 0
        self.connection = LearnerConnection(hardware, where, **options)
        try:
            zeros = {name: np.zeros_like(values) for name, values in critics.items()}
            given = {"policy": policies, "target_policy": policies, "critic": critics, "target_critic": critics}
            for name, place in NETWORKS.items():
                self._load(place, given.get(name, zeros))
            still = {
                f"{kind}.{name}": np.zeros_like(values) for kind in POLICY_MOMENTS for name, values in policies.items()
            }
            self.load_policies(still, {"steps": 0})
        except BaseException:
            self.connection.close()
            raise

    def update(self, batch: JointBatch) -> tuple[PolicyForward | None, dict[str, float]]:
        experiences, learner = len(batch.rewards), self.hardware.learner
        settings = {
            **_rates("critic", self._steps + 1, self.config.critic_learning_rate),
            "tau": self.config.tau,
            "entropy_share": 1 / self.config.reward_scale,
            "slope": 2 / experiences,
        }
        if learner.updates_policies:
            settings |= _rates("policy", self._policy_steps + 1, self.config.policy_learning_rate)
            settings["policy_slope"] = 1 / experiences
        cycles = (experiences + 2 * learner.critic_samples) * learner.experience_cycles
        found = self.connection.step_rows(
            self._rows(batch), experiences * learner.result_rows, cycles, settings, count=experiences
        )
        self._steps += 1
        self._policy_steps += learner.updates_policies
        self._cycles += self.connection.cycles
        return self._results(found, experiences)

    def _rows(self, batch: JointBatch) -> np.ndarray:
        """Rows of experiences, as :mod:`...hw.cores.learner.learner_records` has them."""
        going_on = (np.float32(self.config.gamma) * (1 - batch.finished)).astype(np.float32)
        taken = batch.actions.argmax(axis=-1).astype(np.uint32)
        available = np.broadcast_to(np.array(self.shape.counts, np.uint32), taken.shape)
        record = taken | available << ACTION_WIDTH
        words = partial(words_of, self._format)
        parts = (
            _pairs(words(batch.observations), words(batch.next_observations)),
            _pairs(words(batch.rewards), words(going_on))[..., np.newaxis, :],
            _pairs(words(batch.uniforms), words(batch.next_uniforms))[..., np.newaxis, :],
            _pairs(record, np.zeros_like(record))[..., np.newaxis, :],
        )
        return np.concatenate(parts, axis=-2).reshape(-1, 2)

    def _results(self, rows: np.ndarray, experiences: int) -> tuple[PolicyForward | None, dict[str, float]]:
        """Rows of results as the forward pass and the numbers for the metrics."""
        learner = self.hardware.learner
        rows = rows.reshape(experiences, self.shape.agents, learner.agent_result_rows, 2)
        numbers = numbers_of(self._format, rows)
        values, errors = numbers[:, :, -1, 0], numbers[:, :, -1, 1]
        loss = float(np.square(errors.astype(np.float64)).sum() / experiences)
        if not np.isfinite(loss):
            raise FloatingPointError(f"The critic's loss must be finite, not {loss}")
        report = {"critic_loss": loss, "q": float(values.mean(dtype=np.float64))}
        if learner.updates_policies:
            return None, report | policy_report(numbers[:, :, 0, 0], numbers[:, :, 0, 1], self.config.reward_scale)
        return self._forward(rows), report

    def _forward(self, rows: np.ndarray) -> PolicyForward:
        """The policies' forward pass, of rows of experiences and agents."""
        shape, numbers = self.shape, numbers_of(self._format, rows)
        actions_from, choices_at = shape.hidden_size, shape.hidden_size + shape.actions
        return PolicyForward(
            first=numbers[:, :, :actions_from, 0],
            second=numbers[:, :, :actions_from, 1],
            logits=numbers[:, :, actions_from:choices_at, 0],
            choices=rows[:, :, choices_at, 0].astype(np.int64),
            values=np.where(shape.present, numbers[:, :, actions_from:choices_at, 1], np.float32(0)),
        )

    def take_policies(self, parameters: Arrays) -> None:
        self._load(NETWORKS["policy"], parameters)
        self.connection.set({"tau": self.config.tau})
        words = max(layer.words for layer in self.hardware.networks.policy.layers)
        self.connection.run("follow", PATIENCE * words * self.hardware.update_interval)

    def save_policies(self) -> tuple[Arrays, dict[str, Any]] | None:
        if not self.hardware.learner.updates_policies:
            return None
        arrays = self._store(NETWORKS["policy"])
        for kind, place in POLICY_MOMENTS.items():
            arrays |= {f"{kind}.{name}": values for name, values in self._store(place).items()}
        return arrays, {"steps": self._policy_steps}

    def load_policies(self, arrays: Arrays, rest: dict[str, Any]) -> None:
        if self.hardware.learner.updates_policies:
            for kind, place in POLICY_MOMENTS.items():
                self._load(place, {name: arrays[f"{kind}.{name}"] for name in self._like["policy"]})
            self._policy_steps = rest["steps"]

    def counters(self) -> dict[str, Any]:
        """``device_cycles``: of all updates."""
        return {"device_cycles": self._cycles}

    def save(self) -> tuple[Arrays, dict[str, Any]]:
        """All arrays under the names that :class:`.ReferenceMAACUpdate` gives them."""
        arrays: Arrays = {}
        for name, place in NETWORKS.items():
            arrays |= {f"{name}.{parameter}": values for parameter, values in self._store(place).items()}
        return arrays, {"steps": self._steps}

    def load(self, arrays: Arrays, rest: dict[str, Any]) -> None:
        for name, place in NETWORKS.items():
            self._load(place, {parameter: arrays[f"{name}.{parameter}"] for parameter in self._like[place[1]]})
        self._steps = rest["steps"]

    def _store(self, place: tuple[str, str]) -> Arrays:
        """An array of the device, by the names of its parameters."""
        array, network = place
        numbers = numbers_of(self._format, self.connection.store(array))
        matrices = matrices_of(self.hardware.arrays[array], numbers)
        named = from_matrices(LAYERS[network], matrices, self._like[network])
        return {name: values.copy() for name, values in named.items()}

    def _load(self, place: tuple[str, str], parameters: Arrays) -> None:
        """An array to the device, by the names of its parameters."""
        array, network = place
        matrices = to_matrices(LAYERS[network], parameters)
        numbers = np.concatenate([matrix.ravel() for matrix in matrices])
        self.connection.load(array, words_of(self._format, numbers))

    def close(self) -> None:
        """Give the device back."""
        self.connection.close()


def _rates(network: str, step: int, learning_rate: float) -> dict[str, float]:
    """Registers of a network's optimiser."""
    rates = AdamRates.of_step(step, learning_rate=learning_rate)
    return {f"{network}_{name}": value for name, value in vars(rates).items()}


def _pairs(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.stack([one, other], axis=-1)
