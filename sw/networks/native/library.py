"""The C++ library of networks, as Python calls it."""

import ctypes
import functools
from pathlib import Path
from typing import Any

from ...device.host_library import load_host_library

__all__ = ["load_passes", "native_library"]

# Nothing here lets the compiler change a sum's order, or round where the source does not say so; or call a function to
# copy a few numbers.
FLAGS = (
    "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math",
    "-fno-tree-loop-distribute-patterns",
)  # fmt: skip

_POINTER, _INTEGER, _LONG, _REAL = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_float
_NETWORK = _POINTER, _INTEGER
# The result and the arguments of each function.
_FUNCTIONS = {
    "set_threads": (None, ctypes.c_uint32),
    "pass_size": (_LONG, *_NETWORK, _INTEGER),
    "has_bfloat16": (_INTEGER,),
    "forward": (None, *_NETWORK, _INTEGER, _POINTER, _INTEGER, _POINTER, _POINTER, _POINTER),
    "backward": (None, *_NETWORK, _INTEGER, _POINTER, _INTEGER, _POINTER, _INTEGER, *[_POINTER] * 3),
    "adam": (None, _LONG, *[_POINTER] * 4, *[_REAL] * 5),
    "draw": (None, _LONG, _INTEGER, *[_POINTER] * 2, *[_REAL] * 2, *[_POINTER] * 2),
    "differentiate": (None, _LONG, _INTEGER, _POINTER, _LONG, _POINTER, _REAL, _POINTER),
    "follow": (None, _LONG, _POINTER, _POINTER, _REAL),
}


def load_passes(*more: str) -> Any:
    """The library with more flags of the compiler, which change no bit of what it computes.

    Raises
    ------
    BuildError, RuntimeError
        As by :func:`.load_host_library`.
    """
    source = Path(__file__).with_name("perceptron.cpp")
    return load_host_library(source, (*FLAGS, *more), _FUNCTIONS, "the passes of networks", "networks")


# The library as it is used, loaded once.
native_library = functools.cache(load_passes)
