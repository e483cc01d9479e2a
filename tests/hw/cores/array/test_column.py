"""Column of processing elements, and one element alone: exact products, loads and swaps at any time."""

import numpy as np
import pytest

from rewardware.hw.cores.array.column import ProcessingElementColumn
from rewardware.hw.cores.array.config import ArrayConfig
from rewardware.hw.cores.array.processing_element import ProcessingElement
from rewardware.sim.cocotb import simulate

from ..bench_play import Expected
from ..stimulus import WORD_CORNERS, flags, mixed

# Codes less their zero point reach the most negative operand.
OPERAND_CORNERS = [0xFFFF, -0xFFFF, -0x10000, 0x7FFF, -0x8000]


def stationary(load, transposed, row_words, column_words, swap):
    """Weights in force in each cycle: a swap counts at once, a load with the next swap."""
    waiting = np.zeros(load.shape[1:], np.int64)
    weight = waiting.copy()
    weights = np.zeros(load.shape, np.int64)
    for cycle in range(len(load)):
        if swap[cycle]:
            weight = waiting.copy()
        weights[cycle] = weight
        words = column_words[cycle] if transposed[cycle] else row_words[cycle]
        waiting = np.where(load[cycle], words, waiting)
    return weights


@pytest.mark.parametrize(("lanes", "pipelined"), [(2, False), (6, False), (14, False), (6, True)])
def test_column_equals_exact_sums(lanes, pipelined):
    rng = np.random.default_rng(lanes)
    cycles = 400
    load = flags(rng, (cycles, lanes), 0.6)
    swap = flags(rng, cycles, 0.2)
    load[0] = swap[1] = 1
    transposed = flags(rng, cycles)
    row_words, column_word = mixed(rng, (cycles, lanes), 32, WORD_CORNERS), mixed(rng, cycles, 32, WORD_CORNERS)
    low, high = mixed(rng, (2, cycles, lanes), 17, OPERAND_CORNERS)
    weights = stationary(load, transposed, row_words, column_word, swap)
    # Corner of corners: every product is the largest there is.
    low[-1] = high[-1] = -0x10000
    row_words[-3], transposed[-3], load[-3] = -(1 << 31), 0, 1
    swap[-2:] = 1, 0
    load[-2:] = 0
    weights[-2:] = -(1 << 31)
    component = ProcessingElementColumn(ArrayConfig(lanes=lanes, pipelined=pipelined))
    known = np.arange(cycles) > 0
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {
                "load_enable": load @ (1 << np.arange(lanes)),
                "load_transposed": transposed,
                "load_row_words": row_words,
                "load_column_word": column_word,
                "swap": swap,
                "low": low,
                "high": high,
            },
            "outputs": {
                "low_sum": Expected((weights * low).sum(1), component.latency, known),
                "high_sum": Expected((weights * high).sum(1), component.latency, known),
            },
        },
        after_noise=True,
    )


@pytest.mark.parametrize("pipelined", [False, True])
def test_element_equals_exact_products(pipelined):
    rng = np.random.default_rng(0)
    cycles = 1000
    load, swap, transposed = flags(rng, (3, cycles), 0.4)
    load[0] = swap[1] = 1
    row_word, column_word = mixed(rng, (2, cycles), 32, WORD_CORNERS)
    low, high = mixed(rng, (2, cycles), 17, OPERAND_CORNERS)
    weights = stationary(load, transposed, row_word, column_word, swap)
    component = ProcessingElement(ArrayConfig(pipelined=pipelined))
    known = np.arange(cycles) > 0
    simulate(
        component,
        bench="tests.hw.cores.bench_play",
        parameters={
            "inputs": {
                "load": load,
                "load_transposed": transposed,
                "row_word": row_word,
                "column_word": column_word,
                "swap": swap,
                "low": low,
                "high": high,
            },
            "outputs": {
                "low_product": Expected(weights * low, component.latency, known),
                "high_product": Expected(weights * high, component.latency, known),
            },
        },
        after_noise=True,
    )
