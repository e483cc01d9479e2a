"""The commands of poolings, and of copies from map to map."""

import math
from collections.abc import Iterator

import numpy as np

from .....hw.cores.convolution.command_records import flat_command
from .....hw.cores.convolution.shape import PoolingShape
from .....hw.cores.convolution.store_commands import FeatureMap, pool_windows
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
    channels = layer.shape.channels
    if isinstance(layer, MaxPooling):
        multiplier, shift = 1, 0
    else:
        found = np.unique(layer.multiplier)
        if len(found) > 1:
            raise ValueError(f"Layer {layer.name!r}: windows of different sizes")
        multiplier, shift = int(found[0]), layer.shift
    row = parameters.add(np.zeros(channels, np.int64), np.full(channels, multiplier, np.int64))
    into, _ = places.targets[layer.name]
    yield _task(
        hardware, layer.shape, source, places.maps[into], places.target(layer.name), layer.name,
        maximum=isinstance(layer, MaxPooling), parameter_row=row, shift=shift,
    )  # fmt: skip


def copy_task(
    hardware: DynamapConfig, source: Map, into: Map, target: FeatureMap, parameters: ParameterRows, layer: str
) -> Task:
    """A map to channels of another one: the largest of windows of a single pixel."""
    lines, columns, channels = source.size
    shape = PoolingShape(channels=channels, picture=(lines, columns), kernel=(1, 1))
    row = parameters.add(np.zeros(channels, np.int64), np.ones(channels, np.int64))
    return _task(hardware, shape, source, into, target, layer, maximum=True, parameter_row=row, shift=0)


def _task(
    hardware: DynamapConfig,
    shape: PoolingShape,
    source: Map,
    into: Map,
    target: FeatureMap,
    layer: str,
    *,
    maximum: bool,
    parameter_row: int,
    shift: int,
) -> Task:
    command = pool_windows(
        hardware.pooling, shape, target, place=source.place, parameter_row=parameter_row, maximum=maximum,
        shift=shift, rectifies=0,
    )  # fmt: skip
    cycles = math.prod(command["window"]["nest"]["counts"]) + 10
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
