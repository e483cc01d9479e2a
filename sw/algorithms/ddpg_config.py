"""Hyper-parameters of DDPG. Pure data: no gateware, no PyTorch."""

import math
from dataclasses import dataclass

from ..core.hyper_parameters import HyperParameters

__all__ = ["DDPGConfig"]


@dataclass(frozen=True, kw_only=True)
class DDPGConfig(HyperParameters):
    """Hyper-parameters of DDPG, in the words of Stable-Baselines3.

    Parameters
    ----------
    hidden_sizes
        Neurons of the hidden layers of actor and critic.
    batch_size
        Transitions per training step.
    learning_rate
        Adam's learning rate for the actor.
    critic_learning_rate
        Adam's learning rate for the critic; ``None``: the actor's.
    beta1
        Adam's decay of the mean of gradients.
    beta2
        Adam's decay of the mean square of gradients.
    epsilon
        Constant in Adam's denominator, for gradients that are means over the batch.
    gamma
        Discount factor of future rewards.
    tau
        Rate at which the target networks follow in an update.
    noise_scale
        Standard deviation of the exploration noise, in units of half the action range.
    reward_scale
        Factor applied to every reward before it is stored.
    buffer_size
        Capacity of the replay buffer in transitions.
    learning_starts
        Steps with uniformly random actions before the first training step.
    quantization_delay
        Environment step from which activations are quantised; ``None``: never.
    bits
        Width of quantised activations, 8 to 16 bits.
    range_margin
        Factor, 1 to 256, that widens the recorded ranges of hidden activations at the quantisation. 1: the recorded
        ranges themselves, as in the paper. With a larger one the inputs' range also grows, to a width that is a power
        of two.
    seed
        Seed of everything random.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range.
    """

    hidden_sizes: tuple[int, ...] = (400, 300)
    batch_size: int = 64
    learning_rate: float = 1e-4
    critic_learning_rate: float | None = None
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-6
    gamma: float = 0.99
    tau: float = 0.005
    noise_scale: float = 0.1
    reward_scale: float = 1.0
    buffer_size: int = 1_000_000
    learning_starts: int = 1_000
    quantization_delay: int | None = None
    bits: int = 16
    range_margin: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        self._layers("hidden_sizes")
        self._whole("batch_size", self.batch_size, 1)
        self._whole("buffer_size", self.buffer_size, self.batch_size)
        self._whole("learning_starts", self.learning_starts, 0)
        self._whole("seed", self.seed, 0)
        self._whole("bits", self.bits, 8)
        if self.bits > 16:
            raise ValueError(f"bits must be between 8 and 16, not {self.bits}")
        if self.quantization_delay is not None:
            self._whole("quantization_delay", self.quantization_delay, 0)
        self._real("learning_rate", 0, 1, low_included=False)
        if self.critic_learning_rate is not None:
            self._real("critic_learning_rate", 0, 1, low_included=False)
        self._real("beta1", 0, 1)
        self._real("beta2", 0, 1)
        self._real("epsilon", 0, 1, low_included=False)
        self._real("gamma", 0, 1, high_included=True)
        self._real("tau", 0, 1, low_included=False, high_included=True)
        self._real("noise_scale", 0, 1, high_included=True)
        self._real("range_margin", 1, 256, high_included=True)
        self._real("reward_scale", 0, math.inf, low_included=False)

    @property
    def critic_rate(self) -> float:
        """The critic's learning rate."""
        return self.learning_rate if self.critic_learning_rate is None else self.critic_learning_rate
