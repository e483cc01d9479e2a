"""Costs of layers, transfers and poolings on DYNAMAP's engine, as its paper models them."""

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ....hw.cores.convolution.commands import Dataflow
from ....hw.cores.convolution.cycles import Gemm, completion_cycles
from ....hw.cores.convolution.gemm_config import GemmEngineConfig
from .algorithms import Algorithm, Format, Layout, MatrixProducts, Shape, algorithms_of, matrix_products
from .cost_model_config import CostModelConfig

__all__ = ["Array", "CostModel"]

# Rows and columns.
Array = tuple[int, int]
Seconds = NDArray[np.float64]


class CostModel:
    """Costs in seconds, of one array or of several at once: arrays of NumPy have one number for each.

    Parameters
    ----------
    config : CostModelConfig
    arrays : sequence of (rows, columns), or None
        In place of the configuration's.

    Raises
    ------
    ValueError
        An array that the GEMM engine cannot have, if the configuration asks for its cycles.
    """

    def __init__(self, config: CostModelConfig, arrays: Sequence[Array] | None = None):
        self.config = config
        self.arrays = tuple(arrays or ((config.rows, config.columns),))
        self._rows, self._columns = np.array(self.arrays).T
        initialization = np.maximum(self._rows, self._columns)
        if config.initialization is not None:
            initialization = np.full_like(initialization, config.initialization)
        self._initialization = initialization
        self._engines: tuple[GemmEngineConfig, ...] = ()
        if config.drains is not None:
            self._engines = tuple(
                dataclasses.replace(config, rows=rows, columns=columns).engine for rows, columns in self.arrays
            )

    def algorithms(self, shape: Shape) -> tuple[Algorithm, ...]:
        """Algorithms that can compute a layer."""
        return algorithms_of(shape, self.config.winograd_algorithms)

    def layer(self, shape: Shape, algorithm: Algorithm) -> Seconds:
        """With each dataflow: (arrays, dataflows), equations 3.2 to 3.5, or by the cycles of the GEMM engine."""
        products = matrix_products(shape, algorithm)
        transform = self.config.linear_transform if algorithm.m else 0
        if self._engines:
            exact = np.array(
                [[_engine_cycles(engine, products, flow) for flow in Dataflow] for engine in self._engines]
            )
            return (exact + transform * products.count) / self.config.frequency
        a, b, c = products.a, products.b, products.c
        passes = [
            -(-a // self._rows) * -(-c // self._columns) * b,
            -(-b // self._rows) * -(-c // self._columns) * a,
            -(-b // self._rows) * -(-a // self._columns) * c,
        ]
        cycles = np.stack(passes, axis=1) + (self._initialization + transform)[:, None]
        return cycles * products.count / self.config.frequency

    def vectors(self, pixels: int, channels: int) -> Seconds:
        """Pixels that pass a module, a vector of P_SA1 channels a cycle: poolings and additions."""
        return pixels * -(-channels // self._rows) / self.config.frequency

    def transfer(self, layout: Layout, target: Format, channels: int) -> float:
        """To or from the external memory, out of a layout into a format: table 3.2 and equation 3.6.

        As the source prints it, equation 3.6 takes hardly anything off the bandwidth.
        """
        config = self.config
        bandwidth = config.bandwidth / config.element_bytes
        overhead = 0.0
        if target.layout == Layout.WINOGRAD and layout != Layout.WINOGRAD and channels < config.burst_length:
            bandwidth *= channels / (channels + 1 / target.tiles)
        if target.layout == Layout.TOEPLITZ and layout == Layout.WINOGRAD:
            overhead = config.layout_overhead / config.frequency
        return target.elements * channels / bandwidth + overhead


def _engine_cycles(engine: GemmEngineConfig, products: MatrixProducts, dataflow: Dataflow) -> int:
    """Products that follow each other closely, from the first command in an idle engine to the last completion."""
    gemm = Gemm(dataflow=dataflow, pixels=products.a, products=products.b, channels=products.c)
    return completion_cycles(engine, [gemm] * products.count)[-1]
