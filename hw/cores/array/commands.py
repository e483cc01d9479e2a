"""Commands of the array engines as tables. No Amaranth here."""

import enum

from ..records import Field, Record
from .config import Operation

__all__ = ["MATRIX_COMMAND", "ROW_WIDTH", "Dataflow", "Destination", "RangeNoiseKind"]

# Rows of every memory that a command addresses.
ROW_WIDTH = 16


class Dataflow(enum.IntEnum):
    """How a matrix command uses a layer."""

    FORWARD = 0
    BACKWARD = 1
    GRADIENT = 2


class Destination(enum.IntEnum):
    """Memory of a matrix command's results."""

    ACTIVATION = 0
    ERROR = 1


class RangeNoiseKind(enum.IntEnum):
    """Operations of the range and noise engine."""

    NOISE = 0
    RANGE = 1


# One layer of one chunk of samples. "Gradient" says what a field means in the gradient dataflow.
MATRIX_COMMAND = Record(
    (
        Field("dataflow", 2, values=Dataflow),
        Field("half", 1),  # the streamed tensor holds codes, two samples per row
        Field("intra_layer", 1),  # input block k belongs to core k mod N, the cores' sums are added, one sample
        Field("hold", 1),  # a tile waits until everything earlier is drained: the first one
        Field("follow", 1),  # hold: the last tile of the first output block instead
        Field("bank", 2),  # weight bank; gradient: bank of the gradient memory
        Field("weight_base", ROW_WIDTH),  # first row of the matrix; gradient: of its gradient
        Field("outer_count", 9),  # output blocks
        Field("inner_count", 9),  # input blocks; gradient: blocks of L samples
        Field("outer_stride", ROW_WIDTH),  # rows of weights (gradients) from one outer block to the next
        Field("inner_stride", ROW_WIDTH),  # rows from one inner block (gradient: block of inputs) to the next
        Field("bias", 1),  # add the bias; gradient: stream the constant row and store its gradient
        Field("bias_base", ROW_WIDTH),  # bias row of outer block 0
        Field("stream_base", ROW_WIDTH),  # first row of the streamed tensor
        Field("stream_stride", 10),  # rows from one of its blocks to the next
        Field("samples", 10),  # samples of a core
        Field("full_cores", 6),  # cores that have that many; the others have one fewer
        Field("first", 10),  # gradient: first input
        Field("last", 10),  # gradient: input after the last
        Field("destination", 1, values=Destination),
        Field("destination_base", ROW_WIDTH),
        Field("destination_stride", 10),  # gradient: bias_base modulo L
        Field("lanes", 6),  # valid lanes of the last output block
        Field("merge", 1),  # lanes from `lanes` on keep what they hold, else they become zero
        Field("operation", 3, values=Operation),
        Field("shift", 6),  # of the one rounding, at least 1
        Field("bias_shift", 6),  # left shift of the bias; gradient: `shift` of the bias row
        Field("auxiliary_base", ROW_WIDTH),  # auxiliary tensor; gradient: the stationary errors
        Field("auxiliary_stride", 10),
        Field("packed_auxiliary", 1),  # the auxiliary tensor holds codes of input_slot, two samples per row
        Field("input_slot", 4),  # slot of the streamed codes; backward: of the auxiliary tensor's
        Field("output_slot", 4),
        Field("monitor", 1),  # record the results' range in output_slot
        Field("quantize", 1),  # store codes of output_slot
        Field("accumulate", 1),  # gradient: add to the gradient memory instead of writing it
    )
)
