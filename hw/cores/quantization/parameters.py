"""What the quantiser and its inverse need to know of a tensor."""

from amaranth.hdl import signed
from amaranth.lib import data

from .config import CODE_WIDTH

__all__ = ["recorded_range", "slot_parameters"]

# Smallest and largest value of a tensor, zero included.
recorded_range = data.StructLayout({"minimum": signed(32), "maximum": signed(32)})

# A range [minimum, maximum] frozen with `bits` bits; RangeUnit has the equations.
slot_parameters = data.StructLayout(
    {
        "minimum": signed(32),
        "maximum": signed(32),
        "scale": 32,
        "reciprocal": 32,
        "shift": 6,
        "zero_point": signed(18),
        "bits": 5,
        "code_maximum": CODE_WIDTH,
    }
)
