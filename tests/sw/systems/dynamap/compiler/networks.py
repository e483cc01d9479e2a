"""Networks that are drawn."""

import numpy as np
from hypothesis import strategies as st

from rewardware.hw.cores.convolution.shape import ConvolutionShape, PoolingShape
from rewardware.sw.reference.convolution.layers import INPUT, Concatenation, MaxPooling
from rewardware.sw.reference.convolution.quantization import IntegerConvolution, QuantizedNetwork


def convolution(name, source, size, channels, kernel=(1, 1)):
    shape = ConvolutionShape(input_channels=size[2], output_channels=channels, picture=size[:2], kernel=kernel)
    return IntegerConvolution(
        name=name,
        source=source,
        shape=shape,
        kernels=np.zeros((*kernel, size[2], channels), np.int64),
        bias=np.zeros(channels, np.int64),
        multiplier=np.ones(channels, np.int64),
        shift=0,
        rectified=False,
        weight_scales=np.ones(channels),
    )


def network_of(layers):
    return QuantizedNetwork(layers=tuple(layers), scales={}, width=8, accumulator_width=32)


@st.composite
def networks(draw):
    """Convolutions, poolings and concatenations, each of what there is."""
    sizes, layers = {INPUT: (draw(st.integers(2, 6)), draw(st.integers(2, 6)), draw(st.integers(1, 9)))}, []
    for number in range(draw(st.integers(1, 9))):
        name = f"layer {number}"
        source = draw(st.sampled_from(sorted(sizes))) if layers else INPUT
        size = sizes[source]
        beside = [other for other in sizes if sizes[other][:2] == size[:2] and other != source]
        kind = draw(st.sampled_from(["convolution", "pooling", "joined"]))
        if kind == "joined" and beside:
            joined = source, *draw(st.lists(st.sampled_from(beside), min_size=1, max_size=3, unique=True))
            layers.append(Concatenation(name=name, sources=joined))
            sizes[name] = *size[:2], sum(sizes[each][2] for each in joined)
            continue
        kernel = min(size[0], draw(st.integers(1, 3))), min(size[1], draw(st.integers(1, 3)))
        if kind == "pooling":
            shape = PoolingShape(channels=size[2], picture=size[:2], kernel=kernel)
            layers.append(MaxPooling(name=name, source=source, shape=shape))
            sizes[name] = *shape.output, size[2]
        else:
            layers.append(convolution(name, source, size, draw(st.integers(1, 9)), kernel))
            sizes[name] = *layers[-1].shape.output, layers[-1].shape.output_channels
    return network_of(layers)
