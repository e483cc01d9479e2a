"""The RTL of a sum tree beside its reference: every answer compared."""

from typing import TYPE_CHECKING, Any

from ..core.lockstep import Comparison
from ..reference.replay.requests import Answers, Requests

if TYPE_CHECKING:
    from .replay_backends import SumTreeBackend

__all__ = ["LockstepSumTree"]


class LockstepSumTree(Comparison):
    """A :class:`.SumTreeBackend` that asks both. They share requests and answers as values, and no row of a wire.

    Parameters
    ----------
    reference
        Tree whose answers count.
    device
        Device that has to give the same ones.

    Raises
    ------
    LockstepError
        At the first answer that differs.
    """

    reference: "SumTreeBackend"
    device: Any

    def __init__(self, reference: "SumTreeBackend", device: Any):
        super().__init__(reference, device, 1, "Packet")
        self.config = reference.config

    @property
    def cycles(self) -> int:
        """Cycles of the device's last instruction."""
        return self.device.cycles

    def request(self, requests: Requests) -> Answers:
        """Answers to requests."""
        return self.both("answers", lambda tree: tree.request(requests), Answers.columns)

    def sample(self, count: int, segment: int) -> Answers:
        """Answers to samples and the total's."""
        return self.both("samples", lambda tree: tree.sample(count, segment), Answers.columns)

    def seed(self, state: int) -> None:
        """Set both generators."""
        self.reference.seed(state)
        self.device.seed(state)

    def clear(self) -> None:
        """Make all priorities zero."""
        self.reference.clear()
        self.device.clear()
