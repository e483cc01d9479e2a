"""Configurations that the tests of parts of the device share; small, and no powers of two where that is allowed."""

from rewardware.hw.soc.learninggroup.config import LearningGroupConfig
from rewardware.hw.soc.learninggroup.hardware import LearningGroupHardware

VARIANTS = {
    "binary16": LearningGroupHardware(
        device=LearningGroupConfig(cores=2, features=37, groups=5, optimizer_format="binary16"),
        update_interval=8, parameter_rows=93, grouping_rows=61, weight_rows=150, scalar_rows=41, list_rows=75, tuples=9,
    ),
    "binary32": LearningGroupHardware(
        device=LearningGroupConfig(cores=3, features=20, groups=7),
        weight_banks=8, update_interval=8, parameter_rows=29, grouping_rows=47, weight_rows=131, scalar_rows=33,
        list_rows=43, tuples=11,
    ),
}  # fmt: skip
