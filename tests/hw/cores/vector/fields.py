"""Comparison of records of which not all fields mean something."""

__all__ = ["only"]


def only(expected, got):
    """Of what came, what is expected: other fields, and what stands past the end of a list, may be anything."""
    if isinstance(expected, dict):
        return {name: only(part, got[name]) for name, part in expected.items()}
    if isinstance(expected, list):
        return [only(part, found) for part, found in zip(expected, got, strict=False)]
    return got
