"""The sums of the stages in binary32, compiled: the host's float32, all rounded, in the same order."""

import numba
import numpy as np
from numpy.typing import NDArray

__all__ = ["backward_sums", "gradient_sums", "partial_sums"]

Float32Array = NDArray[np.float32]


@numba.njit(cache=True)
def partial_sums(inputs: Float32Array, weights: Float32Array, count: int) -> Float32Array:
    """Partial sums of each output, row i in sum ``i % count``: array (batch, outputs, count).

    Parameters
    ----------
    inputs : array (batch, rows)
    weights : array (rows, outputs)
    count : int
        At most ``rows``.
    """
    samples, rows = inputs.shape
    outputs = weights.shape[1]
    sums = np.empty((samples, count, outputs), np.float32)
    for sample in range(samples):
        for row in range(count):
            for output in range(outputs):
                sums[sample, row, output] = inputs[sample, row] * weights[row, output]
        for row in range(count, rows):
            for output in range(outputs):
                sums[sample, row % count, output] += inputs[sample, row] * weights[row, output]
    return sums.transpose(0, 2, 1)


@numba.njit(cache=True)
def backward_sums(words: Float32Array, errors: Float32Array, units: int) -> Float32Array:
    """Errors at the inputs (batch, inputs): trees over groups of ``units`` outputs, one group after another.

    Parameters
    ----------
    words : array (inputs, outputs)
    errors : array (batch, outputs)
        A multiple of ``units`` outputs.
    """
    samples, outputs = errors.shape
    inputs = len(words)
    # Inputs side by side, in the innermost loops: the processor adds several at once.
    turned = np.ascontiguousarray(words.T)
    total = np.empty((samples, inputs), np.float32)
    terms = np.empty((units, inputs), np.float32)
    for sample in range(samples):
        for begin in range(0, outputs, units):
            for unit in range(units):
                error = errors[sample, begin + unit]
                for place in range(inputs):
                    terms[unit, place] = turned[begin + unit, place] * error
            left = units
            while left > 1:
                for pair in range(left // 2):
                    for place in range(inputs):
                        terms[pair, place] = terms[2 * pair, place] + terms[2 * pair + 1, place]
                if left % 2:
                    terms[left // 2] = terms[left - 1]
                left -= left // 2
            if begin == 0:
                total[sample] = terms[0]
            else:
                for place in range(inputs):
                    total[sample, place] += terms[0, place]
    return total


@numba.njit(cache=True)
def gradient_sums(inputs: Float32Array, errors: Float32Array) -> Float32Array:
    """Products of inputs (batch, rows) and errors (batch, outputs), sample after sample: array (rows, outputs)."""
    samples, rows = inputs.shape
    outputs = errors.shape[1]
    total = np.empty((rows, outputs), np.float32)
    for row in range(rows):
        for output in range(outputs):
            total[row, output] = inputs[0, row] * errors[0, output]
        for sample in range(1, samples):
            for output in range(outputs):
                total[row, output] += inputs[sample, row] * errors[sample, output]
    return total
