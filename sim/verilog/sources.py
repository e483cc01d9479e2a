"""The source text that a component is made of."""

import ast
import functools
import hashlib
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import psutil

__all__ = ["imported_modules", "source_digest", "unread_modules"]

# Only the gateware of this package goes into Verilog.
GATEWARE = "rewardware.hw."
# Names that are imported on demand: "module:name".
_PLACE = re.compile(r"([A-Za-z_][\w.]*):\w+")

# When this process began to load modules, in seconds since 1970, and by how much that may be wrong.
_STARTED, _UNCERTAIN_SECONDS = psutil.Process().create_time(), 2


def source_digest(*modules: str) -> str:
    """A name for the text of modules and of all that they import from their own packages."""
    digest = hashlib.sha256()
    for name, path in sorted(imported_modules(*modules).items()):
        digest.update(f"{name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def unread_modules(*modules: str) -> list[str]:
    """Modules, of these and all that they import, whose text may be another than what this process has loaded.

    It was written after the start; or it is not found, as that of a notebook, or not with all that it imports, as that
    of a script.
    """
    found, latest = imported_modules(*modules), _STARTED - _UNCERTAIN_SECONDS
    lost = [name for name in modules if name not in found or name == "__main__"]
    return lost + [name for name, path in found.items() if path.stat().st_mtime > latest]


@functools.cache
def imported_modules(*modules: str) -> dict[str, Path]:
    """Files of modules and of all that they import, directly or not: gateware of this package, and what is of their own
    packages.

    With what is imported only within functions, and what a text like ``"module:name"`` names.
    """
    others = {f"{name.partition('.')[0]}." for name in modules if not name.startswith(GATEWARE)}
    rooms = (GATEWARE, *others)
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        path = _file(name) if name not in found and f"{name}.".startswith(rooms) else None
        if path is None:
            continue
        found[name] = path
        waiting.extend(_imports(name, path))
        # A module runs what its packages have, first.
        waiting.append(name.rpartition(".")[0])
    return found


@functools.cache
def _file(name: str) -> Path | None:
    """Where a module is; None: it is none, or has no source."""
    try:
        found = importlib.util.find_spec(name) if name else None
    except (ImportError, ValueError):
        return None
    return Path(found.origin) if found and found.origin and found.origin.endswith(".py") else None


@functools.cache
def _imports(name: str, path: Path) -> tuple[str, ...]:
    """Modules that one names: what is not one is left out later."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return tuple(_named(ast.parse(path.read_text(encoding="utf-8")), package))


def _named(tree: ast.AST, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.rsplit(".", node.level - 1)[0] if node.level > 1 else package
                base = f"{above}.{base}" if base else above
            yield base
            # `from .room import module`
            yield from (f"{base}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and _PLACE.fullmatch(node.value):
            yield node.value.partition(":")[0]
