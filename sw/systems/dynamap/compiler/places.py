"""Where feature maps stand in the device's memory."""

from collections.abc import Mapping
from dataclasses import dataclass

from .....hw.cores.convolution.shape import PoolingShape
from .....hw.cores.convolution.word_commands import FeatureMap
from .....hw.cores.memory.config import UnalignedConfig
from ....reference.convolution.layers import INPUT, Concatenation, sources
from ....reference.convolution.quantization import IntegerLayer, QuantizedNetwork

__all__ = ["Map", "Places", "map_sizes", "place_maps"]


@dataclass(frozen=True, kw_only=True)
class Map:
    """A feature map.

    Parameters
    ----------
    name : str
    size : (int, int, int)
        Lines, columns and channels.
    place : int
        Place of its first element.
    after : frozenset of str
        Maps that stood there before.
    """

    name: str
    size: tuple[int, int, int]
    place: int
    after: frozenset[str] = frozenset()

    @property
    def words(self) -> int:
        """Elements."""
        return self.size[0] * self.size[1] * self.size[2]


@dataclass(frozen=True, kw_only=True, eq=False)
class Places:
    """The places of a network's feature maps.

    Parameters
    ----------
    maps : dict of str to Map
        By name; a branch that is written into a concatenation has none of its own.
    targets : dict of str to (str, int)
        Target of each layer's output: the map that it is in, and its first channel there.
    copies : tuple of (str, str, int)
        Maps that are copied into a concatenation, because others also take them: from, to, first channel.
    channels : dict of str to int
        Channels of each layer's output.
    """

    maps: Mapping[str, Map]
    targets: Mapping[str, tuple[str, int]]
    copies: tuple[tuple[str, str, int], ...]
    channels: Mapping[str, int]

    def target(self, name: str) -> FeatureMap:
        """Where the words of a layer's output go."""
        into, first = self.targets[name]
        return self.inside(into, first)

    def inside(self, into: str, first: int) -> FeatureMap:
        """A map from a channel on."""
        return FeatureMap(place=self.maps[into].place, channels=self.maps[into].size[2], first=first)


def place_maps(network: QuantizedNetwork, memory: UnalignedConfig, *, keep: bool) -> Places:
    """Places for all feature maps of a network; a place is used again when nobody reads the map any more.

    Parameters
    ----------
    network
    memory
        Memory of the device.
    keep
        Maps stay until the end, so that the host can read all of them.

    Raises
    ------
    ValueError
        They do not fit; the text says how many words there would have to be.
    """
    sizes = map_sizes(network)
    takers: dict[str, list[IntegerLayer]] = {name: [] for name in sizes}
    for layer in network.layers:
        for source in sources(layer):
            takers[source].append(layer)
    joins = {layer.name for layer in network.layers if isinstance(layer, Concatenation)}
    targets, copies = {name: (name, 0) for name in sizes}, []
    for layer in network.layers:
        if isinstance(layer, Concatenation):
            first = 0
            for source in layer.sources:
                if len(takers[source]) == 1 and source not in joins and source != INPUT:
                    targets[source] = layer.name, first
                else:
                    copies.append((source, layer.name, first))
                first += sizes[source][2]
    lives = _lives(network, sizes, targets, keep)
    channels = {name: size[2] for name, size in sizes.items()}
    return Places(maps=_fit(sizes, lives, memory), targets=targets, copies=tuple(copies), channels=channels)


def map_sizes(network: QuantizedNetwork) -> dict[str, tuple[int, int, int]]:
    """Lines, columns and channels of all maps, by name."""
    sizes: dict[str, tuple[int, int, int]] = {}
    for layer in network.layers:
        if not isinstance(layer, Concatenation) and layer.source == INPUT:
            shape = layer.shape
            channels = shape.channels if isinstance(shape, PoolingShape) else shape.input_channels
            sizes[INPUT] = (*shape.picture, channels)
    for layer in network.layers:
        if isinstance(layer, Concatenation):
            lines, columns, _ = sizes[layer.sources[0]]
            channels = sum(sizes[source][2] for source in layer.sources)
        else:
            shape = layer.shape
            lines, columns = shape.output
            channels = shape.channels if isinstance(shape, PoolingShape) else shape.output_channels
        sizes[layer.name] = lines, columns, channels
    return sizes


def _lives(
    network: QuantizedNetwork,
    sizes: Mapping[str, tuple[int, int, int]],
    targets: Mapping[str, tuple[str, int]],
    keep: bool,
) -> dict[str, tuple[int, int]]:
    """The first and the last layer that need each map."""
    last = len(network.layers)
    begins = {INPUT: 0}
    ends: dict[str, int] = {}
    for number, layer in enumerate(network.layers, 1):
        into = targets[layer.name][0]
        begins.setdefault(into, number)
        for source in sources(layer):
            ends[targets[source][0]] = number
    taken = {source for layer in network.layers for source in sources(layer)}
    outputs = {name for name in sizes if name not in taken}
    return {name: (begin, last if keep or name in outputs else ends.get(name, begin)) for name, begin in begins.items()}


def _fit(
    sizes: Mapping[str, tuple[int, int, int]], lives: Mapping[str, tuple[int, int]], memory: UnalignedConfig
) -> dict[str, Map]:
    """First fit, in the order in which maps begin; every map begins with a row."""
    found: dict[str, Map] = {}
    rows: dict[str, tuple[int, int]] = {}
    for name in sorted(lives, key=lambda each: lives[each][0]):
        lines, columns, channels = sizes[name]
        need = -(-lines * columns * channels // memory.lanes)
        live = sorted(rows[other] for other in found if lives[other][1] >= lives[name][0])
        first = 0
        for begin, end in live:
            if begin - first >= need:
                break
            first = max(first, end)
        rows[name] = first, first + need
        before = [
            other
            for other in found
            if lives[other][1] < lives[name][0] and rows[other][0] < first + need and rows[other][1] > first
        ]
        found[name] = Map(name=name, size=sizes[name], place=first * memory.lanes, after=frozenset(before))
    most = max(end for _, end in rows.values())
    if most > memory.rows:
        raise ValueError(
            f"Feature maps must be at most {memory.rows * memory.lanes} words at a time on this device, "
            f"not {most * memory.lanes}"
        )
    return found
