"""The C++ search under sanitizers: races of threads, accesses outside of what is there, undefined behaviour."""

import os
from pathlib import Path

import pytest

from rewardware.hw.soc.limited_command import run_limited
from rewardware.sim.verilator.cache import build_once, content_key
from rewardware.sim.verilator.toolchain import find_toolchain
from rewardware.sw.search import native

HEADERS = Path(native.__file__).parent
SOURCE = Path(__file__).with_name("stress.cpp")


@pytest.mark.parametrize("sanitizer", ["thread", "address,undefined"])
def test_stress(sanitizer):
    tools, flags = find_toolchain(), ["-std=c++20", "-O1", "-g", "-pthread", f"-fsanitize={sanitizer}"]
    flags.append("-fno-sanitize-recover=all")

    def build(folder):
        command = [tools.compiler, *flags, f"-I{HEADERS}", str(SOURCE), "-o", str(folder / "stress")]
        result = run_limited(command, 300, env=tools.environment)
        assert result.returncode == 0, result.stderr

    texts = [path.read_text() for path in (SOURCE, *sorted(HEADERS.glob("*.h")))]
    folder = build_once("benches", content_key(texts=texts, flags=flags, versions=tools.versions), build)
    # Where the kernel spreads addresses wider than the sanitizer knows, it cannot start: they stay together.
    command = ["setarch", os.uname().machine, "-R", str(folder / "stress")]
    result = run_limited(command, 300, env={**tools.environment, "TSAN_OPTIONS": "halt_on_error=1"})
    assert result.returncode == 0, result.stderr[-4000:]
    assert result.stdout == "done\n"
