"""The C++ search under sanitizers: races of threads, accesses outside of what is there, undefined behaviour."""

from pathlib import Path

import pytest

from rewardware.sw.search import native
from tests.sw.sanitizers import SANITIZERS, run_sanitized


@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_stress(sanitizer):
    folder = Path(native.__file__).parent
    assert run_sanitized(Path(__file__).with_name("stress.cpp"), folder, sanitizer) == "done\n"
