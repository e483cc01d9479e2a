"""Ceilings on what an array core takes; the paper (Table I over its 512 elements) has 4.5 DSP, 422 LUT, 316 FF."""

from rewardware.hw.cores.array.config import ArrayConfig
from rewardware.hw.cores.array.core import AdaptiveArrayCore
from rewardware.hw.cores.verilog.emit import emit
from rewardware.hw.soc.export.synthesis import read_synthesis, synthesise
from rewardware.hw.soc.target.target import TARGETS

LANES = 8  # A core of 16 takes four times as long, and a little less for each element.


def test_core_takes_less_than_the_papers_elements(tmp_path):
    target = TARGETS["xcup"]
    verilog = emit(AdaptiveArrayCore(ArrayConfig(lanes=LANES)), "core")
    synthesise(verilog, "core", target, tmp_path, depth=0)
    used = read_synthesis(tmp_path, "core", target).total * (1 / LANES**2)
    print(f"a processing element, its share of the core included: {used}")
    assert used.dsp <= 4
    assert used.lut < 260
    assert used.ff < 260
