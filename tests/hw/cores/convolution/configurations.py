"""Arrays that the tests have: none with equal sides, few with powers of two."""

from rewardware.hw.cores.convolution.systolic_array_config import SystolicArrayConfig
from rewardware.hw.cores.float.config import BFLOAT16

ARRAYS = {
    "3x5": SystolicArrayConfig(rows=3, columns=5),
    "5x4, 2 drains": SystolicArrayConfig(rows=5, columns=4, drains=2),
    # Chains of 5 and 2 rows, as 4 is even.
    "7x2, 2 drains, widths of Winograd": SystolicArrayConfig(
        rows=7, columns=2, input_width=10, weight_width=12, sum_width=38, drains=2
    ),
    "10x3, 4 drains": SystolicArrayConfig(rows=10, columns=3, weight_width=5, sum_width=30, drains=4),
    "4x3, binary16": SystolicArrayConfig(rows=4, columns=3, format="binary16"),
    "5x6, 2 drains, bfloat16": SystolicArrayConfig(rows=5, columns=6, drains=2, format=BFLOAT16.flushing()),
}
