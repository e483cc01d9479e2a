"""The commands of fractionally strided convolutions: passes of FSCAccel's engine, from map to map."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from .....hw.cores.convolution.command_records import flat_command
from .....hw.cores.convolution.shape import FractionallyStridedShape
from .....hw.cores.fractional_convolution.passes import Pass
from .....hw.cores.fractional_convolution.unit_commands import layer_commands, parameter_channels
from .....hw.cores.fractional_convolution.unit_config import FractionalConvolutionUnitConfig
from .....hw.cores.fractional_convolution.unit_cycles import layer_cycles
from .....hw.soc.dynamap.config import DynamapConfig
from ....mapping.fractional_convolution.fastest_passes import fastest_passes
from ....mapping.fractional_convolution.operands import weight_rows
from ....reference.arrays import IntegerArray
from ....reference.convolution.quantization import IntegerConvolution
from .kernel_buffer import LOAD, Fillings
from .parameter_rows import ParameterRows
from .places import Places
from .tasks import Task

__all__ = ["FRACTIONAL", "FractionalPlan", "FractionalWeights"]

# Beginning of the keys of packets with weights of passes.
FRACTIONAL = ("fractional weights",)


class FractionalPlan:
    """A fractionally strided convolution on the device: the passes of the fewest cycles.

    Parameters
    ----------
    hardware : DynamapConfig
    layer : IntegerConvolution
        A layer of a :class:`.FractionallyStridedShape`.
    parameters : ParameterRows
        Gets its biases and multipliers.

    Members
    -------
    passes : tuple of Pass

    Raises
    ------
    ValueError
        The device cannot compute it; the text says why.
    """

    def __init__(self, hardware: DynamapConfig, layer: IntegerConvolution, parameters: ParameterRows):
        assert isinstance(layer.shape, FractionallyStridedShape)
        if hardware.fractional_unit is None:
            raise ValueError(
                f"Layer {layer.name!r} is fractionally strided, and device {hardware.name} has no engine for that"
            )
        self.hardware, self.layer = hardware, layer
        self.unit: FractionalConvolutionUnitConfig = hardware.fractional_unit
        try:
            self.passes = fastest_passes(self.unit.engine, layer.shape, between_maps=True)
        except ValueError as error:
            raise ValueError(f"Layer {layer.name!r}: {error}") from None
        self._parameter_row = self._add_parameters(parameters)

    def _add_parameters(self, parameters: ParameterRows) -> int:
        """Rows of which each pass begins one."""
        channels = parameter_channels(self.unit, self.passes)
        tables = [np.zeros((len(channels), self.unit.writer.lanes), np.int64) for _ in range(2)]
        for values, table in zip((self.layer.bias, self.layer.multiplier), tables, strict=True):
            for row, found in enumerate(channels):
                table[row, : len(found)] = values[found.start : found.stop]
        return parameters.add(*(table.reshape(-1) for table in tables))

    def rows(self, one: Pass) -> int:
        """Rows of the weight memory that a pass takes."""
        return one.blocks * one.shape.input_channels

    def weights(self, number: int) -> IntegerArray:
        """Rows of the weights of a pass: (rows, N)."""
        return np.asarray(weight_rows(self.passes[number], self.layer.kernels), np.int64)

    def tasks(self, places: Places, weights: "FractionalWeights") -> Iterator[Task]:
        """The passes, the loads of their weights before them where these are not there."""
        source = places.maps[places.targets[self.layer.source][0]]
        into, target = places.maps[places.targets[self.layer.name][0]], places.target(self.layer.name)
        ends = layer_cycles(self.unit, self.passes)
        found = [weights.place(self, number) for number in range(len(self.passes))]
        passes = [replace(one, weight_row=place.row) for one, place in zip(self.passes, found, strict=True)]

        @cache
        def commands() -> list[dict]:
            where = {"place": source.place, "parameter_row": self._parameter_row}
            words = {"shift": self.layer.shift, "rectifies": int(self.layer.rectified)}
            return layer_commands(self.unit, passes, target, **where, **words)

        def fields(number: int) -> Callable[[], dict[str, int]]:
            return lambda: flat_command(commands()[number])

        for number, place in enumerate(found):
            if place.load is not None:
                yield place.load
            yield Task(
                instruction="convolve",
                engine="fractional",
                fields=fields(number),
                reads=frozenset((source.name, line) for line in range(source.size[0])) | {place.resource},
                writes=frozenset((into.name, line) for line in range(into.size[0])),
                fills=True,
                after=into.after,
                users=frozenset({source.name, into.name, place.filling}),
                cycles=ends[number] - (ends[number - 1] if number else 0),
                layer=self.layer.name,
            )


@dataclass(frozen=True, kw_only=True)
class _Place:
    """The place of a pass's weights: the row, the filling of the half that it is in, and what loads them."""

    row: int
    filling: str = ""
    load: Task | None = None

    @property
    def resource(self) -> tuple[str, str, int]:
        return "fractional weights", self.filling, self.row


class FractionalWeights:
    """Where weights of passes are: all of a network, if they fit; else halves of the memory are filled in turn.

    Parameters
    ----------
    hardware : DynamapConfig
    plans : list of FractionalPlan
        Plans of all layers, in order.

    Members
    -------
    resident : dict, or None
        Row of each pass by layer and number, if all fit.
    """

    def __init__(self, hardware: DynamapConfig, plans: list[FractionalPlan]):
        self._hardware = hardware
        self._room = hardware.fractional.weight_rows if hardware.fractional else 0
        self._fillings = Fillings(self._room // 2)
        self.resident: dict[tuple[str, int], int] | None = {}
        row = 0
        for plan in plans:
            for number, one in enumerate(plan.passes):
                self.resident[plan.layer.name, number] = row
                row += plan.rows(one)
        if row > self._room:
            self.resident = None

    def place(self, plan: FractionalPlan, number: int) -> _Place:
        """The place of the next pass's weights.

        Raises
        ------
        ValueError
            A half of the memory does not hold its weights.
        """
        name, rows = plan.layer.name, plan.rows(plan.passes[number])
        if self.resident is not None:
            return _Place(row=self.resident[name, number])
        if rows > self._room // 2:
            raise ValueError(
                f"Layer {name!r}: weights of a pass must be at most {self._room // 2} rows, half of those of "
                f"device {self._hardware.name}, not {rows}"
            )
        filling, row = self._fillings.take(rows)
        region = self._hardware.host_map.region("fractional_weights")
        place = _Place(row=(filling & 1) * (self._room // 2) + row, filling=_name(filling))
        count = rows * region.parts
        load = Task(
            instruction="load",
            engine="transfer",
            fields=lambda: {"memory": region.number, "base": place.row * region.parts, "count": count},
            writes=frozenset({place.resource}),
            after=frozenset({_name(filling - 2)}),
            cycles=count + LOAD,
            packet=(*FRACTIONAL, name, number),
            layer=name,
        )
        return replace(place, load=load)


def _name(filling: int) -> str:
    return f"fractional weights, filling {filling}"
