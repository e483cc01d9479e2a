"""A convolutional network on integers, beside itself in real numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...reference.arrays import RealArray
from ...reference.convolution.layers import Layer, forward
from ...reference.convolution.quantization import QuantizedNetwork, quantize
from .convolutional_network import ConvolutionalNetwork
from .parameters import Parameters
from .reference_layers import reference_layers

__all__ = ["ACCUMULATOR_WIDTHS", "QuantizedModel", "quantize_model"]

# Bits of the sums by the width of their operands; with 16 bits, 8192 products of the largest words fit.
ACCUMULATOR_WIDTHS = {8: 32, 16: 44}


@dataclass(frozen=True, kw_only=True, eq=False)
class QuantizedModel:
    """A network in real numbers and on integers.

    Parameters
    ----------
    layers : tuple of Layer
        In real numbers.
    network : QuantizedNetwork
        On integers.
    """

    layers: tuple[Layer, ...]
    network: QuantizedNetwork

    def real_outputs(self, picture: RealArray) -> dict[str, RealArray]:
        """Outputs of the network in float64 for a picture (rows, columns, channels), by their names."""
        found = forward(self.layers, picture)
        return {name: found[name] for name in self.network.outputs}


def quantize_model(
    network: ConvolutionalNetwork,
    parameters: Mapping[str, Parameters],
    calibration: Sequence[RealArray],
    width: int = 8,
    accumulator_width: int = 0,
) -> QuantizedModel:
    """A network on integers, with scales by what its activations are on some pictures.

    Parameters
    ----------
    network : ConvolutionalNetwork
    parameters : mapping of str to Parameters
        Parameters of each convolution, by its node's name.
    calibration : sequence of array (rows, columns, channels)
    width : int
        Bits of weights and activations, 8 or 16.
    accumulator_width : int
        Bits of the sums; 0: those of ``ACCUMULATOR_WIDTHS``.

    Raises
    ------
    TypeError, ValueError
        What :func:`.reference_layers` and :func:`.quantize` refuse, and other widths.
    """
    if width not in ACCUMULATOR_WIDTHS:
        raise ValueError(f"Width must be {' or '.join(map(str, ACCUMULATOR_WIDTHS))}, not {width!r}")
    layers = reference_layers(network, parameters)
    bits = accumulator_width or ACCUMULATOR_WIDTHS[width]
    return QuantizedModel(layers=layers, network=quantize(layers, calibration, width=width, accumulator_width=bits))
