"""How many stages each layer of a learner's networks has. No Amaranth here."""

from dataclasses import dataclass

__all__ = ["ACTOR", "CRITIC", "ONLINE_AND_TARGET", "NetworkStages"]


@dataclass(frozen=True, kw_only=True)
class NetworkStages:
    """Stages with units that each layer of a network has.

    Parameters
    ----------
    forward, backward, gradients : int
        The first layer has no backward stage.
    to_inputs : int
        But these, for the errors at the network's inputs.
    """

    forward: int
    backward: int = 1
    gradients: int = 1
    to_inputs: int = 0

    def count(self, first: bool) -> int:
        """Stages of a layer."""
        return self.forward + self.gradients + (self.to_inputs if first else self.backward)


ONLINE_AND_TARGET = NetworkStages(forward=2)
# SAC's actor has its second forward stages for the next observations: it has no target.
ACTOR = ONLINE_AND_TARGET
# At actions that were taken, at the actor's own, and of the target; the actor's errors come through it.
CRITIC = NetworkStages(forward=3, backward=2, to_inputs=1)
