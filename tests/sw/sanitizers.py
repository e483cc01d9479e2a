"""Programs in C++ under the compiler's sanitizers."""

import os
from pathlib import Path

from rewardware.hw.soc.limited_command import run_limited
from rewardware.sim.verilator.cache import build_once, content_key
from rewardware.sim.verilator.toolchain import find_toolchain

__all__ = ["SANITIZERS", "run_sanitized"]

SANITIZERS = "thread", "address,undefined"


def run_sanitized(source: Path, folder: Path, sanitizer: str) -> str:
    """Output of a program compiled with a folder's sources next to its own; fails with what the sanitizer finds."""
    tools, flags = find_toolchain(), ["-std=c++20", "-O1", "-g", "-pthread", f"-fsanitize={sanitizer}"]
    flags.append("-fno-sanitize-recover=all")

    def build(into: Path) -> None:
        command = [tools.compiler, *flags, f"-I{folder}", str(source), "-o", str(into / "stress")]
        result = run_limited(command, 300, env=tools.environment)
        assert result.returncode == 0, result.stderr

    texts = [path.read_text() for path in (source, *sorted([*folder.glob("*.h"), *folder.glob("*.cpp")]))]
    built = build_once("benches", content_key(texts=texts, flags=flags, versions=tools.versions), build)
    # Where the kernel spreads addresses wider than the sanitizer knows, it cannot start: they stay together.
    command = ["setarch", os.uname().machine, "-R", str(built / "stress")]
    result = run_limited(command, 300, env={**tools.environment, "TSAN_OPTIONS": "halt_on_error=1"})
    assert result.returncode == 0, result.stderr[-4000:]
    return result.stdout
