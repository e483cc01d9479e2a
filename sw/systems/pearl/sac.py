"""SAC with prioritised replay on PEARL."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import gymnasium
from torch import nn

from ...algorithms.actor_critic_config import PrioritizedSACConfig
from ...algorithms.first_layers import FirstLayers
from ...algorithms.policies import SquashedGaussian
from ...algorithms.replay_parameters import ReplayParameters
from ...algorithms.sac_learner import SACLearner
from ...core.environments.environment import Environment
from .agent import ReplayAgent
from .device_sac_learner import DeviceSACLearner, require_suitable

__all__ = ["SAC"]

CRITICS = 2


class SAC(ReplayAgent):
    """Soft actor-critic, for bounded vector actions.

    Parameters
    ----------
    env, config
        As of :class:`.ReplayAgent`.
    actor, critics
        Networks of the user's, whose weights are the first; actor or critics may be omitted, and they do not change
        themselves. ``torch.nn.Sequential`` of ``Linear`` and ``ReLU`` in turn is computed by every backend, and says
        the hidden sizes, which are the same for both critics. Any other ``torch.nn.Module`` from rows to rows learns in
        PyTorch's autograd, without actors (there are none then, if nobody says otherwise); `load` needs one like it.
        The actor gives the means of an action's elements and behind them the logarithms of their standard deviations.
        The two critics take an observation and behind it an action.
    **settings
        Settings of :class:`.ReplayAgent`.

    Raises
    ------
    TypeError, ValueError
        As of :class:`.ReplayAgent`; or a network that takes or gives other sizes, or computes something else, or that
        the learner in hardware does not have.
    """

    name = "prioritized-sac"
    configuration: ClassVar[type[ReplayParameters]] = PrioritizedSACConfig
    kind: ClassVar[type[Environment]] = Environment
    config: PrioritizedSACConfig
    learner: SACLearner | DeviceSACLearner

    def __init__(
        self,
        env: gymnasium.Env | str | Callable[[], gymnasium.Env],
        config: PrioritizedSACConfig | None = None,
        *,
        actor: Any = None,
        critics: Sequence[Any] | None = None,
        **settings: Any,
    ):
        self._first = FirstLayers.of(actor, _pair(critics))
        super().__init__(
            env, config, **self._fitting({"actor": [self._first.actor], "critics": self._first.critics}, settings)
        )

    def _sized(self, config: PrioritizedSACConfig) -> PrioritizedSACConfig:
        return self._first.sized(config)

    def _make_networks(self, seed: int) -> tuple[SACLearner | DeviceSACLearner, SquashedGaussian]:
        sizes = self.environment.observation_size, self.environment.action_size
        self._first.require(*sizes, 2 * sizes[1], "a mean and a logarithm of a standard deviation for each element")
        policy = SquashedGaussian(self.config, self.environment.action_size)
        if self._learner_hardware is None:
            learner = SACLearner(*sizes, self.config, seed, self._first)
            return learner, replace(policy, outputs=learner.outputs) if "actor" in self.modules else policy
        require_suitable(self._learner_hardware, *sizes, self.config)
        return DeviceSACLearner(self.config, seed, self._open_learner(), self._first), policy


def _pair(critics: Any) -> list[Any]:
    """The two critics, if any are given."""
    if critics is None:
        return []
    if not isinstance(critics, list | tuple | nn.ModuleList):
        raise TypeError(f"critics must be two networks, as (one, other), not {type(critics).__name__}")
    if len(critics) != CRITICS:
        raise ValueError(f"critics must be {CRITICS} networks, not {len(critics)}")
    one, other = critics
    if one is other:
        raise ValueError("critics must be two networks, not one of them twice: they would never differ")
    return [one, other]
