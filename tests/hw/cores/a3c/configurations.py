"""Small networks for tests of the engines: sizes that are no powers of two, and both sides of every limit."""

from rewardware.hw.cores.a3c.config import A3CConfig
from rewardware.hw.cores.float.config import BFLOAT16, BINARY16, FloatLaneConfig

HALF = FloatLaneConfig(format=BINARY16, adder_depth=3, multiplier_depth=1)
BRAIN = FloatLaneConfig(format=BFLOAT16.flushing(), adder_depth=5, multiplier_depth=2)

CONFIGURATIONS = {
    "binary32": A3CConfig(sizes=(5, 7, 3), actions=2, agents=3, steps=3, width=3, gradient_engines=1, interval=2),
    # Passes that need no filling, outputs that are whole words.
    "binary16": A3CConfig(
        sizes=(9, 8, 13, 6), actions=5, agents=2, steps=5, width=4, gradient_engines=2, interval=1, arithmetic=HALF
    ),
    # Layers of one word and of one output.
    "bfloat16": A3CConfig(
        sizes=(2, 1, 4), actions=2, agents=1, steps=1, width=6, gradient_engines=3, interval=4, arithmetic=BRAIN
    ),
    "one number a word": A3CConfig(
        sizes=(3, 6), actions=3, agents=2, steps=2, width=1, gradient_engines=1, interval=1, arithmetic=HALF
    ),
}

# For the parts that requests and answers go through: rows that are filled up and such that are not, answers and errors
# of one row and of several, one agent, one step.
PACKET_CONFIGURATIONS = {
    "three": A3CConfig(sizes=(7, 3), actions=3, agents=3, steps=2, width=4, gradient_engines=1),
    "one": A3CConfig(sizes=(1, 2), actions=2, agents=1, steps=1, width=2, gradient_engines=1),
    "whole": A3CConfig(sizes=(8, 2), actions=5, agents=5, steps=5, width=8),
    "narrow": A3CConfig(sizes=(5, 3), actions=5, agents=2, steps=3, width=2, gradient_engines=1),
}
