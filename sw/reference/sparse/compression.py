"""The walk over unmasked parameters, and the compressed weights that it leads to."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import FlagArray, IntegerArray
from .lists import GroupTable, weight_places

__all__ = ["compress", "decompress", "parameter_words"]

Scalar = TypeVar("Scalar", bound=np.generic)


def parameter_words(
    forward: GroupTable,
    row_list: IntegerArray,
    vectors: FlagArray,
    *,
    lanes: int,
    banks: int,
    row_words: int,
    parameter_base: int = 0,
    every_word: bool = False,
) -> dict[str, IntegerArray]:
    """The stream of the address generator: a dictionary of arrays, an element for each word.

    Parameters
    ----------
    forward : GroupTable
        Starts count from the beginning of ``row_list``.
    row_list : array
    vectors : array of bool
        ``[group, own column]``
    """
    names = (
        ("parameter_address", "row", "column", "group", "weight_address", "phase", "turn"),
        ("mask",),
    )
    parts: dict[str, list[IntegerArray]] = {name: [] for name in (*names[0], *names[1])}
    for place, group in enumerate(forward.group):
        rows = row_list[forward.inner_start[place] :][: forward.inner_count[place]]
        masks = np.zeros((row_words, lanes), bool)
        masks.reshape(-1)[: vectors.shape[1]] = vectors[group]
        before = np.concatenate([[0], np.cumsum(masks.sum(axis=1))[:-1]])
        visited = np.arange(row_words) if every_word else np.flatnonzero(masks.any(axis=1))
        rank, block = (part.ravel() for part in np.meshgrid(np.arange(len(rows)), visited, indexing="ij"))
        found = {
            "parameter_address": parameter_base + rows[rank] * row_words + block,
            "row": rows[rank],
            "column": block * lanes,
            "group": np.full(len(rank), group),
            "weight_address": forward.weights_base[place] + rank * forward.pitch[place] + before[block] // banks,
            "phase": before[block] % banks,
            "turn": (rank + before[block]) % banks,
            "mask": masks[block] @ (1 << np.arange(lanes)),
        }
        for name, part in found.items():
            parts[name].append(part)
    return {name: np.concatenate(part).astype(np.int64) for name, part in parts.items()}


def compress(
    weights: NDArray[Scalar],
    forward: GroupTable,
    row_list: IntegerArray,
    column_list: IntegerArray,
    memory: NDArray[Scalar],
) -> None:
    """Put the unmasked ones of ``weights[row, own column]`` into ``memory[bank, address]``."""
    rows, columns, _, banks, addresses = weight_places(forward, row_list, column_list, len(memory))
    memory[banks, addresses] = weights[rows, columns]


def decompress(
    memory: NDArray[Scalar],
    forward: GroupTable,
    row_list: IntegerArray,
    column_list: IntegerArray,
    weights: NDArray[Scalar],
) -> None:
    """Put what ``memory[bank, address]`` has of unmasked weights into ``weights[row, own column]``."""
    rows, columns, _, banks, addresses = weight_places(forward, row_list, column_list, len(memory))
    weights[rows, columns] = memory[banks, addresses]
