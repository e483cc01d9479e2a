"""Shapes of layers: what they refuse, in words, and how large outputs get."""

import pytest
from hypothesis import given
from hypothesis.strategies import integers

from rewardware.hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape, PoolingShape

LAYER = {"input_channels": 3, "output_channels": 4, "picture": (5, 7), "kernel": (3, 3)}


@pytest.mark.parametrize(
    ("kind", "changes", "error", "words"),
    [
        (ConvolutionShape, {"input_channels": 0}, ValueError, "Input channels must be at least 1, not 0"),
        (ConvolutionShape, {"output_channels": 1.5}, TypeError, "Output channels must be an integer, not 1.5"),
        (ConvolutionShape, {"picture": 5}, TypeError, "Picture must be a pair of integers, not 5"),
        (ConvolutionShape, {"stride": (1, 0)}, ValueError, "Stride must be at least 1, not 0"),
        (
            ConvolutionShape,
            {"padding": (1, 1)},
            TypeError,
            "Padding must be a pair of integers, not 1",
        ),
        (
            ConvolutionShape,
            {"padding": 1},
            TypeError,
            r"Padding must be a pair of pairs, \(\(top, bottom\), \(left, right\)\), not 1",
        ),
        (ConvolutionShape, {"padding": ((0, -1), (0, 0))}, ValueError, "Padding must be at least 0, not -1"),
        (
            ConvolutionShape,
            {"kernel": (8, 3), "padding": ((1, 1), (0, 0))},
            ValueError,
            r"Kernel must be no larger than the padded picture \(7\), not 8",
        ),
        (
            FractionallyStridedShape,
            {"stride": (2, 2), "output_padding": (2, 0)},
            ValueError,
            r"Output padding must be below the stride \(2\), not 2",
        ),
        (
            FractionallyStridedShape,
            {"padding": ((4, 3), (0, 0))},
            ValueError,
            r"Padding must leave at least one row and column of \(7, 9\), not \(\(4, 3\), \(0, 0\)\) "
            r"with output padding \(0, 0\)",
        ),
    ],
)
def test_refuses(kind, changes, error, words):
    with pytest.raises(error, match=f"^{words}$"):
        kind(**{**LAYER, **changes})


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"padding": ((0, 0), (2, 0))}, ValueError, r"Padding must be below the kernel \(2\), not 2"),
        ({"ceil_mode": 1}, TypeError, "Ceil mode must be a truth value, not 1"),
        ({"channels": 0}, ValueError, "Channels must be at least 1, not 0"),
    ],
)
def test_pooling_refuses(changes, error, words):
    with pytest.raises(error, match=f"^{words}$"):
        PoolingShape(**{"channels": 1, "picture": (4, 4), "kernel": (2, 2), **changes})


def test_output_of_the_thesis_example():
    """Figure 3.10: a convolution from 5 x 5 to 2 x 2, and its gradient back to 5 x 5."""
    shape = ConvolutionShape(input_channels=1, output_channels=1, picture=(5, 5), kernel=(3, 3), stride=(2, 2))
    assert shape.output == (2, 2)
    gradient = shape.input_gradient
    assert gradient.full == gradient.output == gradient.scratchpad == (5, 5)


@given(integers(1, 9), integers(1, 5), integers(1, 4), integers(0, 3), integers(0, 3))
def test_the_gradient_has_the_size_of_the_input(picture, kernel, stride, before, after):
    kernel = min(kernel, picture + before + after)
    shape = ConvolutionShape(
        input_channels=2,
        output_channels=3,
        picture=(picture, 9),
        kernel=(kernel, 1),
        stride=(stride, 1),
        padding=((before, after), (0, 0)),
    )
    gradient = shape.input_gradient
    assert gradient.output == shape.picture and gradient.picture == shape.output
    assert (gradient.input_channels, gradient.output_channels) == (3, 2)
