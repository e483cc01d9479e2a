"""The interface of environments for a search."""

from typing import Any, Protocol, runtime_checkable

__all__ = ["StateEnvironment"]


@runtime_checkable
class StateEnvironment(Protocol):
    """An environment that can go back to where it was.

    From a state, actions alone decide what comes: what is random is part of the state, so that two processes that
    take the same action from the same state come to the same one. An instance is pickled as a description of its
    kind, without the state it is in: each simulation process makes its own.

    Members
    -------
    name : str
        For people and for files.
    actions : int
        How many there are; an action is a number from 0.
    players : int
        1, or 2 who take turns and of whom one wins what the other loses.
    """

    name: str
    actions: int
    players: int

    def reset(self, seed: int) -> None:
        """Begin an episode, a function of the seed alone."""
        ...

    def step(self, action: int) -> tuple[float, bool]:
        """Take an action: the reward of the player who took it, and whether the episode has ended."""
        ...

    def save(self) -> Any:
        """The state: an object that can be pickled and that later steps do not change."""
        ...

    def restore(self, state: Any) -> None:
        """Go back to a saved state."""
        ...

    def legal_actions(self) -> int:
        """Bit a is 1 if action a exists here. Not 0 unless the episode has ended."""
        ...

    def player(self) -> int:
        """The player to move: 0, or 1 where there are two."""
        ...
