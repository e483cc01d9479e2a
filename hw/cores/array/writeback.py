"""The write-back path: from drained sums to words and codes in memory."""

from amaranth.hdl import signed
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from .config import ACCUMULATOR_WIDTH, WORD_WIDTH, WritebackConfig

__all__ = ["WritebackPath", "writeback_control"]

# Of the lookups.
INPUT, AUXILIARY, OUTPUT = range(3)


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
            "input_slot": range(config.slots),
            "auxiliary_packed": 1,
            "auxiliary_high": 1,
            "auxiliary_slot": range(config.slots),
            "lanes": range(config.lanes + 1),
            "merge": 1,
            "destination": 1,
            "row": range(config.rows),
            "index": range(config.lanes),
            "store_half": 1,
            "parity": 1,
            "output_slot": range(config.slots),
            "monitor": 1,
            "quantize": 1,
        }
    )


class WritebackPath(wiring.Component):
    def __init__(self, config: WritebackConfig):
        self._config = config
        cores, lanes = config.cores, config.lanes
        slot_parameters = data.StructLayout({})
        super().__init__(
            {
                "valid": In(1),
                "control": In(writeback_control(config)),
                "low": In(signed(ACCUMULATOR_WIDTH)).array(cores, lanes),
                "high": In(signed(ACCUMULATOR_WIDTH)).array(cores, lanes),
                "bias": In(signed(WORD_WIDTH)).array(lanes),
                "auxiliary": In(WORD_WIDTH).array(cores, lanes),
                "lookup_slots": Out(range(config.slots)).array(3),
                "lookup_parameters": In(slot_parameters).array(3),
                "write_enable": Out(cores),
                "write_destination": Out(1),
                "write_row": Out(range(config.rows)),
                "write_index": Out(range(lanes)),
                "write_half": Out(1),
                "write_parity": Out(1),
                "write_mask": Out(lanes),
                "write_data": Out(WORD_WIDTH).array(cores, lanes),
                "monitor_valid": Out(1),
                "monitor_slot": Out(range(config.slots)),
                "monitor_values": Out(signed(WORD_WIDTH)).array(cores, lanes),
                "monitor_mask": Out(lanes).array(cores),
                "arithmetic_saturations": Out(range(2 * cores * lanes + 1)),
                "quantizer_saturations": Out(range(cores * lanes + 1)),
            }
        )
