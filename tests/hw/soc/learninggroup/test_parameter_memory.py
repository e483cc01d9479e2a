"""The memory of parameters and mean squares against two arrays."""

import pytest

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig
from rewardware.hw.soc.learninggroup.hardware import LearningGroupHardware
from rewardware.hw.soc.learninggroup.parameter_memory import ParameterMemory, parameter_word
from rewardware.sim.cocotb import simulate


@pytest.mark.parametrize(
    ("optimizer_format", "rows", "readers"), [("binary16", 11, 3), ("binary32", 2, 1)], ids=["three readers", "one"]
)
def test_memory(optimizer_format, rows, readers):
    hardware = LearningGroupHardware(device=LearningGroupConfig(optimizer_format=optimizer_format))
    simulate(
        ParameterMemory(hardware, rows, readers),
        bench="tests.hw.soc.learninggroup.bench_parameter_memory",
        parameters={"rows": rows, "readers": readers, "word_layout": parameter_word(hardware)},
    )


def test_bad_sizes():
    hardware = LearningGroupHardware(device=LearningGroupConfig())
    with pytest.raises(ValueError, match="^Rows must be from 2 to 1048576, not 1$"):
        ParameterMemory(hardware, 1, 2)
    with pytest.raises(ValueError, match="^Readers must be from 1 to 8, not 0$"):
        ParameterMemory(hardware, 5, 0)
