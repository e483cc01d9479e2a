"""Parameters of a tensor for the quantiser and its inverse."""

from amaranth.hdl import signed
from amaranth.lib import data

from .config import CODE_WIDTH

__all__ = ["recorded_range", "slot_parameters", "stage_parameters"]

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

# The parameters of a slot in the cycles in which the quantiser's stages take them, counted from that of the value.
stage_parameters = data.StructLayout(
    {
        "compared": recorded_range,  # cycle 0
        "clamped": recorded_range,  # 1
        "reciprocal": 32,  # 1
        "shift": 6,  # 4
        "multiplier": 32,  # 4: the scale
        "bits": 5,  # 6
        "scale": 32,  # 8
        "zero_point": signed(18),  # 9
        "code_maximum": CODE_WIDTH,  # 9
    }
)
