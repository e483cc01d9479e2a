"""Libraries in C++ for the host, compiled once for its processor and kept as simulators are."""

from collections.abc import Sequence
from pathlib import Path

__all__ = ["compile_host_library"]

# Of the compiler, which takes seconds.
COMPILE_LIMIT_SECONDS = 600
PRODUCT = "host_library.so"


def compile_host_library(source: Path, flags: Sequence[str], what: str, kind: str = "searches") -> Path:
    """The shared library of a source, compiled if there is none yet of the same text, flags, compiler and processor.

    Parameters
    ----------
    source : Path
        A file in C++; headers beside it are looked at, too.
    flags : sequence of str
        Of the compiler, optimisation included.
    what : str
        What it is, for who waits.
    kind : str
        Folder in the cache.

    Raises
    ------
    BuildError
        The compiler refused.
    RuntimeError
        There is no compiler.
    """
    from ...hw.soc.limited_command import run_limited
    from ...sim.verilator.build import BuildError
    from ...sim.verilator.cache import build_once, content_key
    from ...sim.verilator.toolchain import find_toolchain

    tools = find_toolchain()
    texts = {path.name: path.read_text() for path in sorted(source.parent.glob("*.h"))}
    command = [tools.compiler, "-std=c++20", "-shared", "-fPIC", "-pthread", *flags, str(source)]

    def compile_into(folder: Path) -> None:
        result = run_limited([*command, "-o", str(folder / PRODUCT)], COMPILE_LIMIT_SECONDS, env=tools.environment)
        if result.returncode != 0:
            raise BuildError(f"{tools.compiler} failed with exit status {result.returncode}:\n{result.stderr}")

    key = content_key(
        source=source.read_text(),
        headers=texts,
        flags=flags,
        versions=tools.versions,
        processor=tools.processor if "-march=native" in flags else "",
    )
    return build_once(kind, key, compile_into, f"compiling {what}, once") / PRODUCT
