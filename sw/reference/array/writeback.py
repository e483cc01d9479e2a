"""Reference of the write-back path."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ....hw.cores.array.config import HALF_WIDTH, WORD_WIDTH, Operation, WritebackConfig
from ..arrays import FlagArray, IntegerArray
from ..quantization.ranges import QuantizationParameters, dequantize, quantize
from .activation_unit import activate
from .rescaler import rescale

__all__ = ["WritebackRow", "expand_auxiliary", "write_back"]


@dataclass(frozen=True)
class WritebackRow:
    """The result of one row of sums.

    Parameters
    ----------
    data : array
        Words to write, by core and lane; codes are unsigned.
    mask : array of bool
        Lanes to write.
    values : array
        Values for the range monitor, by core and lane.
    monitor_mask : array of bool
        Values that count, by core and lane.
    arithmetic_saturations, quantizer_saturations : int
    """

    data: IntegerArray
    mask: FlagArray
    values: IntegerArray
    monitor_mask: FlagArray
    arithmetic_saturations: int
    quantizer_saturations: int


def expand_auxiliary(
    words: ArrayLike, *, packed: bool = False, high: bool = False, parameters: QuantizationParameters | None = None
) -> tuple[IntegerArray, FlagArray]:
    """``(values, positive)``: what stored words mean.

    Parameters
    ----------
    words : array
    packed : bool
        The words hold two codes each.
    high : bool
        Which of them.
    parameters : QuantizationParameters
        Parameters of the codes; None only for words that are not packed.
    """
    words = np.asarray(words, np.int64)
    if packed:
        if parameters is None:
            raise ValueError("Packed codes need the parameters of their range")
        codes = (words >> HALF_WIDTH if high else words) & (1 << HALF_WIDTH) - 1
        return dequantize(codes, parameters), codes > parameters.zero_point
    sign = 1 << (WORD_WIDTH - 1)
    values = (words & (2 * sign - 1) ^ sign) - sign
    return values, values > 0


def write_back(
    config: WritebackConfig,
    control: Mapping[str, int],
    low: IntegerArray,
    high: IntegerArray,
    bias: IntegerArray,
    auxiliary: ArrayLike,
    parameters: Sequence[QuantizationParameters],
) -> WritebackRow:
    """Results of one row of sums of all cores, a :class:`WritebackRow`.

    Parameters
    ----------
    config : WritebackConfig
    control : dict
        Fields of the control of the path.
    low, high : array
        Sums by core and lane.
    bias : array
        By lane.
    auxiliary : array
        Words of 32 bits by core and lane, unsigned or signed.
    parameters : sequence of QuantizationParameters
        Parameters of each slot.
    """
    present = np.arange(config.lanes) < control["lanes"]
    counted = (control["sample_valid"] >> np.arange(config.cores) & 1 == 1)[:, None] & present
    x, rescaler_saturated = rescale(
        low,
        high,
        half_rule=bool(control["half_rule"]),
        select_high=bool(control["select_high"]),
        scale=parameters[control["input_slot"]].scale,
        bias=bias,
        bias_shift=control["bias_shift"],
        shift=control["shift"],
    )
    values, positive = expand_auxiliary(
        auxiliary,
        packed=bool(control["auxiliary_packed"]),
        high=bool(control["auxiliary_high"]),
        parameters=parameters[control["auxiliary_slot"]],
    )
    factor = np.zeros_like(values)
    if config.factor_lane is not None:
        factor[:, 0] = values[:, config.factor_lane]
    y, activation_saturated = activate(Operation(control["operation"]), x, values, positive=positive, factor=factor)
    words, outside = y, np.zeros_like(counted)
    if control["quantize"]:
        words, outside = quantize(y, parameters[control["output_slot"]])
    return WritebackRow(
        data=np.where(present, words, 0),
        mask=present if control["merge"] else np.ones_like(present),
        values=y,
        monitor_mask=counted,
        arithmetic_saturations=int((counted & rescaler_saturated).sum() + (counted & activation_saturated).sum()),
        quantizer_saturations=int((counted & outside).sum()),
    )
