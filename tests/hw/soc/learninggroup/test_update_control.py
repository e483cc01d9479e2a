"""The engine of the update against the references of the grouping's gradients and of their update."""

import pytest

from rewardware.hw.cores.sparse.lists import table_entry
from rewardware.hw.soc.learninggroup.core_parameters import rates_layout
from rewardware.hw.soc.learninggroup.parameter_memory import parameter_word
from rewardware.hw.soc.learninggroup.update_control import UpdateControl
from rewardware.sim.cocotb import simulate
from tests.hw.soc.learninggroup.variants import VARIANTS


@pytest.mark.parametrize("hardware", VARIANTS.values(), ids=VARIANTS)
def test_update_control(hardware):
    simulate(
        UpdateControl(hardware),
        bench="tests.hw.soc.learninggroup.bench_update_control",
        parameters={
            "hardware": hardware,
            "layers": 9,
            "table_layout": table_entry(hardware.sparse),
            "rates_layout": rates_layout(hardware),
            "word_layout": parameter_word(hardware),
        },
    )
