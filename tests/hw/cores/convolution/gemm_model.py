"""Where operands and sums of a matrix product are, and what becomes of the accumulators, in NumPy."""

import numpy as np

from rewardware.hw.cores.convolution.commands import Dataflow

from .array_words import add_sums, matrix_product


def input_rows(config, inputs):
    """Rows of the input buffer of a (a x b) matrix, and the rows from a block of products to the next."""
    rows = config.array.rows
    pixels, products = inputs.shape
    stride = -(-pixels // rows) * rows
    table = np.zeros((-(-products // rows) * stride, rows), np.int64)
    for product in range(products):
        block = product // rows * stride
        table[block : block + pixels, product % rows] = inputs[:, product]
    return table, stride


def weight_rows(config, dataflow, weights):
    """Rows of the kernel buffer of a (b x c) matrix."""
    products, channels = weights.shape
    width = config.array.columns if dataflow == Dataflow.NON_STATIONARY else config.array.rows
    table = weights if dataflow == Dataflow.NON_STATIONARY else weights.T
    rows = [table[:, first : first + width] for first in range(0, table.shape[1], width)]
    result = np.zeros((len(rows) * len(table), config.weights), np.int64)
    for index, block in enumerate(rows):
        result[index * len(table) : (index + 1) * len(table), : block.shape[1]] = block
    return result


def add_product(config, sums, dataflow, inputs, weights, row, accumulate):
    """Adds a product to the accumulators; returns whether a sum was saturated, or is not finite."""
    rows, columns = config.array.rows, config.array.columns
    pixels, products = inputs.shape
    block = products if dataflow == Dataflow.NON_STATIONARY else rows
    saturated = False
    for first in range(0, products, block):
        part = matrix_product(config.array, inputs[:, first : first + block], weights[first : first + block])
        if dataflow == Dataflow.INPUT_STATIONARY:
            part = part.T
        for index, left in enumerate(range(0, part.shape[1], columns)):
            words = part[:, left : left + columns]
            place = slice(row + index * len(part), row + (index + 1) * len(part)), slice(0, words.shape[1])
            before = sums[place] if accumulate or first else np.zeros_like(words)
            sums[place], overflows = add_sums(config.array, before, words)
            saturated |= overflows
    return saturated


def sum_rows(config, dataflow, pixels, channels):
    """Rows of sums of a product."""
    wide, high = (pixels, channels) if dataflow == Dataflow.INPUT_STATIONARY else (channels, pixels)
    return -(-wide // config.array.columns) * high
