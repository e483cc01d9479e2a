"""The C++ library of networks, as Python calls it. A call runs without the interpreter's lock."""

import ctypes
import functools
from pathlib import Path
from typing import Any

from ...device.host_library import compile_host_library

__all__ = ["native_library"]

# Sums stay in their order: nothing here lets the compiler change it.
FLAGS = ("-O3", "-march=native", "-ffp-contract=fast", "-fno-math-errno", "-fno-trapping-math")

_POINTER, _INTEGER, _LONG, _REAL = ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64, ctypes.c_float
_NETWORK = _POINTER, _INTEGER
# Of each function its result and its arguments.
_FUNCTIONS = {
    "set_threads": (None, ctypes.c_uint32),
    "pass_size": (_LONG, *_NETWORK, _INTEGER),
    "forward": (None, *_NETWORK, _POINTER, _INTEGER, _POINTER, _POINTER, _POINTER),
    "backward": (None, *_NETWORK, _POINTER, _INTEGER, *[_POINTER] * 4),
    "adam": (None, _LONG, *[_POINTER] * 4, *[_REAL] * 5),
    "follow": (None, _LONG, _POINTER, _POINTER, _REAL),
}


@functools.cache
def native_library() -> Any:
    """The library, compiled if it is not yet.

    Raises
    ------
    BuildError
        The compiler refused.
    RuntimeError
        There is no compiler.
    """
    source = Path(__file__).parent / "perceptron.cpp"
    library = ctypes.CDLL(str(compile_host_library(source, FLAGS, "the passes of networks", "networks")))
    for name, (result, *arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
