"""DDPG with prioritised replay on PEARL."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import gymnasium
from torch import nn

from ...algorithms.actor_critic_config import PrioritizedDDPGConfig
from ...algorithms.ddpg_learner import DDPGLearner
from ...algorithms.first_layers import FirstLayers
from ...algorithms.policies import NoisyActor
from ...algorithms.replay_parameters import ReplayParameters
from ...core.environments.environment import Environment
from .agent import ReplayAgent
from .device_ddpg_learner import DeviceDDPGLearner, require_suitable

__all__ = ["DDPG"]


class DDPG(ReplayAgent):
    """Deep deterministic policy gradient, for bounded vector actions.

    Parameters
    ----------
    env, config
        As of :class:`.ReplayAgent`.
    actor, critic
        Networks of the user's, whose weights are the first; one of the two may be omitted, and they do not change
        themselves. ``torch.nn.Sequential`` of ``Linear`` and ``ReLU`` in turn is computed by every backend, and says
        the hidden sizes. Any other ``torch.nn.Module`` from rows to rows learns in PyTorch's autograd, without actors
        (there are none then, if nobody says otherwise); `load` needs one like it. The actor gives an action before its
        ``tanh``, which is computed in any case; a ``Sequential`` may end with ``Tanh`` all the same. The critic takes
        an observation and behind it an action.
    **settings
        Settings of :class:`.ReplayAgent`.

    Raises
    ------
    TypeError, ValueError
        As of :class:`.ReplayAgent`; or a network that takes or gives other sizes, or computes something else, or that
        the learner in hardware does not have.
    """

    name = "prioritized-ddpg"
    configuration: ClassVar[type[ReplayParameters]] = PrioritizedDDPGConfig
    kind: ClassVar[type[Environment]] = Environment
    config: PrioritizedDDPGConfig
    learner: DDPGLearner | DeviceDDPGLearner

    def __init__(
        self,
        env: gymnasium.Env | str | Callable[[], gymnasium.Env],
        config: PrioritizedDDPGConfig | None = None,
        *,
        actor: Any = None,
        critic: Any = None,
        **settings: Any,
    ):
        self._first = FirstLayers.of(actor, [] if critic is None else [critic], last=nn.Tanh)
        super().__init__(
            env, config, **self._fitting({"actor": [self._first.actor], "critic": self._first.critics}, settings)
        )

    def _sized(self, config: PrioritizedDDPGConfig) -> PrioritizedDDPGConfig:
        return self._first.sized(config)

    def _make_networks(self, seed: int) -> tuple[DDPGLearner | DeviceDDPGLearner, NoisyActor]:
        sizes = self.environment.observation_size, self.environment.action_size
        self._first.require(*sizes, self.environment.action_size, "one an element of an action")
        policy = NoisyActor(self.config, self.environment.action_size)
        if self._learner_hardware is None:
            learner = DDPGLearner(*sizes, self.config, seed, self._first)
            return learner, replace(policy, outputs=learner.outputs) if "actor" in self.modules else policy
        require_suitable(self._learner_hardware, *sizes, self.config)
        return DeviceDDPGLearner(self.config, seed, self._open_learner(), self._first), policy
