"""Libraries in C++ for the host, compiled once for its processor and kept as simulators are."""

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["Signatures", "load_host_library"]

# The result and the arguments of each function, in ctypes.
Signatures = Mapping[str, tuple[Any, ...]]

# Limit of the compiler, which takes seconds.
COMPILE_LIMIT_SECONDS = 600
PRODUCT = "host_library.so"


def load_host_library(
    source: Path, flags: Sequence[str], signatures: Signatures, what: str, kind: str = "searches"
) -> Any:
    """The shared library of a source, compiled if there is none yet of the same text, flags, compiler and processor.

    A call of its functions runs without the interpreter's lock.

    Parameters
    ----------
    source : Path
        A file in C++; headers beside it are also looked at.
    flags : sequence of str
        Flags of the compiler, optimisation included.
    signatures : mapping from str to tuple
        Result and arguments of each function that is called.
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
    library = ctypes.CDLL(str(_compile(source, flags, what, kind)))
    for name, (result, *arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def _compile(source: Path, flags: Sequence[str], what: str, kind: str) -> Path:
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
