"""Versions of this package, and of what its results depend on."""

import importlib.metadata
import platform

__all__ = ["package_version", "versions"]

PACKAGES = ("rewardware", "numpy", "torch", "gymnasium", "amaranth")


def package_version(package: str = "rewardware") -> str:
    """Version of an installed package; ``"not installed"`` for another one."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def versions() -> dict[str, str]:
    """By package, Python among them."""
    return {"python": platform.python_version(), **{name: package_version(name) for name in PACKAGES}}
