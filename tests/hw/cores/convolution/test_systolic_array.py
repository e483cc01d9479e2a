"""The systolic array: passes of random dataflows as close to each other as they may be, against NumPy."""

import re

import numpy as np
import pytest

from rewardware.hw.cores.convolution.systolic_array import SystolicArray, step_layout
from rewardware.hw.cores.convolution.systolic_array_config import SystolicArrayConfig
from rewardware.hw.cores.verilog.emit import emit
from rewardware.sim.cocotb import simulate
from rewardware.sim.cocotb.codec import codec_of

from .array_words import matrix_product, operands
from .configurations import ARRAYS

PASSES = 200


class Passes:
    """A table of inputs, a row a cycle, with noise between the passes, and what must come of it."""

    def __init__(self, config, rng):
        self.config, self.rng = config, rng
        rows, columns = config.rows, config.columns
        cycles = PASSES * 3 * (rows + columns) + 2 * config.drain_latency
        self.inputs = {
            "step": np.zeros(cycles, np.int64),
            "west": _operands(config, rng, (cycles, rows)),
            "north": _operands(config, rng, (cycles, columns)),
            "load": np.zeros(cycles, np.int64),
            "preload": _operands(config, rng, (cycles, rows)),
        }
        # Words, and which of them mean something, by the cycle of their step.
        self.sums, self.sums_mean = np.zeros((cycles, columns), np.int64), np.zeros((cycles, columns), bool)
        shape = (config.drains, cycles, columns)
        self.drained, self.drained_mean = np.zeros(shape, np.int64), np.zeros(shape, bool)
        # The pass before: the cycle after its last step. The stationary pass before: the cycle of its first step.
        self.end = self.block_taken = 0
        self.last_step = -rows
        for index in range(PASSES):
            gap = int(rng.integers(0, 4)) if index % 3 == 0 else 0
            steps = int(rng.integers(1, 2 * max(rows, columns)))
            (self.stationary if rng.random() < 0.5 else self.non_stationary)(steps, gap)
        end = self.end + 2 * config.drain_latency
        self.inputs = {port: table[:end] for port, table in self.inputs.items()}

    @property
    def outputs(self):
        """Outputs in the form that the bench takes."""
        config, end = self.config, len(self.inputs["step"])
        drained = zip(self.drained, self.drained_mean, strict=True)
        return {"sums": (self.sums[:end], self.sums_mean[:end], config.latency)} | {
            f"drained__{chain}": (words[:end], mean[:end], config.drain_latency)
            for chain, (words, mean) in enumerate(drained)
        }

    def stationary(self, steps, gap):
        """A block of some columns, loaded as early as it can be, and its pass ``gap`` cycles later than possible."""
        count = int(self.rng.integers(1, self.config.columns + 1))
        load = self.block_taken
        when = self._begin(max(self.end, load + count) + gap, steps, True)
        self.inputs["load"][load] = 1
        self.block_taken = when.start
        block = self.inputs["preload"][load : load + count].T
        self.sums[when, :count] = matrix_product(self.config, self.inputs["west"][when], block)
        self.sums_mean[when, :count] = True

    def non_stationary(self, steps, gap):
        """A pass ``gap`` cycles later than possible."""
        config = self.config
        when = self._begin(max(self.end, self.last_step + config.chain - steps + 1) + gap, steps, False)
        self.last_step = self.end - 1
        totals = matrix_product(config, self.inputs["west"][when].T, self.inputs["north"][when])
        for chain in range(config.drains):
            for index in range(config.chain):
                row = config.rows - 1 - chain * config.chain - index
                if row >= 0:
                    self.drained[chain, self.last_step + index] = totals[row]
                    self.drained_mean[chain, self.last_step + index] = True

    def _begin(self, start, steps, stationary):
        self.end = start + steps
        flags = codec_of(step_layout)
        for step in range(steps):
            last = not stationary and step == steps - 1
            self.inputs["step"][start + step] = flags.pack(
                {"stationary": int(stationary), "first": int(step == 0), "last": int(last)}
            )
        return slice(start, self.end)


def _operands(config, rng, shape):
    """Corner values and others; some rows of integers are the most negative number from end to end."""
    values = operands(config, rng, shape, config.operand_width)
    if config.format is None:
        values[rng.random(shape[0]) < 0.3] = -(1 << config.operand_width - 1)
    return values


@pytest.mark.parametrize("config", ARRAYS.values(), ids=ARRAYS)
def test_systolic_array(config):
    passes = Passes(config, np.random.default_rng(config.rows))
    simulate(
        SystolicArray(config),
        bench="tests.hw.cores.convolution.bench_systolic_array",
        parameters={"inputs": passes.inputs, "outputs": passes.outputs},
        after_noise=True,
    )


def test_elements_and_rows_are_converted_once():
    """However many there are: an array of thousands of elements is converted in seconds."""
    text = emit(SystolicArray(SystolicArrayConfig(rows=30, columns=20, drains=4)))
    names = re.findall(r"^module (\w+)", text, re.MULTILINE)
    assert names == ["top_systolic_processing_element", "top_systolic_row", "top"]
    assert len(text.splitlines()) < 10 * 30 * 20


def test_derived_numbers():
    config = SystolicArrayConfig(rows=92, columns=66)
    assert (config.chain, config.latency, config.drain_latency, config.products) == (92, 159, 160, 131071)
    assert SystolicArrayConfig(rows=92, columns=66, drains=4).chain == 23
    assert SystolicArrayConfig(rows=92, columns=66, drains=2).chain == 47
    # All products the most negative number squared.
    assert config.products * (-128 * -128) < 1 << 31 <= (config.products + 1) * (-128 * -128)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"rows": 1}, "Rows must be from 2 to 256, not 1"),
        ({"columns": 300}, "Columns must be from 2 to 256, not 300"),
        ({"input_width": 1}, "Input width must be from 2 to 32, not 1"),
        ({"weight_width": 40}, "Weight width must be from 2 to 32, not 40"),
        ({"sum_width": 15}, "Sum width must be from 16 to 64, not 15"),
        ({"drains": 3}, "Drains must be a power of two, not 3"),
        ({"format": "binary16", "sum_width": 24}, r"Sum width must be that of the format \(16\), not 24"),
        ({"format": "binary8"}, "Format must be one of"),
        ({"rows": 3, "drains": 2}, "Drains must leave a row for each: 2 chains of up to 3 rows are more than 3 rows"),
    ],
)
def test_bad_configurations_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        SystolicArrayConfig(**{"rows": 4, "columns": 3} | settings)
    with pytest.raises(TypeError, match="Rows must be an integer, not 4.0"):
        SystolicArrayConfig(rows=4.0, columns=3)
