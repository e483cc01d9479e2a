"""Weight matrices that are dense, grouped, or made sparse in the ways that grouping is compared with."""

from abc import ABC, abstractmethod

import torch
from torch import nn

from .flgw import grouped

__all__ = ["CirculantWeight", "DenseWeight", "GroupedWeight", "PrunedWeight", "SparseWeight"]

# The weights that pruning takes away in the end, as the paper compares methods at half of the weights.
PRUNED = 0.5
BLOCK = 2


class SparseWeight(nn.Module, ABC):
    """A matrix of which not all weights need take part."""

    @abstractmethod
    def forward(self) -> torch.Tensor:
        """The weights, with zeros for those that take no part."""

    def advance(self, progress: float) -> None:
        """Prunes after an update, ``progress`` (0 to 1) of the way to the final sparsity; nothing, unless it prunes."""


class DenseWeight(SparseWeight):
    """All weights take part.

    Parameters
    ----------
    weight
        First values, M x N.
    """

    def __init__(self, weight: torch.Tensor):
        super().__init__()
        self.weight = nn.Parameter(weight)

    def forward(self) -> torch.Tensor:
        return self.weight


class GroupedWeight(DenseWeight):
    """Fully learnable weight grouping, as `flgw.grouped` has it.

    Parameters
    ----------
    weight
        First values, M x N.
    input_grouping, output_grouping
        First values of IG, M x G, and OG, G x N.
    gradient
        ``"unmasked"`` or ``"dense"``.
    """

    def __init__(
        self, weight: torch.Tensor, input_grouping: torch.Tensor, output_grouping: torch.Tensor, gradient: str
    ):
        super().__init__(weight)
        self.input_grouping = nn.Parameter(input_grouping)
        self.output_grouping = nn.Parameter(output_grouping)
        self.gradient = gradient

    def forward(self) -> torch.Tensor:
        return grouped(self.weight, self.input_grouping, self.output_grouping, self.gradient)


class PrunedWeight(DenseWeight):
    """Iterative pruning: after every update the smallest weights go, a larger share each time, and stay away.

    Parameters
    ----------
    weight
        First values.
    """

    kept: torch.Tensor

    def __init__(self, weight: torch.Tensor):
        super().__init__(weight)
        self.register_buffer("kept", torch.ones_like(weight))

    def forward(self) -> torch.Tensor:
        return self.weight * self.kept

    def advance(self, progress: float) -> None:
        count = int(PRUNED * progress * self.kept.numel())
        with torch.no_grad():
            # Those pruned before count as smallest, so they are among the pruned again.
            smallest = torch.topk((self.weight.abs() * self.kept).flatten(), count, largest=False, sorted=False).indices
            self.kept.view(-1)[smallest] = 0


class CirculantWeight(SparseWeight):
    """Block circulant: in every block of 2 x 2 the diagonal is one weight and the other diagonal another.

    Half of the weights are stored, all positions are used. With pruning on top it is group-sparse training: of the
    stored weights, iterative pruning takes away half.

    Parameters
    ----------
    rows, columns
        Rows and columns of the matrix; the last block of an odd number is cut.
    weight
        First values of the stored weights: half the rows, rounded up, x half the columns, rounded up, x 2.
    pruned
        Whether the stored weights are pruned.
    """

    def __init__(self, rows: int, columns: int, weight: torch.Tensor, pruned: bool):
        super().__init__()
        self.rows, self.columns = rows, columns
        self.stored = (PrunedWeight if pruned else DenseWeight)(weight)

    @staticmethod
    def stored_shape(rows: int, columns: int) -> tuple[int, int, int]:
        """The shape of the stored weights."""
        return -(-rows // BLOCK), -(-columns // BLOCK), BLOCK

    def forward(self) -> torch.Tensor:
        blocks = self.stored()
        place = torch.arange(BLOCK)
        matrix = blocks[:, :, (place[None, :] - place[:, None]) % BLOCK].permute(0, 2, 1, 3)
        return matrix.reshape(BLOCK * blocks.shape[0], -1)[: self.rows, : self.columns]

    def advance(self, progress: float) -> None:
        self.stored.advance(progress)
