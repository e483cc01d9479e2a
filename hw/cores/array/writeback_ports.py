"""Layouts of the inputs and outputs of the write-back path."""

from amaranth.lib import data, wiring
from amaranth.lib.wiring import Out

from .config import WORD_WIDTH, WritebackConfig

__all__ = ["ResultPort", "writeback_control"]


def writeback_control(config: WritebackConfig):
    """Layout of what holds for one row of all cores.

    Parameters
    ----------
    config : WritebackConfig
    """
    return data.StructLayout(
        {
            "core_mask": config.cores,  # cores that write
            "sample_valid": config.cores,  # cores whose values are counted and monitored
            "half_rule": 1,
            "select_high": 1,
            "shift": 5,
            "bias_shift": 4,
            "operation": 3,
            "input_slot": range(config.slots),  # its scale, for the half rule
            "auxiliary_packed": 1,
            "auxiliary_high": 1,  # which half of packed words
            "auxiliary_slot": range(config.slots),
            "lanes": range(config.lanes + 1),  # lanes that are present
            "merge": 1,  # absent lanes keep what they hold, else they become zero
            "destination": 1,  # 0: activation memory, 1: error memory
            "row": range(config.rows),
            "index": range(config.lanes),  # row mod lanes
            "store_half": 1,  # pack codes, two samples per row
            "parity": 1,  # which of the two
            "output_slot": range(config.slots),
            "monitor": 1,
            "quantize": 1,  # write the code, not the value
        }
    )


class ResultPort(wiring.Signature):
    """A row of results of every core on its way into the memories, seen from the path.

    Parameters
    ----------
    config : WritebackConfig

    Members
    -------
    enable : Out(cores)
        Cores that write.
    destination : Out(1)
        0: activation memory, 1: error memory.
    row : Out(range(rows))
    index : Out(range(lanes))
        ``row mod lanes``.
    half, parity : Out(1)
        Codes, two samples per row, and which of the two.
    mask : Out(lanes)
        Lanes that are written.
    words : Out(data.ArrayLayout(32, cores * lanes))
        Core after core.
    """

    def __init__(self, config: WritebackConfig):
        super().__init__(
            {
                "enable": Out(config.cores),
                "destination": Out(1),
                "row": Out(range(config.rows)),
                "index": Out(range(config.lanes)),
                "half": Out(1),
                "parity": Out(1),
                "mask": Out(config.lanes),
                "words": Out(data.ArrayLayout(WORD_WIDTH, config.cores * config.lanes)),
            }
        )
