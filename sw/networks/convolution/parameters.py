"""Parameters of a convolutional network, by the names of its nodes: in a file, or random.

A file is an ``.npz`` archive of NumPy with two arrays for each convolution, fractionally strided ones and linear layers
included: ``NODE.kernels`` (K1, K2, C_in, C_out) and ``NODE.bias`` (C_out,), real numbers of any type.
"""

import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ....hw.cores.checks import nearest, require_integer
from ....hw.cores.convolution.shape import FractionallyStridedShape
from ....hw.soc.written_file import writing
from .convolutional_network import ConvolutionalNetwork

__all__ = ["Parameters", "load_parameters", "random_parameters", "save_parameters"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Parameters:
    """Parameters of a convolution, fractionally strided or not, batch normalisation folded in; float64.

    Parameters
    ----------
    kernels : array (K1, K2, C_in, C_out)
    bias : array (C_out,)
    """

    kernels: np.ndarray
    bias: np.ndarray


def save_parameters(path: Path, parameters: Mapping[str, Parameters]) -> None:
    """Write the parameters of all convolutions to a file, whose name ends in ``.npz``.

    Raises
    ------
    WriteError
        It cannot be written.
    """
    arrays: dict[str, Any] = {}
    for name, each in parameters.items():
        arrays |= {f"{name}.kernels": each.kernels, f"{name}.bias": each.bias}
    with writing(path):
        np.savez(path, **arrays)


def load_parameters(path: Path, network: ConvolutionalNetwork) -> dict[str, Parameters]:
    """The parameters of a network's convolutions from a file.

    Raises
    ------
    FileNotFoundError
        There is no file.
    ValueError
        It is no archive of NumPy, lacks an array or has one more, or an array has another shape than the node's or
        holds something else than finite real numbers; the text names the array.
    """
    arrays = _read(path)
    expected: dict[str, tuple[int, ...]] = {}
    for name, layer in network.convolutions.items():
        expected[f"{name}.kernels"] = (*layer.kernel, layer.input_channels, layer.output_channels)
        expected[f"{name}.bias"] = (layer.output_channels,)
    for name in arrays:
        if name not in expected:
            raise ValueError(f"{path}: array {name!r} is of no convolution of the network{nearest(name, expected)}")
    for name, shape in expected.items():
        if name not in arrays:
            raise ValueError(f"{path} lacks the array {name!r}")
        if arrays[name].shape != shape:
            raise ValueError(f"{path}: array {name!r} must have the shape {shape}, not {arrays[name].shape}")
        if arrays[name].dtype.kind not in "fiu":
            raise ValueError(f"{path}: array {name!r} must hold real numbers, not {arrays[name].dtype}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"{path}: array {name!r} must be finite")
    return {
        name: Parameters(
            kernels=arrays[f"{name}.kernels"].astype(np.float64), bias=arrays[f"{name}.bias"].astype(np.float64)
        )
        for name in network.convolutions
    }


def random_parameters(network: ConvolutionalNetwork, seed: int) -> dict[str, Parameters]:
    """Parameters for layers that ReLU follows: normal kernels of the variance 2 / products of an output, no bias.

    Source: He et al., Delving deep into rectifiers, 2015. A fractionally strided convolution adds up
    K1 * K2 * C_in / (S1 * S2) products.

    Raises
    ------
    TypeError, ValueError
        The seed is no integer from 0 on.
    """
    require_integer("Seed", seed, 0)
    generator, found = np.random.default_rng(seed), {}
    for name, layer in network.convolutions.items():
        products = float(layer.kernel[0] * layer.kernel[1] * layer.input_channels)
        if isinstance(layer, FractionallyStridedShape):
            products /= layer.stride[0] * layer.stride[1]
        size = (*layer.kernel, layer.input_channels, layer.output_channels)
        kernels = generator.normal(0, np.sqrt(2 / products), size)
        found[name] = Parameters(kernels=kernels, bias=np.zeros(layer.output_channels))
    return found


def _read(path: Path) -> dict[str, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as file:
            return dict(file)
    # A file that is not an archive gives an array, which is no context; a damaged one raises the other errors.
    except (TypeError, ValueError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path} is not a .npz archive of arrays, or is damaged: {error}") from None
