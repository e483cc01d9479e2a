"""Engines and layers of the tests: sizes that are no powers of two, and corners of all kinds."""

from rewardware.hw.cores.convolution.shape import FractionallyStridedShape
from rewardware.hw.cores.float.config import BINARY32, FloatFormat, FloatLaneConfig
from rewardware.hw.cores.fractional_convolution.config import FractionalConvolutionConfig, IntegerLaneConfig

MEMORIES = {"input_rows": 250, "weight_rows": 901, "scratchpad_rows": 190, "input_channels": 40, "side": 37}
CONFIGURATIONS = {
    "int16, 3 cores of 3 x 2": FractionalConvolutionConfig(cores=3, rows=3, columns=2, **MEMORIES),
    "int16, one of 5 x 7": FractionalConvolutionConfig(
        cores=1, rows=5, columns=7, output_lanes=4, arithmetic=IntegerLaneConfig(multiplier_depth=1), **MEMORIES
    ),
    "binary32, 2 of 3 x 3": FractionalConvolutionConfig(
        cores=2, rows=3, columns=3, arithmetic=FloatLaneConfig(format=BINARY32, multiplier_depth=5), **MEMORIES
    ),
    "small float, 5 of 1 x 1": FractionalConvolutionConfig(
        cores=5,
        rows=1,
        columns=1,
        arithmetic=FloatLaneConfig(
            format=FloatFormat(exponent_bits=4, fraction_bits=5), adder_depth=3, multiplier_depth=1
        ),
        **MEMORIES,
    ),
}


def shape_of(channels, picture, kernel, stride=(1, 1), padding=((0, 0), (0, 0)), added=(0, 0)):
    return FractionallyStridedShape(
        input_channels=channels[0],
        output_channels=channels[1],
        picture=picture,
        kernel=kernel,
        stride=stride,
        padding=padding,
        output_padding=added,
    )


# The shape of each layer, the pictures that it takes together, and the channels of a pass.
LAYERS = (
    (shape_of((3, 5), (4, 3), (3, 2), (2, 3)), 1, 2),
    (shape_of((1, 1), (1, 1), (1, 1)), 1, 1),
    (shape_of((1, 1), (2, 9), (3, 3)), 1, 1),
    (shape_of((1, 4), (1, 1), (2, 3)), 7, 3),
    (shape_of((9, 3), (3, 3), (4, 4), (2, 2), ((1, 1), (1, 1))), 2, 3),
    (shape_of((40, 4), (2, 3), (3, 3), (2, 2), ((1, 1), (1, 1)), (1, 1)), 1, 4),
    (shape_of((2, 1), (3, 3), (5, 3), (4, 2), ((3, 3), (2, 2)), (3, 1)), 2, 1),
    # Kernels that do not touch; outputs that none reaches.
    (shape_of((2, 3), (3, 3), (1, 2), (3, 4), added=(2, 3)), 1, 2),
    # Little is left of the output, and less than a kernel.
    (shape_of((4, 8), (3, 2), (5, 5), (1, 1), ((3, 3), (2, 2))), 1, 8),
    # Each side is cropped by another number.
    (shape_of((3, 4), (4, 3), (4, 5), (2, 1), ((0, 3), (2, 1))), 1, 3),
    (shape_of((13, 20), (1, 1), (4, 4)), 1, 9),
    # One after the other over long rows, and down long columns.
    (shape_of((2, 1), (1, 17), (1, 4), (1, 2)), 1, 1),
    (shape_of((2, 2), (17, 1), (4, 1), (2, 1)), 1, 2),
)
