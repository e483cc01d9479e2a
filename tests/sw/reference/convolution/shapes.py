"""Layers that hypothesis draws, and PyTorch's convolutions on integers."""

import numpy as np
import torch
from hypothesis.strategies import booleans, composite, integers, tuples

from rewardware.hw.cores.convolution.shape import ConvolutionShape, FractionallyStridedShape

SIDES = tuples(integers(0, 3), integers(0, 3))


@composite
def convolutions(draw, largest_stride=4):
    """Odd sizes, one channel, kernels as large as the padded picture, strides larger than the kernel."""
    padding = draw(tuples(SIDES, SIDES))
    picture = draw(tuples(integers(1, 9), integers(1, 9)))
    kernel = tuple(draw(integers(1, min(7, side + sum(pads)))) for side, pads in zip(picture, padding, strict=True))
    return ConvolutionShape(
        input_channels=draw(integers(1, 4)),
        output_channels=draw(integers(1, 3)),
        picture=picture,
        kernel=kernel,
        stride=draw(tuples(integers(1, largest_stride), integers(1, largest_stride))),
        padding=padding,
    )


@composite
def fractionally_strided(draw):
    """Any stride, kernel, output padding, and padding that leaves something."""
    picture, kernel, stride = (draw(tuples(integers(1, most), integers(1, most))) for most in (5, 5, 4))
    padding, more = [], []
    for axis in range(2):
        more.append(draw(integers(0, stride[axis] - 1)))
        room = stride[axis] * (picture[axis] - 1) + kernel[axis] + more[axis] - 1
        before = draw(integers(0, min(room, 6)))
        padding.append((before, draw(integers(0, min(room - before, 6)))))
    return FractionallyStridedShape(
        input_channels=draw(integers(1, 4)),
        output_channels=draw(integers(1, 3)),
        picture=picture,
        kernel=kernel,
        stride=stride,
        padding=tuple(padding),
        output_padding=tuple(more),
    )


@composite
def operands(draw, shape, width=8):
    """A picture and kernels of a layer: random, or the most negative number everywhere."""
    low = -(1 << width - 1)
    rng = np.random.default_rng(draw(integers(0, 1 << 32)))
    picture = rng.integers(low, -low, (*shape.picture, shape.input_channels))
    kernels = rng.integers(low, -low, (*shape.kernel, shape.input_channels, shape.output_channels))
    if draw(booleans()) and draw(booleans()):
        picture[:], kernels[:] = low, low
    return picture, kernels


def to_torch(picture):
    """(rows, columns, channels) as PyTorch has it, a batch of one."""
    return torch.from_numpy(np.asarray(picture)).permute(2, 0, 1)[None]


def from_torch(batch):
    return batch[0].permute(1, 2, 0).numpy()


def torch_convolution(shape, picture, kernels):
    """``torch.nn.functional.conv2d`` on float64."""
    (top, bottom), (left, right) = shape.padding
    padded = torch.nn.functional.pad(to_torch(picture), (left, right, top, bottom))
    return torch.nn.functional.conv2d(padded, torch.from_numpy(kernels).permute(3, 2, 0, 1), stride=shape.stride)


def torch_fractionally_strided(shape, picture, kernels):
    """``torch.nn.functional.conv_transpose2d`` on float64; cropped here, as PyTorch crops the same on both sides."""
    full = torch.nn.functional.conv_transpose2d(
        to_torch(picture), torch.from_numpy(kernels).permute(2, 3, 0, 1), stride=shape.stride
    )
    (top, _), (left, _) = shape.padding
    below, beside = shape.output_padding
    more = torch.nn.functional.pad(full, (0, beside, 0, below))
    return more[:, :, top : top + shape.output[0], left : left + shape.output[1]]


def torch_gradients(shape, picture, kernels, bias, errors):
    """Outputs and gradients by picture, kernels and bias, by autograd, in the type of the arrays."""
    leaves = [torch.tensor(array, requires_grad=True) for array in (picture, kernels, bias)]
    (top, bottom), (left, right) = shape.padding
    padded = torch.nn.functional.pad(leaves[0].permute(2, 0, 1)[None], (left, right, top, bottom))
    weights = leaves[1].permute(3, 2, 0, 1).contiguous()
    output = torch.nn.functional.conv2d(padded, weights, leaves[2], stride=shape.stride)
    output.backward(to_torch(errors))
    return from_torch(output.detach()), *(leaf.grad.numpy() for leaf in leaves)
