"""A network of every kind of layer, small."""

import numpy as np

from rewardware.sw.networks.convolution.convolutional_network import ConvolutionalNetwork
from rewardware.sw.networks.convolution.nodes import (
    AveragePooling,
    Concatenation,
    Convolution,
    FractionallyStridedConvolution,
    Input,
    MaxPooling,
)
from rewardware.sw.networks.convolution.parameters import random_parameters
from rewardware.sw.networks.convolution.quantized_model import quantize_model

NETWORK = ConvolutionalNetwork(
    name="small",
    nodes=(
        Input(name="frames", channels=3, picture=(7, 6)),
        Convolution(name="first", source="frames", channels=5, kernel=(3, 3), padding=((1, 1), (1, 1)), relu=True),
        MaxPooling(name="pool", source="first", kernel=(3, 2), stride=(2, 2), ceil_mode=True),
        Convolution(name="branch", source="pool", channels=2, kernel=(1, 1), relu=True),
        Concatenation(name="joined", sources=("pool", "branch")),
        AveragePooling(name="average", source="joined", kernel=(2, 2)),
        FractionallyStridedConvolution(name="picture", source="average", channels=2, kernel=(3, 3), stride=(2, 2)),
        Convolution(name="actions", source="average", channels=7, kernel=(2, 2)),
    ),
)
PICTURES = np.random.default_rng(3).normal(size=(2, 7, 6, 3))


def model_of(width=8):
    return quantize_model(NETWORK, random_parameters(NETWORK, 5), list(PICTURES), width)
