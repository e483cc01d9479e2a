"""Networks of the user's for an actor and its critics."""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from torch import nn

from ..networks.user_network import Layers, hidden_sizes, perceptron_layers
from .actor_critic_config import ActorCriticConfig

__all__ = ["FirstLayers"]

Configuration = TypeVar("Configuration", bound=ActorCriticConfig)


@dataclass(frozen=True)
class FirstLayers:
    """First weights (outputs x inputs) and biases of networks that are the user's, and none of the others.

    Parameters
    ----------
    actor
        ``None``: it is not the user's.
    critics
        All of them, with hidden layers of the same sizes; empty: they are not the user's.
    """

    actor: Layers | None = None
    critics: list[Layers] = field(default_factory=list)

    @classmethod
    def of(cls, actor: Any, critics: Iterable[Any], last: type[nn.Module] | None = None) -> "FirstLayers":
        """Those of modules of PyTorch, as `perceptron_layers` takes them.

        Parameters
        ----------
        actor
            ``None``: none is given.
        critics
            Empty: none are given.
        last
            What may stand at the actor's end.

        Raises
        ------
        TypeError, ValueError
            As `perceptron_layers`; or critics with hidden layers of different sizes.
        """
        found = [perceptron_layers(critic, "critic") for critic in critics]
        if len({hidden_sizes(layers) for layers in found}) > 1:
            told = " and ".join(str(hidden_sizes(layers)) for layers in found)
            raise ValueError(f"Critics must have hidden layers of the same sizes, not {told}")
        return cls(None if actor is None else perceptron_layers(actor, "actor", last), found)

    def sized(self, config: Configuration) -> Configuration:
        """The configuration with the sizes of the networks."""
        actor = config.hidden_sizes if self.actor is None else hidden_sizes(self.actor)
        critic = hidden_sizes(self.critics[0]) if self.critics else config.critic_sizes
        return dataclasses.replace(config, hidden_sizes=actor, critic_hidden_sizes=None if critic == actor else critic)

    def require(self, observation_size: int, action_size: int, outputs: int, what: str) -> None:
        """Refuse networks that take or give other sizes than the environment has.

        Parameters
        ----------
        observation_size, action_size
            Of the environment.
        outputs
            Of the actor.
        what
            They are, for people.

        Raises
        ------
        ValueError
            What the network must take and give, and what it does.
        """
        if self.actor is not None and _ends(self.actor) != (observation_size, outputs):
            raise ValueError(
                f"The actor must take the {observation_size} elements of an observation and give {outputs} values, "
                f"{what}, not take {_ends(self.actor)[0]} and give {_ends(self.actor)[1]}"
            )
        for critic in self.critics:
            if _ends(critic) != (observation_size + action_size, 1):
                raise ValueError(
                    f"A critic must take the {observation_size} elements of an observation and behind them the "
                    f"{action_size} of an action, {observation_size + action_size} in all, and give 1 value, not take "
                    f"{_ends(critic)[0]} and give {_ends(critic)[1]}"
                )


def _ends(layers: Layers) -> tuple[int, int]:
    """What a network takes and gives."""
    return layers[0][0].shape[1], layers[-1][0].shape[0]
