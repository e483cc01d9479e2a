"""Ceilings on what the binary16 units take on UltraScale+, so that a regression shows."""

import pytest

from rewardware.hw.cores.float.adder import FloatAdder
from rewardware.hw.cores.float.config import FloatConfig
from rewardware.hw.cores.float.fused_multiply_add import FloatFusedMultiplyAdd
from rewardware.hw.cores.float.multiplier import FloatMultiplier
from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.soc.export.synthesis import read_synthesis, synthesise
from rewardware.hw.soc.target.target import TARGETS


@pytest.mark.parametrize(
    ("unit", "number_format", "depth", "lut", "ff", "dsp"),
    [
        (FloatAdder, "binary16", 4, 205, 114, 0),
        (FloatMultiplier, "binary16", 3, 179, 80, 1),
        (FloatMultiplier, "binary16_flush", 2, 55, 50, 1),
        (FloatFusedMultiplyAdd, "binary16", 4, 470, 170, 1),
    ],
)
def test_units_are_small(unit, number_format, depth, lut, ff, dsp, tmp_path):
    target = TARGETS["xcup"]
    verilog = emit(unit(FloatConfig(format=number_format, depth=depth)), "unit")
    synthesise(verilog, "unit", target, tmp_path, depth=0)
    used = read_synthesis(tmp_path, "unit", target).total
    assert used.lut <= lut and used.ff <= ff and used.dsp <= dsp, used
