"""The parameters of a core against the references of the update and of conversion."""

import pytest
from amaranth.lib import data

from rewardware.hw.soc.learninggroup.core_parameters import CoreParameters, rates_layout
from rewardware.hw.soc.learninggroup.parameter_memory import parameter_word
from rewardware.sim.cocotb import simulate
from tests.hw.soc.learninggroup.variants import VARIANTS


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
            "weights_layout": data.ArrayLayout(16, hardware.weight_banks),
        },
    )
