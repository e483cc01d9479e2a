"""Products with grouped weights that compute only what takes part: one small dense block for each group."""

import torch

from .flgw import column_groups, grouping_gradients, row_groups
from .sparse_weights import DenseWeight, GroupedWeight, SparseWeight

__all__ = ["GroupedProduct"]

# Smaller matrices are faster whole, zeros included.
LEAST_ELEMENTS = 1 << 15


class _Blocks:
    """Where rows (or columns) go: group g's, in natural order, to block g; shorter blocks are padded.

    Parameters
    ----------
    groups
        The group of each row.
    count
        How many groups there are.
    """

    def __init__(self, groups: torch.Tensor, count: int):
        order = torch.argsort(groups, stable=True)
        sizes = torch.bincount(groups, minlength=count)
        self.sizes = sizes
        longest = max(int(sizes.max()), 1)
        within = torch.arange(len(groups)) - (sizes.cumsum(0) - sizes)[groups[order]]
        # The row in each place of each block; padding repeats row 0.
        self.rows = torch.zeros(count, longest, dtype=torch.long)
        self.rows[groups[order], within] = order
        self.valid = torch.arange(longest) < sizes[:, None]
        self.place = torch.empty_like(order)
        self.place[order] = within
        # And back: the place of each row when the blocks stand one after another.
        self.flat = groups * longest + self.place

    def gather(self, values: torch.Tensor) -> torch.Tensor:
        """Rows x anything to blocks x places x anything."""
        return values.index_select(0, self.rows.view(-1)).view(*self.rows.shape, -1)

    def scatter(self, blocks: torch.Tensor) -> torch.Tensor:
        """Blocks x places x anything to rows x anything."""
        return blocks.reshape(-1, blocks.shape[-1]).index_select(0, self.flat)


class GroupedProduct:
    """A layer's products for an iteration, for activations that are features x vectors.

    Parameters
    ----------
    weight
        Dense or grouped; weights and grouping matrices as they are now.

    Members
    -------
    values, mask, effective
        Weights, which of them take part (``None``: all), and the weights with zeros for the others.
    taking_part
        How many do.
    """

    def __init__(self, weight: SparseWeight):
        if not isinstance(weight, DenseWeight):
            raise TypeError(f"Weight must be dense or grouped, not {type(weight).__name__}")
        self.values = weight.weight.detach()
        self.mask: torch.Tensor | None = None
        self.taking_part = self.values.numel()
        self.groups, self.dense_gradient = 1, False
        self._blocks: torch.Tensor | None = None
        if not isinstance(weight, GroupedWeight):
            self.effective = self.values
            return
        self.groups, self.dense_gradient = weight.input_grouping.shape[1], weight.gradient == "dense"
        self.row_groups = row_groups(weight.input_grouping.detach())
        self.column_groups = column_groups(weight.output_grouping.detach())
        self.mask = self.row_groups[:, None] == self.column_groups
        self.taking_part = int(self.mask.sum())
        self.effective = self.values * self.mask
        if self.values.numel() >= LEAST_ELEMENTS:
            self._rows = _Blocks(self.row_groups, self.groups)
            self._columns = _Blocks(self.column_groups, self.groups)
            valid = self._rows.valid[:, :, None] & self._columns.valid[:, None]
            self._blocks = self.values[self._rows.rows[:, :, None], self._columns.rows[:, None]] * valid
            self._transposed = self._blocks.transpose(1, 2).contiguous()

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Outputs, N x vectors, of inputs, M x vectors."""
        if self._blocks is None:
            return self.effective.T @ inputs
        return self._columns.scatter(torch.bmm(self._transposed, self._rows.gather(inputs)))

    def backward(self, errors: torch.Tensor) -> torch.Tensor:
        """Errors of the inputs, M x vectors, from those of the outputs, N x vectors."""
        if self._blocks is None:
            return self.effective @ errors
        return self._rows.scatter(torch.bmm(self._blocks, self._columns.gather(errors)))

    def gradients(self, inputs: torch.Tensor, errors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Gradients of the weights and, if they are grouped, of IG and OG, over all vectors and steps."""
        if self._blocks is None or self.dense_gradient:
            gradient = inputs @ errors.T
        else:
            blocks = torch.bmm(self._rows.gather(inputs), self._columns.gather(errors).transpose(1, 2))
            gradient = self._rows.scatter(blocks)[:, self._columns.place]
        if self.mask is None:
            return (gradient,)
        masked = gradient * self.mask
        of_mask = (gradient if self.dense_gradient else masked) * self.values
        return masked, *grouping_gradients(of_mask, self.row_groups, self.column_groups, self.groups)
