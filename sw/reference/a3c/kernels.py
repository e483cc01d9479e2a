"""The forward sums of a layer in binary32, compiled: the host's float32, all rounded, in the same order."""

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["forward_sums"]

Float32Array = NDArray[np.float32]


@numba.njit(cache=True)
def forward_sums(weights: Float32Array, inputs: Float32Array, biases: Float32Array, width: int) -> Float32Array:
    """Bias of each output and the trees of blocks of ``width`` products, one block after another.

    Parameters
    ----------
    weights : array (outputs, inputs)
    inputs : array (inputs,)
    biases : array (outputs,)
    width : int
    """
    outputs, count = weights.shape
    sums = np.empty(outputs, np.float32)
    terms = np.empty(width, np.float32)
    for output in range(outputs):
        total = biases[output]
        row = weights[output]
        for begin in range(0, count, width):
            there = min(width, count - begin)
            for place in range(there):
                terms[place] = row[begin + place] * inputs[begin + place]
            for place in range(there, width):
                terms[place] = np.float32(0)
            left = width
            while left > 1:
                pairs = left // 2
                for pair in range(pairs):
                    terms[pair] = terms[2 * pair] + terms[2 * pair + 1]
                if left % 2:
                    terms[pairs] = terms[left - 1]
                left -= pairs
            total += terms[0]
        sums[output] = total
    return sums
