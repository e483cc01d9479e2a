"""Quantisation of a network to integers, and its inference on them.

It is symmetric: a real number is ``word * scale``, and scales make ``2**(width - 1) - 1`` of the largest magnitude.
Weights have a scale for each output channel. Activations have one for each tensor, by its largest magnitude on
calibration pictures. Max pooling and concatenation move words, so what they take and give has one scale.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ....hw.cores.checks import require_integer
from ....hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape, PoolingShape
from ..arrays import IntegerArray, RealArray
from . import fractional, pooling
from .algorithms import Algorithm, im2col
from .layers import INPUT, AveragePooling, Concatenation, Convolution, Layer, MaxPooling, forward, sources
from .requantization import multipliers, requantize

__all__ = ["Inference", "IntegerAverage", "IntegerConvolution", "IntegerLayer", "QuantizedNetwork", "quantize"]

# The least scale of a channel's weights, as a part of the layer's largest. Channels share a shift: the multiplier of a
# smaller scale would have few bits.
LEAST_SCALE = 2.0**-8


@dataclass(frozen=True, kw_only=True, eq=False)
class IntegerConvolution:
    """A convolution on integers: kernels (K1, K2, C_in, C_out), and for :func:`.requantize` bias, multiplier and shift.

    ``weight_scales`` (C_out,) are what the words of the kernels mean.
    """

    name: str
    source: str
    shape: ConvolutionShape | FractionallyStridedShape
    kernels: IntegerArray
    bias: IntegerArray
    multiplier: IntegerArray
    shift: int
    rectified: bool
    weight_scales: RealArray


@dataclass(frozen=True, kw_only=True, eq=False)
class IntegerAverage:
    """An average pooling on integers: the multiplier (O1, O2, 1) of each window's sum, and the shift."""

    name: str
    source: str
    shape: PoolingShape
    multiplier: IntegerArray
    shift: int


IntegerLayer = IntegerConvolution | IntegerAverage | MaxPooling | Concatenation


@dataclass(frozen=True, kw_only=True, eq=False)
class Inference:
    """The words of all tensors by name, and how many of each layer were saturated."""

    words: Mapping[str, IntegerArray]
    saturated: Mapping[str, int]


@dataclass(frozen=True, kw_only=True, eq=False)
class QuantizedNetwork:
    """Layers on integers.

    Parameters
    ----------
    layers : tuple of IntegerLayer
    scales : mapping
        The scale of each tensor, by the name of its layer or ``input``.
    width : int
        Bits of weights and activations.
    accumulator_width : int
        Bits of the sums.
    """

    layers: tuple[IntegerLayer, ...]
    scales: Mapping[str, float]
    width: int
    accumulator_width: int

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the layers that no other takes, in their order."""
        taken = {source for layer in self.layers for source in sources(layer)}
        return tuple(layer.name for layer in self.layers if layer.name not in taken)

    def to_words(self, picture: RealArray) -> IntegerArray:
        """The words of a picture that goes in; raises ValueError unless all of its numbers are finite."""
        if not np.isfinite(picture).all():
            raise ValueError("Picture must be finite")
        return _to_words(picture, self.scales[INPUT], self.width)

    def to_numbers(self, name: str, words: IntegerArray) -> RealArray:
        """Convert the words of a tensor to numbers."""
        return words.astype(np.float64) * self.scales[name]

    def infer(self, words: IntegerArray, algorithm: Algorithm = im2col) -> Inference:
        """The words of all layers for those of a picture; whatever the algorithm, they are the same.

        Raises
        ------
        ValueError
            Sums that do not fit the accumulators.
        """
        tensors, saturated = {INPUT: words}, {}
        for layer in self.layers:
            tensors[layer.name], saturated[layer.name] = self._infer(layer, tensors, algorithm)
        return Inference(words=tensors, saturated=saturated)

    def _infer(
        self, layer: IntegerLayer, tensors: Mapping[str, IntegerArray], algorithm: Algorithm
    ) -> tuple[IntegerArray, int]:
        if isinstance(layer, Concatenation):
            return np.concatenate([tensors[source] for source in layer.sources], axis=2), 0
        picture = tensors[layer.source]
        if isinstance(layer, MaxPooling):
            return pooling.max_pool(layer.shape, picture), 0
        if isinstance(layer, IntegerAverage):
            return pooling.average_pool(
                layer.shape,
                picture,
                multiplier=layer.multiplier,
                shift=layer.shift,
                output_width=self.width,
                accumulator_width=self.accumulator_width,
            )
        if isinstance(layer.shape, FractionallyStridedShape):
            sums = fractional.kn2row(layer.shape, picture, layer.kernels)
        else:
            sums = algorithm(layer.shape, picture, layer.kernels)
        return requantize(
            sums,
            multiplier=layer.multiplier,
            shift=layer.shift,
            bias=layer.bias,
            rectified=layer.rectified,
            output_width=self.width,
            accumulator_width=self.accumulator_width,
        )


def quantize(
    layers: Sequence[Layer], calibration: Sequence[RealArray], *, width: int = 8, accumulator_width: int = 32
) -> QuantizedNetwork:
    """A network on integers of ``width`` bits.

    Parameters
    ----------
    layers : sequence of Layer
    calibration : sequence of array (rows, columns, channels)
        Pictures whose activations set the scales.
    width : int
        Bits of weights and activations, 2 to 16.
    accumulator_width : int
        Bits of the sums; 16-bit layers of many products want 44 or so.

    Raises
    ------
    TypeError, ValueError
        A width out of its range, no calibration picture, a layer that takes what no earlier layer gives, weights,
        biases or activations that are not finite, or scales so far apart that no multiplier takes one to the other.
    """
    require_integer("Width", width, 2, 16)
    require_integer("Accumulator width", accumulator_width, 2 * width, 47)
    scales = _activation_scales(layers, calibration, width)
    return QuantizedNetwork(
        layers=tuple(_quantize(layer, scales, width, accumulator_width) for layer in layers),
        scales=scales,
        width=width,
        accumulator_width=accumulator_width,
    )


def _activation_scales(layers: Sequence[Layer], calibration: Sequence[RealArray], width: int) -> dict[str, float]:
    if not len(calibration):
        raise ValueError("Calibration must have at least one picture, not 0")
    peaks: dict[str, float] = {}
    for picture in calibration:
        for name, output in forward(layers, picture).items():
            if not np.isfinite(output).all():
                raise ValueError(f"Activations of {name!r} must be finite")
            peaks[name] = max(peaks.get(name, 0.0), float(np.abs(output).max()))
    shared = _one_scale(layers)
    groups: dict[str, float] = {}
    for name, peak in peaks.items():
        groups[shared(name)] = max(groups.get(shared(name), 0.0), peak)
    # A tensor that is always 0 is 0 at any scale; with the largest of all, no multiplier to it is too large.
    most = max(groups.values()) or 1.0
    return {name: (groups[shared(name)] or most) / _largest(width) for name in peaks}


def _one_scale(layers: Sequence[Layer]) -> Callable[[str], str]:
    """A function from a tensor's name to the name that stands for all tensors of its scale."""
    leaders: dict[str, str] = {}

    def leader(name: str) -> str:
        while name in leaders:
            name = leaders[name]
        return name

    for layer in layers:
        if isinstance(layer, MaxPooling | Concatenation):
            for source in sources(layer):
                if leader(source) != leader(layer.name):
                    leaders[leader(source)] = leader(layer.name)
    return leader


def _quantize(layer: Layer, scales: Mapping[str, float], width: int, accumulator_width: int) -> IntegerLayer:
    if isinstance(layer, MaxPooling | Concatenation):
        return layer
    ratio = scales[layer.source] / scales[layer.name]
    if isinstance(layer, AveragePooling):
        multiplier, shift = pooling.average_multipliers(layer.shape, layer.include_padding, ratio)
        return IntegerAverage(
            name=layer.name, source=layer.source, shape=layer.shape, multiplier=multiplier, shift=shift
        )
    for name, array in (("Kernels", layer.kernels), ("Biases", layer.bias)):
        if not np.isfinite(array).all():
            raise ValueError(f"{name} of {layer.name!r} must be finite")
    weight_scales = _weight_scales(layer, scales[layer.source], width, accumulator_width)
    multiplier, shift = multipliers(weight_scales * ratio)
    return IntegerConvolution(
        name=layer.name,
        source=layer.source,
        shape=layer.shape,
        kernels=_to_words(layer.kernels, weight_scales, width),
        bias=np.floor(layer.bias / (weight_scales * scales[layer.source]) + 0.5).astype(np.int64),
        multiplier=multiplier,
        shift=shift,
        rectified=layer.rectified,
        weight_scales=weight_scales,
    )


def _weight_scales(layer: Convolution, source_scale: float, width: int, accumulator_width: int) -> RealArray:
    """A scale for each output channel, no smaller than its bias and the multiplier allow."""
    own = np.abs(layer.kernels).max(axis=(0, 1, 2)).astype(np.float64) / _largest(width)
    # The bias takes a quarter of the accumulator's range at most, and leaves the rest to the products.
    of_bias = np.abs(layer.bias).astype(np.float64) / (source_scale * 2.0 ** (accumulator_width - 3))
    every = np.maximum(own, of_bias)
    return np.maximum(every, every.max() * LEAST_SCALE or 1.0)


def _to_words(numbers: RealArray, scale: float | RealArray, width: int) -> IntegerArray:
    words = np.floor(np.asarray(numbers, np.float64) / scale + 0.5)
    return np.clip(words, -_largest(width), _largest(width)).astype(np.int64)


def _largest(width: int) -> int:
    return (1 << width - 1) - 1
