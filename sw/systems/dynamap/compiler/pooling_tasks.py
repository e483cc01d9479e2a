"""The commands of poolings, and of copies from map to map."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .....hw.cores.convolution.command_records import flat_command
from .....hw.cores.convolution.pool_commands import (
    average_windows,
    distinct_multipliers,
    equal_parts,
    pool_cycles,
    pool_windows,
)
from .....hw.cores.convolution.shape import PoolingShape
from .....hw.cores.convolution.word_commands import FeatureMap
from .....hw.soc.dynamap.config import DynamapConfig
from ....reference.convolution.layers import MaxPooling
from ....reference.convolution.quantization import IntegerAverage
from .parameter_rows import ParameterRows
from .places import Map, Places
from .tasks import Task

__all__ = ["copy_task", "pooling_tasks"]


def pooling_tasks(
    hardware: DynamapConfig, layer: MaxPooling | IntegerAverage, places: Places, parameters: ParameterRows
) -> Iterator[Task]:
    """A pooling of a network."""
    source = places.maps[places.targets[layer.source][0]]
    into, target = places.maps[places.targets[layer.name][0]], places.target(layer.name)
    config = hardware.pooling
    if isinstance(layer, MaxPooling):
        yield _largest(hardware, layer.shape, source, into, target, parameters, layer.name)
        return
    multipliers = layer.multiplier.tolist()
    row = _row(hardware, parameters, distinct_multipliers(multipliers))
    commands = average_windows(
        config, layer.shape, target, place=source.place, parameter_row=row, multipliers=multipliers,
        shift=layer.shift, rectifies=0,
    )  # fmt: skip
    for command, (part, _) in zip(commands, equal_parts(multipliers), strict=True):
        yield _task(command, pool_cycles(config, layer.shape, part), source, into, layer.name)


def copy_task(
    hardware: DynamapConfig, source: Map, into: Map, target: FeatureMap, parameters: ParameterRows, layer: str
) -> Task:
    """A map to channels of another one: the largest of windows of a single pixel."""
    lines, columns, channels = source.size
    shape = PoolingShape(channels=channels, picture=(lines, columns), kernel=(1, 1))
    return _largest(hardware, shape, source, into, target, parameters, layer)


def _row(hardware: DynamapConfig, parameters: ParameterRows, multipliers: Sequence[int]) -> int:
    """Rows of parameters without biases, each with a multiplier that holds for all channels."""
    words = np.repeat(np.array(multipliers, np.int64), hardware.columns)
    return parameters.add(np.zeros_like(words), words)


def _largest(
    hardware: DynamapConfig,
    shape: PoolingShape,
    source: Map,
    into: Map,
    target: FeatureMap,
    parameters: ParameterRows,
    layer: str,
) -> Task:
    command = pool_windows(
        hardware.pooling, shape, target, place=source.place, parameter_row=_row(hardware, parameters, [1]),
        maximum=True, shift=0, rectifies=0,
    )  # fmt: skip
    return _task(command, pool_cycles(hardware.pooling, shape), source, into, layer)


def _task(command: Mapping, cycles: int, source: Map, into: Map, layer: str) -> Task:
    return Task(
        instruction="pool",
        engine="pooling",
        fields=lambda: flat_command(command),
        reads=frozenset((source.name, line) for line in range(source.size[0])),
        writes=frozenset((into.name, line) for line in range(into.size[0])),
        fills=True,
        after=into.after,
        users=frozenset({source.name, into.name}),
        cycles=cycles,
        layer=layer,
    )
