"""Samples through the loss of MAAC's policies, against the reference, and the cycles that they take."""

import cocotb
import numpy as np

from rewardware.sw.reference.attention.softmax import shares
from rewardware.sw.reference.learner.counterfactual_loss import counterfactual_loss
from tests.sw.reference.learner.stimulus import loss_samples

from .loss_bench import LossBench, holds_back, same_bits, takes_its_cycles


class Bench(LossBench):
    """A loss and its reference."""

    SOURCES = ("probabilities", "values", "choices")
    ROWS, FIELDS = "advantages", ("logarithm", "advantage")

    def put(self, count):
        values, logits, *_ = loss_samples(self.random, self.format, count, self.count)
        # Some samples have fewer actions. Values and logits of actions with a probability may also be infinite or NaN.
        available = self.random.integers(1, self.count + 1, count)
        probabilities = shares(self.format, logits, np.arange(self.count) < available[:, None])
        choices = self.random.integers(0, available)
        settings = self.set(entropy_share=0.01, slope=0.03)
        self.put_tables(probabilities=probabilities, values=values)
        chances = np.take_along_axis(probabilities, choices[:, None], axis=1)[:, 0]
        self.put_rows("choices", action=choices.tolist(), probability=self.bits(chances))
        return counterfactual_loss(self.format, probabilities, values, choices, *settings)


@cocotb.test()
async def same_bits_as_the_reference(dut):
    await same_bits(Bench(dut))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    await holds_back(Bench(dut))


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    await takes_its_cycles(Bench(dut))
