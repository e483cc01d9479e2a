"""Libraries in C++ for the host: calls, what is compiled once, what compilers refuse."""

import ctypes

import pytest

from rewardware.sim.verilator.build import BuildError
from rewardware.sw.device.host_library import load_host_library

SIGNATURES = {"half": (ctypes.c_double, ctypes.c_int32), "nothing": (None,)}
TEXT = (
    '#include "part.h"\nextern "C" {{ double half(int value) {{ return value / PART; }} void nothing() {{}} {more} }}'
)


def load(folder, part="2.0", more="", flags=("-O1",)):
    (folder / "one.cpp").write_text(TEXT.format(more=more))
    (folder / "part.h").write_text(f"#define PART {part}\n")
    return load_host_library(folder / "one.cpp", flags, SIGNATURES, "a test", "benches")


def test_functions_have_their_signatures(tmp_path):
    library = load(tmp_path)
    assert library.half(3) == 1.5 and library.nothing() is None
    with pytest.raises(ctypes.ArgumentError):
        library.half("3")


def test_a_library_is_compiled_again_where_a_text_or_flag_differs(tmp_path):
    first = load(tmp_path)._name
    assert load(tmp_path)._name == first
    others = load(tmp_path, part="4.0"), load(tmp_path, more="int unused;"), load(tmp_path, flags=("-O2",))
    assert len({first, *(other._name for other in others)}) == 4
    assert others[0].half(3) == 0.75


def test_the_compilers_words_are_told(tmp_path):
    with pytest.raises(BuildError, match=r"g\+\+ failed with exit status 1:\n(.|\n)*expected"):
        load(tmp_path, more="int")
