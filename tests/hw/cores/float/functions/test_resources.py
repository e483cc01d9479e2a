"""Ceilings on what the function units of binary16 take on UltraScale+, so that a regression shows."""

import pytest

from rewardware.hw.cores.float.functions.config import FloatFunctionConfig
from rewardware.hw.cores.float.functions.reciprocal import FloatReciprocal
from rewardware.hw.cores.float.functions.sigmoid_tanh import FloatSigmoidTanh
from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.soc.export.synthesis import read_synthesis, synthesise
from rewardware.hw.soc.target.target import TARGETS


@pytest.mark.parametrize(
    ("unit", "lut", "ff", "dsp"), [(FloatReciprocal, 150, 120, 1), (FloatSigmoidTanh, 570, 300, 4)]
)
def test_units_are_small(unit, lut, ff, dsp, tmp_path):
    target = TARGETS["xcup"]
    synthesise(emit(unit(FloatFunctionConfig()), "unit"), "unit", target, tmp_path, depth=0)
    used = read_synthesis(tmp_path, "unit", target).total
    assert used.lut <= lut and used.ff <= ff and used.dsp <= dsp and used.bram == 0, used
