"""Where the weights of a network lie in its bank: docs/fixar.md, "Weight layout"."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from .....hw.soc.fixar.config import FixarConfig, Networks

__all__ = ["LayerLayout", "WeightLayout"]

Word = TypeVar("Word", bound=np.integer)


@dataclass(frozen=True)
class LayerLayout:
    """Rows of one layer.

    Parameters
    ----------
    inputs, outputs, first : int
        As of its ``LayerShape``.
    lanes : int
    base : int
        First row of the matrix, a multiple of the lanes.
    """

    inputs: int
    outputs: int
    first: int
    lanes: int
    base: int

    @property
    def input_blocks(self) -> int:
        return -(-self.inputs // self.lanes)

    @property
    def output_blocks(self) -> int:
        return -(-self.outputs // self.lanes)

    @property
    def output_stride(self) -> int:
        """Rows from the tiles of one output block to those of the next."""
        return self.input_blocks * self.lanes

    @property
    def bias_base(self) -> int:
        return self.base + self.output_blocks * self.output_stride

    @property
    def rows(self) -> int:
        """Rows of matrix and biases."""
        return self.output_blocks * (self.output_stride + 1)


class WeightLayout:
    """Layout of an actor or critic, the same in weight, gradient and moment memory.

    Parameters
    ----------
    config : FixarConfig
    networks : Networks
    network : str
        ``"actor"`` or ``"critic"``.
    """

    def __init__(self, config: FixarConfig, networks: Networks, network: str):
        self.lanes = config.lanes
        self.layers = []
        base = 0
        for shape in networks.layers(network):
            layer = LayerLayout(shape.inputs, shape.outputs, shape.first, config.lanes, base)
            self.layers.append(layer)
            base = -(-(base + layer.rows) // config.lanes) * config.lanes
        self.rows = base
        if base > config.weight_rows:
            sizes = "-".join(str(size) for size in (networks.input_size, *networks.hidden_sizes))
            raise ValueError(
                f"The {network} ({sizes}-{self.layers[-1].outputs}) needs {base} weight rows, "
                f"configuration {config.name} has {config.weight_rows}"
            )

    def pack(
        self, matrices: Sequence[np.ndarray], biases: Sequence[np.ndarray], dtype: type[np.integer] = np.int32
    ) -> NDArray[np.integer]:
        """Rows of words from the matrices (outputs, inputs) and biases of all layers."""
        lanes = self.lanes
        rows = np.zeros((self.rows, lanes), dtype)
        for layer, matrix, bias in zip(self.layers, matrices, biases, strict=True):
            blocks = layer.output_blocks, layer.input_blocks
            padded = np.zeros((blocks[0] * lanes, blocks[1] * lanes), dtype)
            padded[: layer.outputs, : layer.inputs] = matrix
            tiles = padded.reshape(blocks[0], lanes, blocks[1], lanes).swapaxes(1, 2)
            rows[layer.base : layer.bias_base] = tiles.reshape(-1, lanes)
            padded_bias = np.zeros(blocks[0] * lanes, dtype)
            padded_bias[: layer.outputs] = bias
            rows[layer.bias_base : layer.base + layer.rows] = padded_bias.reshape(-1, lanes)
        return rows

    def unpack(self, rows: NDArray[Word]) -> tuple[list[NDArray[Word]], list[NDArray[Word]]]:
        """``(matrices, biases)`` from rows of words."""
        lanes = self.lanes
        matrices, biases = [], []
        for layer in self.layers:
            tiles = rows[layer.base : layer.bias_base].reshape(layer.output_blocks, layer.input_blocks, lanes, lanes)
            padded = tiles.swapaxes(1, 2).reshape(layer.output_blocks * lanes, layer.input_blocks * lanes)
            matrices.append(np.ascontiguousarray(padded[: layer.outputs, : layer.inputs]))
            bias = rows[layer.bias_base : layer.base + layer.rows].reshape(-1)
            biases.append(bias[: layer.outputs].copy())
        return matrices, biases
