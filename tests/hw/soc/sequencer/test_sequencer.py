"""The sequencer against a model of its rules."""

import numpy as np
import pytest

from rewardware.hw.cores.records import Field
from rewardware.hw.soc.sequencer.config import SequencerConfig
from rewardware.hw.soc.sequencer.instructions import Format, InstructionSet, Operand
from rewardware.hw.soc.sequencer.sequencer import Sequencer
from rewardware.sim.cocotb import simulate

BENCH = "tests.hw.soc.sequencer.bench_sequencer"


def instruction_set(width, engines):
    return InstructionSet(
        engines=engines,
        formats=(
            Format("left", engines[0], 1, (Field("value", 3),)),
            Format("right", engines[1], 2, (Field("a", 7, signed=True), Operand(Field("b", 5), default=0))),
            Format("other", engines[-1], 13, (Field("c", 9),)),
        ),
        width=width,
    )


def random_program(table, depth, seed):
    random = np.random.default_rng(seed)
    program = []
    for _ in range(depth - 1):
        waits = [name for name in table.engines if random.random() < 0.25]
        kind = random.choice(["left", "left", "right", "other", "wait"])
        fields = {
            part.name: int(random.integers(part.range[0], part.range[1] + 1))
            for part in (table.format(kind).record.fields if kind != "wait" else ())
        }
        if kind == "wait":
            fields["outstanding"] = int(random.choice([0, 0, 1, 2, 5]))
        program.append(table.encode(kind, wait=waits, **fields))
    return [*program, table.encode("halt")]


@pytest.mark.parametrize("eager", [0.15, 0.9])
@pytest.mark.parametrize(
    "width, depth, engines",
    [(64, 128, ("left", "right", "third")), (32, 64, ("left", "right")), (256, 64, ("left", "b"))],
)
def test_rules(width, depth, engines, eager):
    table = instruction_set(width, engines)
    sequencer = Sequencer(SequencerConfig(instruction_set=table, depth=depth))
    program = random_program(table, depth, seed=depth + width)
    simulate(
        sequencer,
        bench=BENCH,
        parameters={
            "instruction_set": table,
            "program": program,
            "eager": eager,
            "depth": depth,
            "latency": sequencer.latency,
        },
        after_noise=True,
    )


def test_configuration_says_what_is_allowed():
    table = instruction_set(64, ("left", "right"))
    with pytest.raises(ValueError, match="Depth must be a power of two, not 12"):
        SequencerConfig(instruction_set=table, depth=12)
    with pytest.raises(ValueError, match="must be a power of two, not 96"):
        SequencerConfig(instruction_set=instruction_set(96, ("left", "right")))
    with pytest.raises(TypeError, match="must be an InstructionSet, not 3"):
        SequencerConfig(instruction_set=3)
