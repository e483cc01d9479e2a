"""Nodes of a convolutional network: what each takes, gives, and computes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ....hw.cores.checks import require_integer, require_kind
from ....hw.cores.convolution.shape import NO_PADDING, ConvolutionShape, FractionallyStridedShape, PoolingShape

__all__ = [
    "Addition", "AveragePooling", "Concatenation", "Convolution", "FeatureMap", "FractionallyStridedConvolution",
    "Input", "Layer", "MaxPooling", "Node", "Pair", "Padding",
]  # fmt: skip

Pair = tuple[int, int]
Padding = tuple[Pair, Pair]
# A shape of the hardware; additions, concatenations and the input have none.
Layer = ConvolutionShape | FractionallyStridedShape | PoolingShape


@dataclass(frozen=True, kw_only=True)
class FeatureMap:
    """A feature map, which goes from node to node.

    Parameters
    ----------
    channels : int
    picture : pair of int
        Rows and columns.
    """

    channels: int
    picture: Pair

    def __str__(self) -> str:
        return f"{self.channels} x {self.picture[0]} x {self.picture[1]}"


@dataclass(frozen=True, kw_only=True)
class Input:
    """The input of the network.

    Parameters
    ----------
    name : str
    channels : int
    picture : pair of int
        Rows and columns.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind or out of its range.
    """

    name: str
    channels: int
    picture: Pair

    def __post_init__(self) -> None:
        require_kind("Name", self.name, str)
        require_integer("Channels", self.channels, 1)
        if not isinstance(self.picture, tuple) or len(self.picture) != 2:
            raise TypeError(f"Picture must be a pair of integers, not {self.picture!r}")
        for size in self.picture:
            require_integer("Picture", size, 1)

    @property
    def sources(self) -> tuple[str, ...]:
        """None."""
        return ()

    def layer(self, maps: Sequence[FeatureMap]) -> None:
        """None: nothing is computed."""

    def output(self, maps: Sequence[FeatureMap]) -> FeatureMap:
        """The input itself."""
        return FeatureMap(channels=self.channels, picture=self.picture)


@dataclass(frozen=True, kw_only=True)
class _Window:
    """A node that moves a window over the output of another.

    ``kernel`` and ``stride`` are pairs (rows, columns), ``padding`` is ((top, bottom), (left, right)).
    """

    name: str
    source: str
    kernel: Pair
    stride: Pair = (1, 1)
    padding: Padding = NO_PADDING
    relu: bool = False

    def __post_init__(self) -> None:
        require_kind("Name", self.name, str)
        require_kind("Source", self.source, str)
        require_kind("ReLU", self.relu, bool)

    @property
    def sources(self) -> tuple[str, ...]:
        """The one source."""
        return (self.source,)

    @property
    def _window(self) -> dict[str, Any]:
        return {"kernel": self.kernel, "stride": self.stride, "padding": self.padding}


@dataclass(frozen=True, kw_only=True)
class Convolution(_Window):
    """A convolution with a bias. A linear layer after a flattening is one whose kernel is the whole picture.

    Parameters
    ----------
    name, source : str
    channels : int
        C_out.
    kernel, stride : pair of int
        Rows and columns.
    padding : pair of pairs of int
        ((top, bottom), (left, right)).
    relu : bool
        Whether ReLU follows.
    """

    channels: int

    def layer(self, maps: Sequence[FeatureMap]) -> ConvolutionShape:
        """The shape, with the picture and the channels of the source."""
        (given,) = maps
        return ConvolutionShape(
            input_channels=given.channels, output_channels=self.channels, picture=given.picture, **self._window
        )

    def output(self, maps: Sequence[FeatureMap]) -> FeatureMap:
        """The node's output."""
        return FeatureMap(channels=self.channels, picture=self.layer(maps).output)


@dataclass(frozen=True, kw_only=True)
class FractionallyStridedConvolution(_Window):
    """A fractionally strided, or transposed, convolution with a bias.

    Parameters
    ----------
    name, source : str
    channels : int
        C_out.
    kernel, stride : pair of int
        Rows and columns; output pixels from one input pixel to the next.
    padding : pair of pairs of int
        Rows and columns that are cropped from the output: ((top, bottom), (left, right)).
    output_padding : pair of int
        Rows that the output has more at the bottom, columns that it has more on the right; below the stride.
    relu : bool
        Whether ReLU follows.
    """

    channels: int
    output_padding: Pair = (0, 0)

    def layer(self, maps: Sequence[FeatureMap]) -> FractionallyStridedShape:
        """The shape, with the picture and the channels of the source."""
        (given,) = maps
        return FractionallyStridedShape(
            input_channels=given.channels,
            output_channels=self.channels,
            picture=given.picture,
            output_padding=self.output_padding,
            **self._window,
        )

    def output(self, maps: Sequence[FeatureMap]) -> FeatureMap:
        """The node's output."""
        return FeatureMap(channels=self.channels, picture=self.layer(maps).output)


@dataclass(frozen=True, kw_only=True)
class _Pooling(_Window):
    ceil_mode: bool = False

    def layer(self, maps: Sequence[FeatureMap]) -> PoolingShape:
        """The shape, with the picture and the channels of the source."""
        (given,) = maps
        return PoolingShape(channels=given.channels, picture=given.picture, ceil_mode=self.ceil_mode, **self._window)

    def output(self, maps: Sequence[FeatureMap]) -> FeatureMap:
        """The node's output."""
        return FeatureMap(channels=maps[0].channels, picture=self.layer(maps).output)


@dataclass(frozen=True, kw_only=True)
class MaxPooling(_Pooling):
    """The largest number of each window, channel by channel.

    Parameters
    ----------
    name, source : str
    kernel, stride : pair of int
        Rows and columns.
    padding : pair of pairs of int
        ((top, bottom), (left, right)), below the kernel.
    ceil_mode : bool
        Whether a last window may reach over the padded picture.
    relu : bool
        Whether ReLU follows.
    """


@dataclass(frozen=True, kw_only=True)
class AveragePooling(_Pooling):
    """The average of each window, channel by channel.

    Parameters
    ----------
    name, source : str
    kernel, stride : pair of int
        Rows and columns.
    padding : pair of pairs of int
        ((top, bottom), (left, right)), below the kernel.
    ceil_mode : bool
        Whether a last window may reach over the padded picture.
    include_padding : bool
        Whether a sum is divided by the pixels of its window within the padded picture, and not within the picture
        alone.
    relu : bool
        Whether ReLU follows.
    """

    include_padding: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        require_kind("Include padding", self.include_padding, bool)


@dataclass(frozen=True, kw_only=True)
class _Join:
    """A node that takes several others."""

    name: str
    sources: tuple[str, ...]
    relu: bool = False

    def __post_init__(self) -> None:
        require_kind("Name", self.name, str)
        require_kind("ReLU", self.relu, bool)
        require_kind("Sources", self.sources, tuple)
        if not self.sources:
            raise ValueError("Sources must be at least one node, not none")
        for source in self.sources:
            require_kind("Source", source, str)

    def layer(self, maps: Sequence[FeatureMap]) -> None:
        """None: no window is moved."""

    def _require_equal(self, what: str, values: Sequence[Any]) -> None:
        if len(set(values)) > 1:
            found = ", ".join(f"{value} of {name!r}" for value, name in zip(values, self.sources, strict=True))
            raise ValueError(f"{what} of all sources must be equal, not {found}")


@dataclass(frozen=True, kw_only=True)
class Concatenation(_Join):
    """Channels of all sources one after another.

    Parameters
    ----------
    name : str
    sources : tuple of str
        In the order of their channels.
    relu : bool
        Whether ReLU follows.
    """

    def output(self, maps: Sequence[FeatureMap]) -> FeatureMap:
        """The node's output."""
        self._require_equal("Pictures", [f"{rows} x {columns}" for rows, columns in (each.picture for each in maps)])
        return FeatureMap(channels=sum(each.channels for each in maps), picture=maps[0].picture)


@dataclass(frozen=True, kw_only=True)
class Addition(_Join):
    """The sum of all sources, element by element.

    Parameters
    ----------
    name : str
    sources : tuple of str
    relu : bool
        Whether ReLU follows.
    """

    def output(self, maps: Sequence[FeatureMap]) -> FeatureMap:
        """The node's output."""
        self._require_equal("Feature maps", [str(each) for each in maps])
        return maps[0]


Node = Input | Convolution | FractionallyStridedConvolution | MaxPooling | AveragePooling | Concatenation | Addition
