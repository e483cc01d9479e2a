"""The parts of a matrix engine, each by itself, in one model for all of their tests."""

from rewardware.hw.cores.float.config import BFLOAT16
from rewardware.hw.cores.vector.drain import Drain
from rewardware.hw.cores.vector.matrix_config import MatrixConfig
from rewardware.hw.cores.vector.operand_fetch import OperandFetch
from rewardware.hw.cores.vector.step_sequencer import StepSequencer
from rewardware.hw.cores.vector.work_item_generator import WorkItemGenerator

from ..side_by_side import SideBySide

VARIANTS = {
    "three cores": MatrixConfig(
        cluster_vpus=1, blocks=4, clusters=11, cores=3, error_ports=2, features=37, activation_rows=45, error_rows=83,
        result_rows=70, weight_rows=150, list_rows=100, table_rows=43, steps=9,
    ),
    "one core": MatrixConfig(
        format=BFLOAT16, cluster_vpus=2, blocks=2, clusters=5, cores=1, error_ports=1, features=64, activation_rows=128,
        error_rows=64, result_rows=128, weight_rows=128, list_rows=64, table_rows=64, steps=20, weight_banks=4,
    ),
}  # fmt: skip
PARTS = {"drain": Drain, "fetch": OperandFetch, "generator": WorkItemGenerator, "sequencer": StepSequencer}


def engine_parts(config):
    """The parts side by side, by their names in ``PARTS``."""
    return SideBySide({name: part(config) for name, part in PARTS.items()})
