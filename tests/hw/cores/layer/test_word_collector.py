"""Elements of samples into words."""

from rewardware.hw.cores.float.config import BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.config import LayerConfig
from rewardware.hw.cores.layer.word_collector import WordCollector
from rewardware.sim.cocotb import simulate
from tests.hw.cores.side_by_side import SideBySide

# Outputs and units.
SHAPES = {"two_groups": (5, 3), "full": (6, 2), "one_word": (3, 3), "one_unit": (3, 1), "one_output": (1, 1)}


def test_word_collector():
    arithmetic = FloatLaneConfig(format=BINARY16, adder_depth=3, multiplier_depth=1)
    configs = {
        name: LayerConfig(inputs=2, outputs=outputs, units=units, arithmetic=arithmetic)
        for name, (outputs, units) in SHAPES.items()
    }
    simulate(
        SideBySide({name: WordCollector(config) for name, config in configs.items()}),
        bench="tests.hw.cores.layer.bench_word_collector",
        parameters={"configs": configs},
        after_noise=True,
    )
