"""Networks of convolutions as lists of layers, in real numbers: what is quantised, and what that is compared with.

A layer has a name and takes the outputs of earlier layers by theirs; the picture that goes in has the name ``input``. A
dense layer is a convolution with a kernel as large as its picture. Pictures are (rows, columns, channels).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ....hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape, PoolingShape
from ..arrays import RealArray
from . import pooling
from .fractional import stretched
from .operands import require_operands, require_shape
from .toeplitz import padded, windows

__all__ = ["INPUT", "AveragePooling", "Concatenation", "Convolution", "Layer", "MaxPooling", "forward"]

INPUT = "input"


@dataclass(frozen=True, kw_only=True, eq=False)
class Convolution:
    """A convolution, fractionally strided or not, its bias, and ReLU if it is ``rectified``.

    Kernels are (K1, K2, C_in, C_out), the bias is (C_out,).
    """

    name: str
    source: str
    shape: ConvolutionShape | FractionallyStridedShape
    kernels: RealArray
    bias: RealArray
    rectified: bool = False

    def __post_init__(self) -> None:
        picture = np.empty((*self.shape.picture, self.shape.input_channels))
        require_operands(self.shape, picture, self.kernels)
        require_shape("Bias", self.bias, (self.shape.output_channels,))


@dataclass(frozen=True, kw_only=True)
class MaxPooling:
    """The largest number of each window."""

    name: str
    source: str
    shape: PoolingShape


@dataclass(frozen=True, kw_only=True)
class AveragePooling:
    """The average of each window; ``include_padding`` as PyTorch's ``count_include_pad``."""

    name: str
    source: str
    shape: PoolingShape
    include_padding: bool = True


@dataclass(frozen=True, kw_only=True)
class Concatenation:
    """Outputs of the same rows and columns, channels one after another."""

    name: str
    sources: tuple[str, ...]


Layer = Convolution | MaxPooling | AveragePooling | Concatenation


class _OneSource(Protocol):
    """A layer of any numbers that is no concatenation."""

    @property
    def source(self) -> str: ...


def forward(layers: Sequence[Layer], picture: RealArray) -> dict[str, RealArray]:
    """The outputs of all layers in float64, by name; ``input`` is the picture.

    Raises
    ------
    ValueError
        A layer that takes what no earlier layer gives, or two of one name.
    """
    outputs = {INPUT: np.asarray(picture, np.float64)}
    for layer in layers:
        require_sources(layer, outputs)
        outputs[layer.name] = _forward(layer, outputs)
    return outputs


def sources(layer: _OneSource | Concatenation) -> tuple[str, ...]:
    """The names of what a layer takes."""
    return layer.sources if isinstance(layer, Concatenation) else (layer.source,)


def require_sources(layer: Layer, known: Mapping[str, object]) -> None:
    """Raise ValueError unless a layer's sources are known and its name is not."""
    if layer.name in known:
        raise ValueError(f"Layer names must differ, and there are two of {layer.name!r}")
    for source in sources(layer):
        if source not in known:
            raise ValueError(f"Source of {layer.name!r} must be one of {', '.join(known)}, not {source!r}")


def _forward(layer: Layer, outputs: Mapping[str, RealArray]) -> RealArray:
    if isinstance(layer, Concatenation):
        return np.concatenate([outputs[source] for source in layer.sources], axis=2)
    picture = outputs[layer.source]
    if isinstance(layer, MaxPooling):
        return pooling.max_pool(layer.shape, picture)
    if isinstance(layer, AveragePooling):
        divisors = pooling.divisors(layer.shape, layer.include_padding)
        return pooling.window_sums(layer.shape, picture) / divisors[..., None]
    require_shape("Picture", picture, (*layer.shape.picture, layer.shape.input_channels))
    if isinstance(layer.shape, FractionallyStridedShape):
        every, kernels = windows(stretched(layer.shape, picture), layer.shape.kernel, (1, 1)), layer.kernels[::-1, ::-1]
    else:
        every, kernels = windows(padded(layer.shape, picture), layer.shape.kernel, layer.shape.stride), layer.kernels
    result = np.tensordot(every, kernels.astype(np.float64), 3) + layer.bias
    return np.maximum(result, 0) if layer.rectified else result
