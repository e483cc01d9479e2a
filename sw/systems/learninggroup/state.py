"""The state of a LearningGroup network in the memories of a device."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ....hw.soc.learninggroup.config import HEADS, Network
from ....hw.soc.learninggroup.instructions import EVERY_CORE, Memory
from ...reference.arrays import RealArray, ValueArray
from ...reference.learninggroup.state import parameter_shapes
from .program.map import LayerPlace, MemoryMap

__all__ = ["DTYPES", "StateLayout", "StatePart", "pad", "rounded_to"]

Scalar = TypeVar("Scalar", bound=np.generic)

# Types of parameters, grouping matrices and mean squares, by the optimiser's format.
DTYPES: dict[str, type[np.floating]] = {"binary16": np.float16, "binary32": np.float32}
SQUARE = {Memory.PARAMETER: Memory.PARAMETER_SQUARE, Memory.GROUPING: Memory.GROUPING_SQUARE}


@dataclass(frozen=True)
class StatePart:
    """The part of an array that a memory holds.

    Parameters
    ----------
    name : str
        Name of the array.
    owner : int
        Core that has these columns.
    memory : Memory
    core : int
        The memory's core; every core for a memory that belongs to none.
    base, count : int
        Rows of the memory.
    """

    name: str
    owner: int
    memory: Memory
    core: int
    base: int
    count: int

    @property
    def square(self) -> "StatePart":
        """The same of the mean squares."""
        return StatePart(f"square/{self.name}", self.owner, SQUARE[self.memory], self.core, self.base, self.count)


class StateLayout:
    """Rows of memories that hold the arrays of a network's state, as words of ``weight_banks`` numbers.

    Parameters
    ----------
    network : Network
    where : MemoryMap

    Members
    -------
    parts : list of StatePart
        All of them, mean squares too.
    """

    def __init__(self, network: Network, where: MemoryMap):
        self.network, self.map = network, where
        self.shapes = parameter_shapes(network)
        self.parts: list[StatePart] = []
        for name in self.shapes:
            self.parts += [one for part in self._parts(name) for one in (part, part.square)]

    def _parts(self, name: str) -> list[StatePart]:
        kind, layer = name.split("/")
        place = self.map.layers[f"bias/{layer}" if kind == "bias" else layer]
        if kind == "input_grouping":
            return [StatePart(name, 0, Memory.GROUPING, EVERY_CORE, place.grouping, place.row_words)]
        if kind == "output_grouping":
            words, first = place.column_words, place.grouping + place.row_words
            return [
                StatePart(name, core, Memory.GROUPING, EVERY_CORE, first + index * words, words)
                for index, core in enumerate(place.cores)
            ]
        return [
            StatePart(name, core, Memory.PARAMETER, core, place.parameter, place.weight_words) for core in place.cores
        ]

    def words(self, part: StatePart, array: ArrayLike) -> RealArray:
        """The rows of a part, (count, ``weight_banks``): zeros where there is nothing."""
        name = part.name.removeprefix("square/")
        values = self.columns_of(name, np.asarray(array, float))[part.owner]
        banks = self.map.hardware.weight_banks
        if "grouping" not in name:
            return pad(values, 1, banks).reshape(-1, banks)
        members = pad(values.T if name.startswith("output") else values, 0, banks)
        # One word per group for the members of a word.
        groups = members.shape[1]
        return members.reshape(-1, banks, groups).transpose(0, 2, 1).reshape(-1, banks)

    def array(self, name: str, words: Mapping[int, ValueArray]) -> ValueArray:
        """An array of the state from the rows of its parts, by their owner."""
        name = name.removeprefix("square/")
        kind, layer = name.split("/")
        place = self.map.layers[layer]
        found = {}
        for owner, rows in words.items():
            if kind == "input_grouping":
                return self._members(rows, place)[: place.rows]
            if kind == "output_grouping":
                found[owner] = self._members(rows, place)[: place.columns].T
            else:
                width = -(-place.columns // place.weight_banks) * place.weight_banks
                found[owner] = rows.reshape(-1, width)[:, : place.columns]
        shape = self.shapes[name]
        gates = 1 if layer in HEADS else place.columns // self.map.units
        columns = [part.reshape(len(part), gates, -1) for _, part in sorted(found.items())]
        joined = np.concatenate(columns, axis=2)
        if layer not in HEADS:
            joined = joined[..., : self.network.hidden_size]
        return joined.reshape(shape)

    def _members(self, rows: ValueArray, place: LayerPlace) -> ValueArray:
        groups = place.groups
        return rows.reshape(-1, groups, place.weight_banks).transpose(0, 2, 1).reshape(-1, groups)

    def columns_of(self, name: str, array: ArrayLike) -> dict[int, RealArray]:
        """Columns of an array (its last axis) that each core holds: zeros where it has fewer units than the
        others."""
        kind, layer = name.split("/")
        array = np.atleast_2d(array)
        place, hidden = self.map.layers[layer], self.network.hidden_size
        if kind == "input_grouping":
            return {0: array}
        if layer in HEADS:
            return {place.cores[0]: array}
        gates = array.reshape(len(array), -1, hidden)
        padded = np.zeros((*gates.shape[:2], self.map.units * len(place.cores)))
        padded[..., :hidden] = gates
        return {
            core: padded[..., core * self.map.units : (core + 1) * self.map.units].reshape(len(array), -1)
            for core in place.cores
        }


def rounded_to(dtype: type[np.floating], numbers: ArrayLike) -> ValueArray:
    """The nearest numbers of a format, ties to even; infinite where they are too large."""
    with np.errstate(over="ignore"):
        return np.asarray(numbers).astype(dtype)


def pad(array: NDArray[Scalar], axis: int, multiple: int, at_least: int = 0) -> NDArray[Scalar]:
    """An array with zeros after it on an axis, up to a multiple, and to a least size."""
    width = max(-(-array.shape[axis] // multiple) * multiple, at_least)
    return np.pad(array, [(0, width - size if number == axis else 0) for number, size in enumerate(array.shape)])
