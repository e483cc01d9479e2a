"""The figures of the thesis for the engine, by its exact cycles: utilisation, gains over im2col, scaling."""

import dataclasses
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from ....hw.cores.convolution.shape import FractionallyStridedShape
from ....hw.cores.convolution.word_writer_config import WordWriterConfig
from ....hw.cores.float.config import BINARY32, FloatLaneConfig
from ....hw.cores.fractional_convolution.config import FractionalConvolutionConfig, IntegerLaneConfig
from ....hw.cores.fractional_convolution.cycles import total_cycles
from ....hw.cores.fractional_convolution.passes import Pass
from ....hw.cores.fractional_convolution.unit_config import FractionalConvolutionUnitConfig
from ....hw.cores.fractional_convolution.unit_cycles import layer_cycles, load_cycles
from ....hw.cores.memory.config import UnalignedConfig
from ...reference.convolution.counts import kn2row_counts
from .fastest_passes import fastest_passes
from .models import dcgan, decoders, nature_cnn_backward

__all__ = [
    "DCGAN_ENGINE",
    "NATURE_CNN_ENGINE",
    "LayerFigures",
    "DCGAN_UNIT",
    "array_scaling",
    "dcgan_figures",
    "decoder_figures",
    "dcgan_between_maps",
    "figures_of",
    "gammas",
    "nature_cnn_figures",
    "operations_per_cycle",
]

# Table 3.5, with memories that hold a layer's inputs, two passes' weights and the outputs of a channel tile.
DCGAN_ENGINE = FractionalConvolutionConfig(
    cores=2, rows=32, columns=16, input_rows=1 << 16, weight_rows=1 << 14, scratchpad_rows=1 << 13
)
NATURE_CNN_ENGINE = FractionalConvolutionConfig(
    cores=6,
    rows=8,
    columns=8,
    arithmetic=FloatLaneConfig(format=BINARY32, adder_depth=4, multiplier_depth=5),
    input_rows=1 << 15,
    weight_rows=1 << 13,
    scratchpad_rows=1 << 13,
)
# Its unit, with a memory that holds the feature maps before and after each layer.
DCGAN_UNIT = FractionalConvolutionUnitConfig(
    engine=dataclasses.replace(DCGAN_ENGINE, arithmetic=IntegerLaneConfig(sum_width=47)),
    writer=WordWriterConfig(
        lanes=32,
        sum_width=47,
        features=UnalignedConfig(lanes=32, rows=1 << 13, width=16),
        parameter_rows=512,
        levels=3,
    ),
)
# Sizes that the scaling compares: P1, P2 and n.
_SMALL, _LARGE = (2, 4, 2), (8, 16, 2)


@dataclass(frozen=True, kw_only=True)
class LayerFigures:
    """A layer on the engine.

    Parameters
    ----------
    shape : FractionallyStridedShape
    pictures : int
    passes : tuple of Pass
        The fastest ones.
    cycles : int
        From the first command to the last completion, in an idle engine.
    im2col_cycles : int
        Cycles of im2col with all its zeros, on an array of n P1 rows and P2 columns, without start and end.
    elements : int
        Processing elements.
    """

    shape: FractionallyStridedShape
    pictures: int
    passes: tuple[Pass, ...]
    cycles: int
    im2col_cycles: int
    elements: int

    @property
    def products(self) -> int:
        """Products of pixels and weights, cropped ones included; none of them with an inserted or padded zero."""
        return self.pictures * kn2row_counts(self.shape).multiplications

    @property
    def utilisation(self) -> float:
        """Beta of equation 3.15: products over those that the elements could have formed."""
        return self.products / (self.cycles * self.elements)

    @property
    def gain(self) -> float:
        """Utilisation over that of im2col, whose effective products are the same."""
        return self.im2col_cycles / self.cycles

    @property
    def ideal_gain(self) -> float:
        """Products of im2col, zeros included, over those of the engine."""
        return prod(self.shape.output) / prod(self.shape.picture)

    @property
    def gamma(self) -> float:
        """Gain over ideal gain, equation 3.16; above 1 where im2col fills its array less than the engine."""
        return self.gain / self.ideal_gain


def figures_of(config: FractionalConvolutionConfig, shape: FractionallyStridedShape, pictures: int = 1) -> LayerFigures:
    """A layer on an engine, with the fastest passes."""
    passes = fastest_passes(config, shape, pictures)
    pixel_tiles = -(-pictures * prod(shape.output) // (config.cores * config.rows))
    channel_tiles = -(-shape.output_channels // config.columns)
    return LayerFigures(
        shape=shape,
        pictures=pictures,
        passes=passes,
        cycles=total_cycles(config, passes),
        im2col_cycles=pixel_tiles * channel_tiles * shape.elements * shape.input_channels,
        elements=config.elements,
    )


def operations_per_cycle(layers: Iterable[LayerFigures]) -> float:
    """Multiplications and additions a cycle and element, over layers one after the other."""
    found = list(layers)
    return 2 * sum(one.products for one in found) / sum(one.cycles * one.elements for one in found)


@functools.cache
def dcgan_figures(pictures: int) -> tuple[LayerFigures, ...]:
    """DCGAN's generator on its engine of table 3.5."""
    return tuple(figures_of(DCGAN_ENGINE, shape, pictures) for shape in dcgan())


@functools.cache
def nature_cnn_figures(pictures: int) -> tuple[LayerFigures, ...]:
    """Nature-CNN's backward pass on its engine of table 3.5, in binary32."""
    return tuple(figures_of(NATURE_CNN_ENGINE, shape, pictures) for shape in nature_cnn_backward())


@functools.cache
def decoder_figures(stride: int, pictures: int) -> tuple[LayerFigures, ...]:
    """Decoder layers of a stride on DCGAN's engine, as in table 3.5."""
    return tuple(figures_of(DCGAN_ENGINE, shape, pictures) for shape in decoders(stride))


def gammas(pictures: int) -> list[float]:
    """Gamma of every layer of the thesis."""
    layers = [*dcgan_figures(pictures), *nature_cnn_figures(pictures)]
    layers += [one for stride in (2, 3, 4) for one in decoder_figures(stride, pictures)]
    return [one.gamma for one in layers]


def array_scaling(pictures: int) -> float:
    """How many times faster DCGAN is on 8 x 16 x 2 elements than on 2 x 4 x 2, sixteen times fewer."""
    cycles = []
    for rows, columns, cores in (_SMALL, _LARGE):
        # Small arrays need deeper memories for the same numbers.
        config = dataclasses.replace(
            DCGAN_ENGINE,
            rows=rows,
            columns=columns,
            cores=cores,
            input_rows=1 << 20,
            weight_rows=1 << 20,
            scratchpad_rows=1 << 18,
        )
        cycles.append(sum(figures_of(config, shape, pictures).cycles for shape in dcgan()))
    return cycles[0] / cycles[1]


def dcgan_between_maps() -> list[tuple[str, int, int, int]]:
    """Cycles of DCGAN's layers for a picture: layer, the engine alone, from map to map, and the load among these."""
    rows = []
    for number, shape in enumerate(dcgan(), 1):
        passes = fastest_passes(DCGAN_UNIT.engine, shape, between_maps=True)
        alone = figures_of(DCGAN_ENGINE, shape).cycles
        between, load = layer_cycles(DCGAN_UNIT, passes)[-1], load_cycles(DCGAN_UNIT, passes[0])
        rows.append((f"DCGAN layer {number}", alone, between, load))
    return rows
