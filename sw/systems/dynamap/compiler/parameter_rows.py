"""Biases and multipliers of all layers as rows of the device's memory."""

import numpy as np

from .....hw.cores.convolution.requantizer_config import MULTIPLIER_WIDTH
from .....hw.soc.dynamap.config import DynamapConfig
from ....reference.arrays import IntegerArray

__all__ = ["ParameterRows"]


class ParameterRows:
    """Collects rows; each has as many channels as the array has columns.

    Parameters
    ----------
    hardware : DynamapConfig
    """

    def __init__(self, hardware: DynamapConfig):
        self._hardware = hardware
        self._rows: list[tuple[IntegerArray, IntegerArray]] = []
        self._known: dict[tuple[bytes, bytes], int] = {}

    def add(self, biases: IntegerArray, multipliers: IntegerArray) -> int:
        """The row from which parameters of so many channels stand; those that are there already stand once."""
        key = biases.tobytes(), multipliers.tobytes()
        if key not in self._known:
            self._known[key] = len(self._rows)
            columns = self._hardware.columns
            fill = -len(biases) % columns
            tables = [
                np.pad(values.astype(np.int64), (0, fill)).reshape(-1, columns) for values in (biases, multipliers)
            ]
            self._rows.extend(zip(*tables, strict=True))
        return self._known[key]

    @property
    def words(self) -> IntegerArray:
        """Rows of bits, each a word of 1 bit, for :func:`.kernel_rows.beats_of`.

        Raises
        ------
        ValueError
            There are more rows than the memory has.
        """
        if len(self._rows) > self._hardware.parameter_rows:
            raise ValueError(
                f"Biases and multipliers need {len(self._rows)} rows, and device {self._hardware.name} has "
                f"{self._hardware.parameter_rows}"
            )
        widths = self._hardware.sum_width, MULTIPLIER_WIDTH
        parts = [
            (np.stack([row[index] for row in self._rows])[:, :, None] >> np.arange(width) & 1).reshape(
                len(self._rows), -1
            )
            for index, width in enumerate(widths)
        ]
        return np.concatenate(parts, axis=1)
