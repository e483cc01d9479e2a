"""A sum tree on a GPU: each level of a batch at once."""

import torch

__all__ = ["TorchSumTree"]


class TorchSumTree:
    """Priorities in float32, node n with the children 2 n and 2 n + 1: section 4.4.1.1, as many workers as requests.

    Parameters
    ----------
    leaves : int
    place : torch.device
    """

    def __init__(self, leaves: int, place: torch.device):
        self.depth = (leaves - 1).bit_length()
        self.sums = torch.zeros(2 << self.depth, device=place)

    def sample(self, draws: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Indices and priorities of draws in [0, 1): the first leaf whose prefix sum is above the draw's."""
        left = draws * self.sums[1]
        nodes = torch.ones_like(draws, dtype=torch.int64)
        for _ in range(self.depth):
            nodes = 2 * nodes
            first = self.sums[nodes]
            # A draw that rounding has put after all others stays where there are priorities.
            second = (left >= first) & (self.sums[nodes + 1] > 0)
            left = torch.where(second, left - first, left)
            nodes = nodes + second
        return nodes - (1 << self.depth), self.sums[nodes]

    def update(self, indices: torch.Tensor, priorities: torch.Tensor) -> None:
        """Set priorities; of an index that comes twice one of them holds."""
        nodes = indices + (1 << self.depth)
        self.sums[nodes] = priorities
        for _ in range(self.depth):
            nodes = nodes // 2
            self.sums[nodes] = self.sums[2 * nodes] + self.sums[2 * nodes + 1]
