"""Weights and parameters as rows of the device's memories, and rows as beats of the host's stream."""

import numpy as np

from .....hw.cores.convolution.commands import Dataflow
from .....hw.cores.convolution.gemm_config import GemmEngineConfig
from .....hw.cores.memory.host_map_config import HostRegion
from ....reference.arrays import IntegerArray

__all__ = ["beats_of", "kernel_row_count", "kernel_rows", "words_of"]


def kernel_row_count(config: GemmEngineConfig, dataflow: Dataflow, products: int, channels: int) -> int:
    """Rows of the kernel buffer for weights (products x channels)."""
    if dataflow == Dataflow.NON_STATIONARY:
        return -(-channels // config.array.columns) * products
    return -(-products // config.array.rows) * channels


def kernel_rows(config: GemmEngineConfig, dataflow: Dataflow, weights: IntegerArray) -> IntegerArray:
    """Rows of the kernel buffer for weights (products x channels), as :class:`.GemmEngine` has them.

    Row ``floor(j / P2) * b + k``, word ``j mod P2`` is weight (k, j) in the dataflow NS; row ``floor(k / P1) * c + j``,
    word ``k mod P1`` in the others. Words of a row after them are 0.
    """
    streamed = dataflow == Dataflow.NON_STATIONARY
    width = config.array.columns if streamed else config.array.rows
    table = weights if streamed else weights.T
    blocks = -(-table.shape[1] // width)
    padded = np.pad(table, ((0, 0), (0, blocks * width - table.shape[1])))
    rows = padded.reshape(len(table), blocks, width).swapaxes(0, 1).reshape(-1, width)
    return np.pad(rows, ((0, 0), (0, config.weights - width)))


def beats_of(region: HostRegion, rows: IntegerArray, width: int) -> np.ndarray:
    """Rows of words as beats of the stream, several for a row where it is wider: uint32 (beats, lanes).

    Parameters
    ----------
    region
        Region of the memory.
    rows
        (rows, words), the first word in the lowest bits.
    width
        Bits of a word, two's complement.
    """
    bits = (rows[:, :, None] >> np.arange(width) & 1).astype(np.uint8).reshape(len(rows), -1)
    padded = np.pad(bits, ((0, 0), (0, region.row_width - bits.shape[1])))
    return np.packbits(padded, axis=1, bitorder="little").view("<u4").reshape(len(rows) * region.parts, -1)


def words_of(region: HostRegion, beats: np.ndarray, width: int, words: int) -> IntegerArray:
    """Words of beats, the inverse of :func:`beats_of`: (rows, words)."""
    packed = np.ascontiguousarray(beats, "<u4").reshape(-1, region.row_width // 32).view(np.uint8)
    bits = np.unpackbits(packed, axis=1, bitorder="little")[:, : words * width].reshape(-1, words, width)
    values = bits.astype(np.int64) @ (1 << np.arange(width))
    return values - (values >> width - 1 << width)
