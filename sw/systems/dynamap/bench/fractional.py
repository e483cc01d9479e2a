"""Rows of the bench for FSCAccel, fractionally strided convolutions: gains over im2col, utilisation, scaling.

Figures of kind "model" are by the exact cycles of the engine, those of kind "counted" are cycles of the RTL.
"""

from collections.abc import Sequence
from statistics import mean
from typing import Any

from .....hw.cores.fractional_convolution.config import FractionalConvolutionConfig
from ....mapping.fractional_convolution.figures import (
    DCGAN_ENGINE,
    NATURE_CNN_ENGINE,
    array_scaling,
    dcgan_figures,
    decoder_figures,
    gammas,
    nature_cnn_figures,
    operations_per_cycle,
)
from ....measurement.bench import make_row
from .counted_cycles import error_row
from .fractional_cycles import ENGINES, counted_layers

__all__ = [
    "PICTURES",
    "STRIDES",
    "counted_error",
    "counted_gain",
    "gain",
    "gamma",
    "nature_operations",
    "operations",
    "scaling",
]

STRIDES = (2, 3, 4)
# At a time. The source does not say how many it has.
PICTURES = 8
# Section 3.2.5; gains are "about 4" at stride 2 and "near" the square of the stride.
PAPER_GAINS = {2: 4, 3: 9, 4: 16}
PAPER_GAMMA = 90
PAPER_OPERATIONS = 1.83
PAPER_SCALING = 14.5


def gain(stride: int, pictures: int = PICTURES) -> dict[str, Any]:
    """Effective utilisation over that of im2col on an array of as many elements, mean of decoder layers."""
    gains = [one.gain for one in decoder_figures(stride, pictures)]
    how = f"{_where(DCGAN_ENGINE, pictures)}: mean of {len(gains)} decoder layers, {_span(gains)}"
    return make_row(round(mean(gains), 3), "times", "model", how, PAPER_GAINS[stride])


def gamma(pictures: int = PICTURES) -> dict[str, Any]:
    """Gain over ideal gain, equation 3.16, mean of all layers; at most 100 % of each."""
    found = gammas(pictures)
    how = (
        f"{_at_a_time(pictures)}: mean of {len(found)} layers of DCGAN, Nature-CNN's backward pass and decoders, each "
        f"counted as 100 % at most; {_span([100 * one for one in found])} %"
    )
    return make_row(round(100 * mean(min(one, 1) for one in found), 1), "%", "model", how, PAPER_GAMMA)


def operations(pictures: int = PICTURES) -> dict[str, Any]:
    """Multiplications and additions a cycle and element, DCGAN's generator."""
    found = dcgan_figures(pictures)
    shares = ", ".join(f"{100 * one.utilisation:.1f}" for one in found)
    how = f"{_where(DCGAN_ENGINE, pictures)}; its {len(found)} layers keep the elements busy for {shares} %"
    return make_row(round(operations_per_cycle(found), 3), "operations", "model", how, PAPER_OPERATIONS)


def nature_operations(pictures: int = PICTURES) -> dict[str, Any]:
    """The same of Nature-CNN's backward pass, in binary32."""
    how = f"{_where(NATURE_CNN_ENGINE, pictures)}, binary32"
    return make_row(round(operations_per_cycle(nature_cnn_figures(pictures)), 3), "operations", "model", how)


def scaling(pictures: int = PICTURES) -> dict[str, Any]:
    """How many times faster DCGAN's generator is on sixteen times as many elements."""
    how = f"from 2 x 4 x 2 to 8 x 16 x 2 elements, {_at_a_time(pictures)}, all of DCGAN's generator"
    return make_row(round(array_scaling(pictures), 2), "times", "model", how, PAPER_SCALING)


def counted_gain(stride: int) -> dict[str, Any]:
    """The gain as in `gain`, by the cycles of the RTL."""
    name = f"decoders, stride {stride}"
    gains = [one.gain for one in counted_layers(name)]
    how = (
        f"{_where(ENGINES[name], 1)}, an eighth of the channels: mean of {len(gains)} decoder layers, {_span(gains)}; "
        f"im2col's cycles by its formula; every output compared"
    )
    return make_row(round(mean(gains), 3), "times", "counted", how)


def counted_error() -> dict[str, Any]:
    """Largest error over all layers of the cycles in rows of kind "model", compared with the RTL's."""
    found = [one.cycles for name in ENGINES for one in counted_layers(name)]
    how = (
        "layers of DCGAN, Nature-CNN's backward pass (binary32) and decoders at an eighth of the rows, columns and "
        "channels, one picture; every output compared"
    )
    return error_row(found, how)


def _where(config: FractionalConvolutionConfig, pictures: int) -> str:
    engine = f"{config.cores} cores of {config.rows} x {config.columns}"
    return f"{engine}, {_at_a_time(pictures)}"


def _at_a_time(pictures: int) -> str:
    return "a picture at a time" if pictures == 1 else f"{pictures} pictures at a time"


def _span(values: Sequence[float]) -> str:
    return f"from {min(values):.3g} to {max(values):.3g}"
