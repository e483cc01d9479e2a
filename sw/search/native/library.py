"""The C++ library of the search, as Python calls it."""

import ctypes
import functools
from pathlib import Path
from typing import Any

from ...device.host_library import load_host_library

__all__ = ["OBSERVE_FUNCTION", "STEP_FUNCTION", "last_error", "native_library"]

FLAGS = ("-O3", "-march=native")
# Functions of a game in Python: state, action, reward, whether it ended; state, planes, legal actions.
STEP_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_int64,
    ctypes.c_int64,
    ctypes.c_uint32,
    ctypes.POINTER(ctypes.c_double),
    ctypes.POINTER(ctypes.c_uint8),
)
OBSERVE_FUNCTION = ctypes.CFUNCTYPE(
    ctypes.c_int32, ctypes.c_int64, ctypes.POINTER(ctypes.c_float), ctypes.POINTER(ctypes.c_uint8)
)

_HANDLE, _WORD, _BYTE, _LONG = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint8, ctypes.c_int64
_POINTER, _REAL, _SMALL_REAL = ctypes.c_void_p, ctypes.c_double, ctypes.c_float
# The result and the arguments of each function.
_FUNCTIONS = {
    "last_error": (ctypes.c_char_p,),
    "make_line_game": (_HANDLE, _WORD, _WORD, _WORD, _BYTE),
    "make_callback_game": (_HANDLE, _WORD, _WORD, STEP_FUNCTION, OBSERVE_FUNCTION),
    "free_game": (None, _HANDLE),
    "state_words": (_WORD, _HANDLE),
    "step_game": (_LONG, _HANDLE, _POINTER, _WORD, _POINTER, _POINTER),
    "observe_game": (_LONG, _HANDLE, _POINTER, _POINTER, _POINTER),
    "make_scores": (_HANDLE, _POINTER, _POINTER, _POINTER, ctypes.c_int32, ctypes.c_int32, ctypes.c_int32),
    "free_scores": (None, _HANDLE),
    "make_cache": (_HANDLE, ctypes.c_uint64, _WORD),
    "free_cache": (None, _HANDLE),
    "clear_cache": (None, _HANDLE),
    "cache_hits": (ctypes.c_uint64, _HANDLE),
    "quantize_batch": (_BYTE, _POINTER, _POINTER, _WORD, _WORD, _POINTER),
    "make_synchronous": (_HANDLE, _HANDLE, _HANDLE, _HANDLE, _WORD, _WORD),
    "free_synchronous": (None, _HANDLE),
    "synchronous_begin": (_LONG, _HANDLE, _WORD),
    "synchronous_begin_tree": (_LONG, _HANDLE, _HANDLE, _WORD, _POINTER, _POINTER, _POINTER, _SMALL_REAL, _WORD),
    "synchronous_select": (_LONG, _HANDLE, _POINTER, _POINTER),
    "synchronous_back_up": (_LONG, _HANDLE, _POINTER, _POINTER),
    "synchronous_read": (None, _HANDLE, _WORD, _POINTER, _POINTER, _POINTER, _POINTER),
    "make_threaded": (_HANDLE, _HANDLE, _HANDLE, _HANDLE, _WORD, _BYTE, _WORD, _WORD, _WORD, _REAL),
    "free_threaded": (None, _HANDLE),
    "threaded_begin": (_LONG, _HANDLE, _HANDLE, _POINTER, _POINTER, _POINTER, _SMALL_REAL, _WORD),
    "threaded_take": (ctypes.c_int32, _HANDLE, _WORD, _POINTER, _POINTER, _REAL),
    "threaded_give": (None, _HANDLE, _WORD, _POINTER, _POINTER),
    "threaded_fail": (None, _HANDLE, ctypes.c_char_p),
    "threaded_finish": (_LONG, _HANDLE),
    "threaded_read": (None, _HANDLE, _POINTER, _POINTER, _POINTER, _POINTER),
    "threaded_counts": (None, _HANDLE, _POINTER),
}


@functools.cache
def native_library() -> Any:
    """The library, compiled if this processor has none yet.

    Raises
    ------
    BuildError, RuntimeError
        As by :func:`.load_host_library`.
    """
    return load_host_library(Path(__file__).with_name("search.cpp"), FLAGS, _FUNCTIONS, "the tree search in C++")


def last_error() -> str:
    """Why the last call of this thread failed."""
    return native_library().last_error().decode(errors="replace")
