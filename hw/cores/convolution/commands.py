"""Commands of the GEMM engine. No Amaranth here."""

import enum

from ..records import Field, Record
from .gemm_config import GemmEngineConfig

__all__ = ["Dataflow", "gemm_command"]


class Dataflow(enum.IntEnum):
    """The operands of a matrix product that stand in the array; as a text NS, WS or IS, as in the source."""

    NON_STATIONARY = 0
    WEIGHT_STATIONARY = 1
    INPUT_STATIONARY = 2

    def __str__(self):
        return f"{self.name[0]}S"


def gemm_command(config: GemmEngineConfig) -> Record:
    """A matrix product, inputs (a x b) times weights (b x c): a ``pixels``, b ``products``, c ``channels``.

    ``dataflow`` is a :class:`Dataflow`. ``input_half`` and ``weight_half`` are the halves of the buffers, ``input_row``
    and ``weight_row`` the rows at which the operands begin there. ``input_stride`` is the number of rows from a block
    of P1 products to the next, P1 being the array's rows: a multiple of P1, as ``input_row`` is, and at least a.
    ``sum_row`` is the first row of sums; with ``accumulate`` they go on from what stands there.
    """

    def row(rows):
        return max((rows - 1).bit_length(), 1)

    return Record(
        (
            Field("dataflow", 2, values=Dataflow),
            Field("pixels", config.size_width),
            Field("products", config.depth_width),
            Field("channels", config.size_width),
            Field("input_half"),
            Field("input_row", row(config.input_rows)),
            Field("input_stride", config.input_rows.bit_length()),
            Field("weight_half"),
            Field("weight_row", row(config.weight_rows)),
            Field("sum_row", row(config.sum_rows)),
            Field("accumulate"),
        )
    )
