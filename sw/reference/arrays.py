"""Types of the arrays that references take and give."""

from types import ModuleType

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ArrayModule",
    "FlagArray",
    "FlagOperand",
    "IntegerArray",
    "IntegerOperand",
    "RealArray",
    "ValueArray",
    "ValueOperand",
]

# NumPy, or CuPy, whose arrays have the same functions and methods.
ArrayModule = ModuleType

# Fixed-point words, bit patterns of floating point, codes, addresses, indexes and counts.
IntegerArray = NDArray[np.int64]

# An integer, or an array of them that broadcasts against others.
IntegerOperand = int | np.int64 | IntegerArray

# Truth values: masks, signs, and what was saturated.
FlagArray = NDArray[np.bool_]

# A truth value, or an array of them that broadcasts against others.
FlagOperand = bool | np.bool_ | FlagArray

# Real numbers, not yet rounded to a format.
RealArray = NDArray[np.float64]

# Numbers of a floating-point format in the host's float32 or float64 (`float.host`).
ValueArray = NDArray[np.floating]

# A number of a format, or an array of them that broadcasts against others.
ValueOperand = np.floating | ValueArray
