"""The first transaction that differs from the reference, said so that a person can act on it."""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cocotb.types import Logic, LogicArray

from .bench import current_run

Format = Callable[[Any], str]


def compare(expected: Any, got: Any, port: str, index: int, fmt: Format | None = None) -> None:
    """Fail unless ``got`` equals ``expected``, value for value.

    Parameters
    ----------
    expected, got : int, dict or sequence
        What the reference and the component say; NumPy values and lists compare as Python's.
    port : str
        Where it came out.
    index : int
        Number of the transaction, from 0.
    fmt : callable or None
        Turns one integer into its meaning, a fixed-point number for instance, for the message.

    Raises
    ------
    AssertionError
        They differ; the text names port, index, the element, both in hexadecimal and as values.
    """
    difference = _difference(expected, got, "")
    if difference is None:
        return
    place, left, right = difference
    lines = [f"{port}[{index}]{place} differs", f"  expected {_show(left, fmt)}", f"  got      {_show(right, fmt)}"]
    waveform = current_run().waveform
    if waveform:
        lines.append(f"  waveform {waveform}")
    raise AssertionError("\n".join(lines))


def compare_all(expected: Sequence[Any], got: Sequence[Any], port: str, fmt: Format | None = None) -> None:
    """Fail at the first of several transactions that differs, or at their number."""
    for index, (left, right) in enumerate(zip(expected, got, strict=False)):
        compare(left, right, port, index, fmt)
    if len(expected) != len(got):
        raise AssertionError(f"{port}: expected {len(expected)} transactions, got {len(got)}")


def _difference(expected: Any, got: Any, place: str) -> tuple[str, Any, Any] | None:
    """Place and values of the first difference."""
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        if set(expected) != set(got):
            return f"{place} fields", sorted(expected), sorted(got)
        pairs = [(f"{place}.{name}", expected[name], got[name]) for name in expected]
    elif _is_sequence(expected) and _is_sequence(got):
        if len(expected) != len(got):
            return f"{place} length", len(expected), len(got)
        pairs = [(f"{place}[{number}]", left, got[number]) for number, left in enumerate(expected)]
    else:
        return None if _plain(expected) == _plain(got) else (place, _plain(expected), _plain(got))
    return next((found for name, left, right in pairs if (found := _difference(left, right, name))), None)


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, str | Mapping)


def _plain(value: Any) -> Any:
    """Integers of any kind (NumPy, enumeration, value of a port) as Python's, the rest as it is."""
    if isinstance(value, LogicArray | Logic):
        return int(value)
    try:
        return operator.index(value)
    except TypeError:
        return value


def _show(value: Any, fmt: Format | None) -> str:
    if not isinstance(value, int):
        return repr(value)
    hexadecimal = f"{value & 0xFFFF_FFFF_FFFF_FFFF:#x}" if -(1 << 63) <= value < 0 else f"{value:#x}"
    return f"{hexadecimal} ({value})" if fmt is None else f"{hexadecimal} ({value}: {fmt(value)})"
