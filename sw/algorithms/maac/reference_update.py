"""The critic's update of MAAC, and the policies' forward pass or update, bit by bit as hardware computes them."""

from typing import Any

import numpy as np

from ....hw.cores.learner.maac_config import CRITIC_LAYERS, POLICY_LAYERS, MAACNetworksConfig
from ...reference.arrays import ValueArray
from ...reference.float.host import from_bits, round_to, to_bits, working_type
from ...reference.learner.maac import MAACReference, MAACSamples
from ...reference.optimizer.float_adam import AdamRates
from .maac_config import MAACConfig
from .maac_shape import MAACShape
from .update import JointBatch, PolicyForward, policy_report

__all__ = ["ReferenceMAACUpdate", "from_matrices", "to_matrices"]

Arrays = dict[str, np.ndarray]

_LAYERS = {"policy": POLICY_LAYERS, "critic": CRITIC_LAYERS}

# Layers of the attention, whose parameters are kept head by head.
HEADS = ("query", "key", "value")


def to_matrices(layers: tuple[str, ...], parameters: Arrays) -> list[np.ndarray]:
    """Parameters by name as matrices with the bias as the last row, a layer after the other."""
    matrices = []
    for layer in layers:
        weight, bias = parameters[f"{layer}.weight"], parameters.get(f"{layer}.bias")
        if layer in HEADS:
            weight = np.concatenate(list(weight), axis=-1)
            bias = None if bias is None else bias.reshape(-1)
        matrices.append(weight if bias is None else np.concatenate((weight, bias[..., np.newaxis, :]), axis=-2))
    return matrices


def from_matrices(layers: tuple[str, ...], matrices: list[np.ndarray], like: Arrays) -> Arrays:
    """The reverse of :func:`to_matrices`, in the shapes of ``like``."""
    parameters: Arrays = {}
    for layer, matrix in zip(layers, matrices, strict=True):
        rows = like[f"{layer}.weight"].shape[-2]
        for kind, part in (("weight", matrix[..., :rows, :]), ("bias", matrix[..., rows:, :])):
            name = f"{layer}.{kind}"
            if name in like:
                by_head = np.stack(np.split(part, len(like[name]), axis=-1)) if layer in HEADS else part
                parameters[name] = by_head.reshape(like[name].shape)
    return parameters


class ReferenceMAACUpdate:
    """A :class:`.MAACUpdate` on :class:`.MAACReference`, in the format of its networks.

    Arrays that it takes are rounded to the format; arrays that it gives are float32, which holds every number of the
    format.

    Parameters
    ----------
    shape
        Sizes of the networks.
    config
        Hyper-parameters.
    policies, critics
        First parameters, as of `initial_parameters`; the targets also begin with them.
    networks
        Format, and units of the hardware, on which the order of sums depends; without, binary32 and one a layer.
    updates_policies
        Whether the policies' update is here, and not the host's.
    """

    def __init__(
        self,
        shape: MAACShape,
        config: MAACConfig,
        policies: Arrays,
        critics: Arrays,
        networks: MAACNetworksConfig | None = None,
        updates_policies: bool = False,
    ):
        self.shape, self.config, self.updates_policies = shape, config, updates_policies
        self._like = {"policy": policies, "critic": critics}
        networks = networks or MAACNetworksConfig(
            agents=shape.agents,
            observations=shape.observation_size,
            actions=shape.actions,
            hidden_size=shape.hidden_size,
            heads=shape.heads,
        )
        self._format = networks.arithmetic.format
        self.reference = MAACReference(
            networks, self._matrices("policy", policies), self._matrices("critic", critics), shape.present
        )
        self._steps = self._policy_steps = 0

    def update(self, batch: JointBatch) -> tuple[PolicyForward | None, dict[str, float]]:
        batch_size, samples = len(batch.rewards), self._samples(batch)
        found = self.reference.gradients(samples, 1 / self.config.reward_scale)
        loss = float(np.square(found.errors.astype(np.float64)).sum() / batch_size)
        if not np.isfinite(loss):
            raise FloatingPointError(f"The critic's loss must be finite, not {loss}")
        report = {"critic_loss": loss, "q": float(found.values.mean(dtype=np.float64))}
        forward = None
        # With the critics of before.
        if self.updates_policies:
            report |= self._update_policies(samples)
        else:
            parts = self.reference.forward(samples)
            forward = PolicyForward(*(_by_agent(part, self.shape.agents) for part in parts))
        rates = AdamRates.of_step(self._steps + 1, learning_rate=self.config.critic_learning_rate)
        self.reference.step(found.critics, rates, self.config.tau)
        self._steps += 1
        return forward, report

    def _update_policies(self, samples: MAACSamples) -> dict[str, float]:
        found = self.reference.policy_gradients(samples, 1 / self.config.reward_scale)
        rates = AdamRates.of_step(self._policy_steps + 1, learning_rate=self.config.policy_learning_rate)
        self.reference.step_policies(found.policies, rates, self.config.tau)
        self._policy_steps += 1
        return policy_report(found.logarithms, found.advantages, self.config.reward_scale)

    def gradients(self, batch: JointBatch) -> Arrays:
        """Gradients of the critics by the names of their parameters."""
        found = self.reference.gradients(self._samples(batch), 1 / self.config.reward_scale)
        return from_matrices(CRITIC_LAYERS, found.critics, self._like["critic"])

    def policy_gradients(self, batch: JointBatch) -> Arrays:
        """Gradients of the policies by the names of their parameters."""
        found = self.reference.policy_gradients(self._samples(batch), 1 / self.config.reward_scale)
        return from_matrices(POLICY_LAYERS, found.policies, self._like["policy"])

    def _samples(self, batch: JointBatch) -> MAACSamples:
        going_on = (np.float32(self.config.gamma) * (1 - batch.finished)).astype(np.float32)
        return MAACSamples(
            observations=self._rounded(_samples(batch.observations)),
            actions=_samples(batch.actions).argmax(axis=1),
            rewards=self._rounded(_samples(batch.rewards)),
            discounts=self._rounded(_samples(going_on)),
            next_observations=self._rounded(_samples(batch.next_observations)),
            uniforms=self._rounded(_samples(batch.uniforms)),
            next_uniforms=self._rounded(_samples(batch.next_uniforms)),
        )

    def _rounded(self, numbers: np.ndarray) -> ValueArray:
        """Values of the format."""
        return round_to(self._format, np.asarray(numbers, working_type(self._format)))

    def take_policies(self, parameters: Arrays) -> None:
        self.reference.take_policies(self._matrices("policy", parameters), self.config.tau)

    def save_policies(self) -> tuple[Arrays, dict[str, Any]] | None:
        if not self.updates_policies:
            return None
        arrays = self._named("policy", self.reference.policies)
        for kind, bits in self._policy_moments().items():
            matrices = [from_bits(self._format, matrix) for matrix in bits]
            arrays |= {f"{kind}.{name}": values for name, values in self._named("policy", matrices).items()}
        return arrays, {"steps": self._policy_steps}

    def load_policies(self, arrays: Arrays, rest: dict[str, Any]) -> None:
        if self.updates_policies:
            for kind, bits in self._policy_moments().items():
                bits[:] = [to_bits(self._format, matrix) for matrix in self._saved("policy", kind, arrays)]
            self._policy_steps = rest["steps"]

    def counters(self) -> dict[str, Any]:
        return {}

    def save(self) -> tuple[Arrays, dict[str, Any]]:
        """Save the state in the form of :class:`.TorchMAACUpdate`, so that each resumes what the other left."""
        arrays = {
            f"{network}.{name}": values
            for network, matrices in self._networks().items()
            for name, values in self._named(network, matrices).items()
        }
        for kind, bits in self._moments().items():
            matrices = [from_bits(self._format, matrix) for matrix in bits]
            arrays |= {f"adam.{kind}.{name}": values for name, values in self._named("critic", matrices).items()}
        return arrays, {"steps": self._steps}

    def load(self, arrays: Arrays, rest: dict[str, Any]) -> None:
        for network, matrices in self._networks().items():
            matrices[:] = self._saved(network, network, arrays)
        for kind, bits in self._moments().items():
            bits[:] = [to_bits(self._format, matrix) for matrix in self._saved("critic", f"adam.{kind}", arrays)]
        self._steps = rest["steps"]

    def _networks(self) -> dict[str, list[np.ndarray]]:
        reference = self.reference
        return {
            "policy": reference.policies,
            "target_policy": reference.target_policies,
            "critic": reference.critics,
            "target_critic": reference.target_critics,
        }

    def _moments(self) -> dict[str, list[np.ndarray]]:
        return {"mean": self.reference.first, "mean_square": self.reference.second}

    def _policy_moments(self) -> dict[str, list[np.ndarray]]:
        return {"mean": self.reference.policy_first, "mean_square": self.reference.policy_second}

    def _named(self, network: str, matrices: list[np.ndarray]) -> Arrays:
        """Copies of a network's matrices in float32, by the names of its parameters."""
        kind = network.removeprefix("target_")
        parameters = from_matrices(_LAYERS[kind], matrices, self._like[kind])
        return {name: values.astype(np.float32) for name, values in parameters.items()}

    def _saved(self, network: str, prefix: str, arrays: Arrays) -> list[ValueArray]:
        """A network's matrices from arrays whose names have a prefix."""
        kind = network.removeprefix("target_")
        return self._matrices(kind, {name: arrays[f"{prefix}.{name}"] for name in self._like[kind]})

    def _matrices(self, kind: str, parameters: Arrays) -> list[ValueArray]:
        """Parameters by name as matrices of values."""
        return [self._rounded(matrix) for matrix in to_matrices(_LAYERS[kind], parameters)]

    def close(self) -> None:
        """Nothing to let go of."""


def _by_agent(values: np.ndarray, agents: int) -> np.ndarray:
    """The reverse of :func:`_samples`; numbers are float32."""
    parts = values.reshape(-1, agents, *values.shape[1:])
    return parts if np.issubdtype(parts.dtype, np.integer) else parts.astype(np.float32)


def _samples(values: np.ndarray) -> np.ndarray:
    """Agent after agent of an experience, experience after experience."""
    return values.reshape(-1, *values.shape[2:])
