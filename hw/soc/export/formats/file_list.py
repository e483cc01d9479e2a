"""The list of the design's files. No Amaranth here."""

from ..description import PackageDescription

__all__ = ["files"]


def files(description: PackageDescription) -> dict[str, str]:
    """``NAME.f``; paths are relative to it, which tools know as ``-F``."""
    name = description.name
    lines = [
        f"// From any folder: -F PATH/{name}.f (Verilator, slang, Questa, VCS, Xcelium).",
        f"// In this folder: -f {name}.f (these, and Icarus).",
        *description.files,
        "",
    ]
    return {f"{name}.f": "\n".join(lines)}
