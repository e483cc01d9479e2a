"""Reference of the arbiters of memory ports."""

from collections.abc import Sequence

__all__ = ["ArbiterReference"]


class ArbiterReference:
    """Who has the port in a cycle.

    Parameters
    ----------
    users : int
    """

    def __init__(self, users: int):
        self.users = users

    def decide(self, asks: Sequence[bool]) -> tuple[int | None, bool]:
        """The user with the port, or None, and whether two ask.

        Parameters
        ----------
        asks : sequence of bool
            A truth value for each user.
        """
        asking = [user for user, ask in enumerate(asks) if ask]
        return (asking[0] if asking else None), len(asking) > 1
