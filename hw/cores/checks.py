"""Checks that configurations share. No Amaranth here."""

import difflib

__all__ = [
    "is_power_of_two", "nearest", "require_even", "require_identifier", "require_integer", "require_interval",
    "require_kind", "require_multiple", "require_name", "require_power_of_two",
]  # fmt: skip


def require_integer(name, value, low, high=None, unit=1):
    """Raise unless ``value`` is an integer from ``low`` to ``high``, if there is one, and a multiple of ``unit``.

    Raises
    ------
    TypeError
        Not an integer.
    ValueError
        Out of range, or no multiple.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be an integer, not {value!r}")
    if value < low or (high is not None and value > high) or value % unit:
        allowed = f"at least {low}" if high is None else f"from {low} to {high}"
        multiple = f" and a multiple of {unit}" if unit > 1 else ""
        raise ValueError(f"{name} must be {allowed}{multiple}, not {value}")


def require_identifier(kind, value):
    """Raise unless ``value`` can name a thing of a kind in Python, Verilog and C alike.

    Raises
    ------
    TypeError
        No string.
    ValueError
        No lower-case identifier.
    """
    if not isinstance(value, str):
        raise TypeError(f"{kind} name must be a string, not {value!r}")
    if not (value.isidentifier() and value.islower() and value.isascii()):
        raise ValueError(f"{kind} name must be a lower-case identifier, not {value!r}")


def require_kind(name, value, kind):
    """Raise TypeError unless ``value`` is of a class."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be of the kind {kind.__name__}, not {value!r}")


def is_power_of_two(value):
    """Whether a positive integer is a power of two."""
    return value & (value - 1) == 0


def require_power_of_two(name, value, low=1, high=None):
    """Raise unless ``value`` is a power of two from ``low`` to ``high``, if there is one.

    Raises
    ------
    TypeError
        Not an integer.
    ValueError
        Out of range, or no power of two.
    """
    require_integer(name, value, low, high)
    if not is_power_of_two(value):
        raise ValueError(f"{name} must be a power of two, not {value}")


def require_even(name, value):
    """Raise ValueError unless ``value`` is even."""
    if value % 2:
        raise ValueError(f"{name} must be even, not {value}")


def require_multiple(name, value, of_name, of):
    """Raise ValueError unless ``value`` is a multiple of ``of``."""
    if value % of:
        raise ValueError(f"{name} must be a multiple of {of_name} ({of}), not {value}")


def require_interval(interval, lanes):
    """Raise unless lanes can be time-multiplexed with an initiation interval of ``interval`` cycles.

    Raises
    ------
    TypeError
        Not an integer.
    ValueError
        Not a divisor of the lanes.
    """
    require_integer("Interval", interval, 1, lanes)
    if lanes % interval:
        raise ValueError(f"Interval must be a divisor of lanes, not {interval}")


def require_name(name, value, names, other=""):
    """Raise unless ``value`` is one of ``names``; the text names them, ``other`` after them, and the nearest one.

    Raises
    ------
    TypeError
        No string.
    ValueError
        None of them.
    """
    require_kind(name, value, str)
    if value not in names:
        raise ValueError(f"{name} must be one of {', '.join(names)}{other}, not {value!r}{nearest(value, names)}")


def nearest(value, names):
    """An error's remark on a name that is none of ``names``: the one that was meant, if one is near."""
    meant = difflib.get_close_matches(value, list(names), 1)
    return f": did you mean {meant[0]!r}?" if meant else ""
