"""Hyper-parameters of DDPG and SAC with prioritised replay. Pure data: no gateware, no PyTorch."""

from dataclasses import dataclass
from typing import ClassVar

from .replay_parameters import ReplayParameters

__all__ = ["ActorCriticConfig", "PrioritizedDDPGConfig", "PrioritizedSACConfig"]


@dataclass(frozen=True, kw_only=True)
class ActorCriticConfig(ReplayParameters):
    """Hyper-parameters of both, besides :class:`.ReplayParameters`, in the words of Stable-Baselines3.

    Parameters
    ----------
    critic_hidden_sizes
        Neurons of the critic's hidden layers; ``None``: the actor's, which are ``hidden_sizes``.
    critic_learning_rate
        Adam's learning rate for the critic; ``None``: the actor's.
    tau
        Rate at which the target networks follow in an update.

    Raises
    ------
    TypeError
        A value of the wrong kind.
    ValueError
        A value outside its range.
    """

    hidden_sizes: tuple[int, ...] = (256, 256)
    batch_size: int = 256
    learning_starts: int = 100
    train_freq: int = 1
    critic_hidden_sizes: tuple[int, ...] | None = None
    critic_learning_rate: float | None = None
    tau: float = 0.005

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.critic_hidden_sizes is not None:
            self._layers("critic_hidden_sizes")
        if self.critic_learning_rate is not None:
            self._real("critic_learning_rate", 0, 1, low_included=False)
        self._real("tau", 0, 1, low_included=False, high_included=True)

    @property
    def critic_sizes(self) -> tuple[int, ...]:
        """Neurons of the critic's hidden layers."""
        return self.hidden_sizes if self.critic_hidden_sizes is None else self.critic_hidden_sizes

    @property
    def critic_rate(self) -> float:
        """The critic's learning rate."""
        return self.learning_rate if self.critic_learning_rate is None else self.critic_learning_rate


@dataclass(frozen=True, kw_only=True)
class PrioritizedDDPGConfig(ActorCriticConfig):
    """Hyper-parameters of DDPG, besides :class:`.ActorCriticConfig`.

    Parameters
    ----------
    noise_scale
        Standard deviation of the exploration noise, in units of half the action range.

    Raises
    ------
    TypeError, ValueError
        As of the base.

    Source: T. Lillicrap et al., "Continuous control with deep reinforcement learning", 2016.
    """

    algorithm: ClassVar[str] = "ddpg"
    learner_system: ClassVar[str] = "pearl_ddpg_learner"

    noise_scale: float = 0.1

    def __post_init__(self) -> None:
        super().__post_init__()
        self._real("noise_scale", 0, 1, high_included=True)


@dataclass(frozen=True, kw_only=True)
class PrioritizedSACConfig(ActorCriticConfig):
    """Hyper-parameters of SAC, besides :class:`.ActorCriticConfig`; the temperature is learned, with the actor's step.

    Parameters
    ----------
    temperature
        Initial weight of the entropy.
    target_entropy
        Entropy that the temperature is learned for; ``None``: minus the number of the action's elements.

    Raises
    ------
    TypeError, ValueError
        As of the base.

    Source: T. Haarnoja et al., "Soft actor-critic algorithms and applications", 2019.
    """

    algorithm: ClassVar[str] = "sac"
    learner_system: ClassVar[str] = "pearl_sac_learner"

    learning_rate: float = 3e-4
    temperature: float = 1.0
    target_entropy: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._real("temperature", 0, float("inf"), low_included=False)
        if self.target_entropy is not None:
            self._real("target_entropy", float("-inf"), float("inf"), low_included=False)
