"""Fully learnable weight grouping in PyTorch: masks from grouping matrices, and their straight-through gradient."""

from typing import Any

import torch

from .ic3net_config import GROUPING_GRADIENTS

__all__ = ["column_groups", "grouped", "grouping_gradients", "mask", "row_groups"]


def row_groups(input_grouping: torch.Tensor) -> torch.Tensor:
    """The group of each row: where the row of IG (M x G) has its maximum, the lowest of equal ones."""
    return _first_maximum(input_grouping, dim=1)


def column_groups(output_grouping: torch.Tensor) -> torch.Tensor:
    """The group of each column: where the column of OG (G x N) has its maximum, the lowest of equal ones."""
    return _first_maximum(output_grouping, dim=0)


def _first_maximum(values: torch.Tensor, dim: int) -> torch.Tensor:
    # Unlike `Tensor.argmax`, which does not say which of equal maxima it takes.
    return (values == values.amax(dim=dim, keepdim=True)).to(torch.uint8).argmax(dim=dim)


def mask(input_grouping: torch.Tensor, output_grouping: torch.Tensor) -> torch.Tensor:
    """IS x OS (M x N): whether row and column are of one group."""
    return row_groups(input_grouping)[:, None] == column_groups(output_grouping)[None, :]


def grouped(
    weight: torch.Tensor, input_grouping: torch.Tensor, output_grouping: torch.Tensor, gradient: str = "unmasked"
) -> torch.Tensor:
    """Weights that the mask leaves over, with gradients for weights and grouping matrices.

    ``weight * (IS x OS)``; IS is one-hot of the row maxima of IG, OS one-hot of the column maxima of OG. The gradient
    of a grouping matrix is that of its selection matrix: ``dmask = dW_eff * weight``, ``dIG = dmask x OS^T``,
    ``dOG = IS^T x dmask``.

    Parameters
    ----------
    weight
        M x N.
    input_grouping, output_grouping
        IG, M x G, and OG, G x N.
    gradient
        ``"dense"``: as above. ``"unmasked"``: with ``dmask`` only where the mask is one, which is all that a sparse
        device computes: a row and a column learn how well their own group suits them.
    """
    if gradient not in GROUPING_GRADIENTS:
        raise ValueError(f"gradient must be {' or '.join(GROUPING_GRADIENTS)}, not {gradient!r}")
    return _Grouped.apply(weight, input_grouping, output_grouping, gradient == "dense")


def grouping_gradients(
    of_mask: torch.Tensor, rows: torch.Tensor, columns: torch.Tensor, groups: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Gradients of IG and OG: ``dmask x OS^T`` and ``IS^T x dmask``, for the groups of rows and columns."""
    input_selection = torch.nn.functional.one_hot(rows, groups).to(of_mask.dtype)
    output_selection = torch.nn.functional.one_hot(columns, groups).to(of_mask.dtype)
    return of_mask @ output_selection, input_selection.T @ of_mask


class _Grouped(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weight: Any, input_grouping: Any, output_grouping: Any, dense: Any) -> Any:
        rows, columns = row_groups(input_grouping), column_groups(output_grouping)
        selected = (rows[:, None] == columns[None, :]).to(weight.dtype)
        groups = input_grouping.shape[1]
        ctx.save_for_backward(weight, selected, rows, columns)
        ctx.groups, ctx.dense = groups, dense
        return weight * selected

    @staticmethod
    def backward(ctx: Any, gradient: Any) -> Any:
        weight, selected, rows, columns = ctx.saved_tensors
        of_weight = gradient * selected
        of_mask = (gradient if ctx.dense else of_weight) * weight
        return of_weight, *grouping_gradients(of_mask, rows, columns, ctx.groups), None
