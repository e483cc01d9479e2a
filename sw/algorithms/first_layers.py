"""Networks of the user's for an actor and its critics."""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from torch import nn

from ..networks.module_network import require_module
from ..networks.user_network import Layers, OwnNetwork, hidden_sizes, take_network
from .actor_critic_config import ActorCriticConfig

__all__ = ["FirstLayers"]

Configuration = TypeVar("Configuration", bound=ActorCriticConfig)


@dataclass(frozen=True)
class FirstLayers:
    """First weights (outputs x inputs) and biases of networks that are the user's, or modules, and none of the others.

    Parameters
    ----------
    actor
        ``None``: it is not the user's.
    critics
        All of them; those that are perceptrons with hidden layers of the same sizes. Empty: they are not the user's.
    """

    actor: OwnNetwork | None = None
    critics: list[OwnNetwork] = field(default_factory=list)

    @classmethod
    def of(cls, actor: Any, critics: Iterable[Any], last: type[nn.Module] | None = None) -> "FirstLayers":
        """First layers of PyTorch modules, as `take_network` takes them.

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
            As `take_network`; or critics with hidden layers of different sizes.
        """
        found = [take_network(critic, "critic") for critic in critics]
        sizes = [hidden_sizes(critic) for critic in found if not isinstance(critic, nn.Module)]
        if len(set(sizes)) > 1:
            raise ValueError(f"Critics must have hidden layers of the same sizes, not {' and '.join(map(str, sizes))}")
        return cls(None if actor is None else take_network(actor, "actor", last), found)

    def sized(self, config: Configuration) -> Configuration:
        """The configuration with the sizes of the networks that are perceptrons; a module's are its own."""
        actor, critic = config.hidden_sizes, config.critic_sizes
        if self.actor is not None and not isinstance(self.actor, nn.Module):
            actor = hidden_sizes(self.actor)
        if self.critics and not isinstance(self.critics[0], nn.Module):
            critic = hidden_sizes(self.critics[0])
        return dataclasses.replace(config, hidden_sizes=actor, critic_hidden_sizes=None if critic == actor else critic)

    def require(self, observation_size: int, action_size: int, outputs: int, what: str) -> None:
        """Refuse networks that take or give other sizes than the environment has.

        Parameters
        ----------
        observation_size, action_size
            Observation size and action size of the environment.
        outputs
            Outputs of the actor.
        what
            They are, for people.

        Raises
        ------
        ValueError
            What the network must take and give, and what it does.
        """
        if isinstance(self.actor, nn.Module):
            require_module(self.actor, "actor", observation_size, outputs)
        elif self.actor is not None and _ends(self.actor) != (observation_size, outputs):
            raise ValueError(
                f"The actor must take the {observation_size} elements of an observation and give {outputs} values, "
                f"{what}, not take {_ends(self.actor)[0]} and give {_ends(self.actor)[1]}"
            )
        for critic in self.critics:
            if isinstance(critic, nn.Module):
                require_module(critic, "critic", observation_size + action_size, 1)
            elif _ends(critic) != (observation_size + action_size, 1):
                raise ValueError(
                    f"A critic must take the {observation_size} elements of an observation and behind them the "
                    f"{action_size} of an action, {observation_size + action_size} in all, and give 1 value, not take "
                    f"{_ends(critic)[0]} and give {_ends(critic)[1]}"
                )


def _ends(layers: Layers) -> tuple[int, int]:
    """Inputs and outputs of a network."""
    return layers[0][0].shape[1], layers[-1][0].shape[0]
