"""Ceilings on what a vector processing unit takes: there are hundreds of them."""

from rewardware.hw.cores.vector.matrix_config import VpuConfig
from rewardware.hw.cores.vector.vpu import VectorProcessingUnit
from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.soc.export.synthesis import read_synthesis, synthesise
from rewardware.hw.soc.target.target import TARGETS


def test_a_unit_takes_little_more_than_its_multiplier_and_its_adder(tmp_path):
    target = TARGETS["xcup"]
    synthesise(emit(VectorProcessingUnit(VpuConfig()), "vpu"), "vpu", target, tmp_path, depth=0)
    used = read_synthesis(tmp_path, "vpu", target).total
    print(f"a vector processing unit: {used}")
    assert used.dsp == 1
    assert used.lut < 430
    assert used.ff < 240
