"""How many multiplications each algorithm does and how many are useless: what equations 3.15 and 3.16 divide.

The input of im2col is the stretched picture of :mod:`.fractional` where the convolution is fractionally strided.
"""

from dataclasses import dataclass, replace

import numpy as np

from ....hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape
from .winograd import WinogradTransform, rounds, sub_kernels, to_input_tiles

__all__ = ["Counts", "im2col_counts", "kn2row_counts", "winograd_counts"]


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Multiplications of a layer.

    Parameters
    ----------
    multiplications : int
        All that are done.
    zeros : int
        Products with a factor that is an inserted or a padded zero, whatever the numbers are.
    dropped : int
        Others, the sums of which are cropped.
    """

    multiplications: int
    zeros: int = 0
    dropped: int = 0

    @property
    def effective(self) -> int:
        """Multiplications that an output depends on."""
        return self.multiplications - self.zeros - self.dropped

    @property
    def utilisation(self) -> float:
        """Beta of equation 3.15 for an array whose elements all multiply in every cycle."""
        return self.effective / self.multiplications


def im2col_counts(shape: ConvolutionShape | FractionallyStridedShape) -> Counts:
    """Operation counts of im2col, which multiplies every number of a window, padding and inserted zeros included."""
    every = _pairs(shape, shape.output)
    return Counts(multiplications=every, zeros=every - _effective(shape))


def kn2row_counts(shape: ConvolutionShape | FractionallyStridedShape) -> Counts:
    """No zero is multiplied.

    A convolution multiplies what lands on its output's grid. A fractionally strided one multiplies all pixels by all
    kernel elements, and crops what is beyond its output.
    """
    effective = _effective(shape)
    if isinstance(shape, ConvolutionShape):
        return Counts(multiplications=effective)
    every = _pairs(shape, shape.picture)
    return Counts(multiplications=every, dropped=every - effective)


def winograd_counts(transform: WinogradTransform, shape: ConvolutionShape) -> Counts:
    """Element-wise products of transformed tiles; zeros where all that a factor is made of are zeros around it.

    These are pixels of the padding, or what surrounds a sub-kernel that is smaller than r * r. ``effective`` cannot be
    compared with that of other algorithms: there are fewer products.
    """
    rows, columns = transform.tiles(shape)
    places, channels = transform.tile**2, shape.input_channels * shape.output_channels
    # Without signs nothing cancels: a result is 0 where all of its terms are.
    within = replace(transform, inputs=np.abs(transform.inputs), kernels=np.abs(transform.kernels))
    picture, kernel = np.ones((*shape.picture, 1), np.int64), np.ones((*shape.kernel, 1, 1), np.int64)
    effective = 0
    for turn in rounds(transform, shape):
        inputs = within.transform_inputs(to_input_tiles(transform, shape, picture, turn))
        weights = within.transform_kernels(sub_kernels(transform, kernel, turn))
        effective += int(np.count_nonzero(inputs * weights))
    every = len(rounds(transform, shape)) * places * rows * columns
    return Counts(multiplications=every * channels, zeros=(every - effective) * channels)


def _pairs(shape: ConvolutionShape | FractionallyStridedShape, pixels: tuple[int, int]) -> int:
    """Products of so many pixels and all kernel elements and channels."""
    kernel = shape.kernel[0] * shape.kernel[1]
    return pixels[0] * pixels[1] * kernel * shape.input_channels * shape.output_channels


def _effective(shape: ConvolutionShape | FractionallyStridedShape) -> int:
    """Products of the pixels of the picture and kernel elements that an output pixel has."""
    few, many = (shape.output, shape.picture) if isinstance(shape, ConvolutionShape) else (shape.picture, shape.output)
    count = shape.input_channels * shape.output_channels
    for axis in range(2):
        starts = np.arange(few[axis]) * shape.stride[axis] - shape.padding[axis][0]
        reached = np.add.outer(starts, np.arange(shape.kernel[axis]))
        count *= int(((reached >= 0) & (reached < many[axis])).sum())
    return count
