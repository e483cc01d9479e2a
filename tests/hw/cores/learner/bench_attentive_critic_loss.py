"""Samples through the loss of attentive critics, against the reference, and the cycles that they take."""

import cocotb
import numpy as np

from rewardware.sw.reference.learner.attentive_critic_loss import attentive_critic_loss
from tests.sw.reference.learner.stimulus import loss_samples

from .loss_bench import LossBench, holds_back, same_bits, takes_its_cycles


class Bench(LossBench):
    """A loss and its reference."""

    SOURCES = ("values", "next_values", "outcomes", "choices")
    ROWS, FIELDS = "verdicts", ("value", "error")

    def put(self, count):
        values, following, actions, rewards, discounts, _ = loss_samples(self.random, self.format, count, self.count)
        chances = self.random.choice([0.0, 1.0, 0.25, 1e-6, np.nan], count)
        chances = self.rounded(np.where(self.random.random(count) < 0.7, self.random.random(count), chances))
        choices = self.random.integers(0, self.count, count)
        settings = self.set(entropy_share=0.01, slope=0.03)
        self.put_tables(values=values, next_values=following)
        self.put_rows("outcomes", action=actions.tolist(), reward=self.bits(rewards), discount=self.bits(discounts))
        self.put_rows("choices", action=choices.tolist(), probability=self.bits(chances))
        return attentive_critic_loss(
            self.format, values, following, actions, rewards, discounts, choices, chances, *settings
        )


@cocotb.test()
async def same_bits_as_the_reference(dut):
    await same_bits(Bench(dut))


@cocotb.test()
async def holds_back_when_nobody_takes(dut):
    await holds_back(Bench(dut))


@cocotb.test()
async def takes_as_many_cycles_as_it_says(dut):
    await takes_its_cycles(Bench(dut))
