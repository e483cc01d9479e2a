"""The parameters of a core against the references of the update and of conversion."""

import pytest
from amaranth.lib import data

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig
from rewardware.hw.soc.learninggroup.core_parameters import CoreParameters, rates_layout
from rewardware.hw.soc.learninggroup.hardware import LearningGroupHardware
from rewardware.hw.soc.learninggroup.parameter_memory import parameter_word
from rewardware.sim.cocotb import simulate

VARIANTS = {
    "binary16": LearningGroupHardware(
        device=LearningGroupConfig(cores=2, features=37, groups=5, optimizer_format="binary16"),
        update_interval=8, parameter_rows=93, weight_rows=150, scalar_rows=41, list_rows=75, tuples=9,
    ),
    "binary32": LearningGroupHardware(
        device=LearningGroupConfig(cores=3, features=20, groups=7),
        update_interval=16, parameter_rows=29, weight_rows=131, scalar_rows=33, list_rows=43, tuples=11,
    ),
}  # fmt: skip


@pytest.mark.parametrize("hardware", VARIANTS.values(), ids=VARIANTS)
def test_parameters(hardware):
    simulate(
        CoreParameters(hardware),
        bench="tests.hw.soc.learninggroup.bench_core_parameters",
        parameters={
            "hardware": hardware,
            "layers": 12,
            "rates_layout": rates_layout(hardware),
            "word_layout": parameter_word(hardware),
            "weights_layout": data.ArrayLayout(16, 16),
        },
    )
