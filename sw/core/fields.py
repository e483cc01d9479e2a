"""Contents of a YAML file, checked field by field."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml

__all__ = ["read_fields", "read_yaml", "require_names", "require_number"]

Kind = TypeVar("Kind")


def require_number(name: str, value: Any, *, positive: bool = False) -> None:
    """Raise unless ``value`` is a finite number, at least 0 or above it.

    Raises
    ------
    TypeError
        No number.
    ValueError
        Out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        hint = " (YAML wants a point and a sign: 1.0e-6)" if isinstance(value, str) and "e" in value.lower() else ""
        raise TypeError(f"{name} must be a number, not {value!r}{hint}")
    if not math.isfinite(value) or value < 0 or positive and value == 0:
        raise ValueError(f"{name} must be {'above' if positive else 'at least'} 0 and finite, not {value}")


def require_names(what: str, given: Any, known: Any) -> None:
    """Raise ValueError if something given is not known; the text names both."""
    unknown = [str(name) for name in given if name not in known]
    if unknown:
        raise ValueError(f"Unknown {what} {', '.join(unknown)}; there are {', '.join(map(str, known)) or 'none'}")


def read_fields(kind: type, what: str, values: Any, **others: Any) -> Any:
    """A dataclass of the fields in a mapping, and of others that come from elsewhere.

    Raises
    ------
    TypeError, ValueError
        No mapping; a field that is unknown, missing, or that the dataclass refuses.
    """
    if not isinstance(values, Mapping):
        raise TypeError(f"{what} must be a mapping, not {values!r}")
    fields = [field for field in dataclasses.fields(kind) if field.name not in others]
    require_names(f"field of {what}:", values, [field.name for field in fields])
    optional = (field.default is field.default_factory is dataclasses.MISSING for field in fields)
    missing = [field.name for field, needed in zip(fields, optional, strict=True) if needed]
    missing = [name for name in missing if name not in values]
    if missing:
        raise ValueError(f"{what} needs {', '.join(missing)}")
    return kind(**values, **others)


def read_yaml(path: Path | Any, convert: Callable[[Any], Kind]) -> Kind:
    """Read a YAML file, and return what ``convert`` makes of its content.

    Raises
    ------
    TypeError, ValueError
        It is not YAML, or ``convert`` refuses its content; the text begins with the name of the file.
    OSError
        It cannot be read.
    """
    try:
        return convert(yaml.safe_load(path.read_text(encoding="utf-8")))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ValueError(f"{path.name} is not YAML: {' '.join(str(error).split())}") from None
    except (TypeError, ValueError) as error:
        raise type(error)(f"{path.name}: {error}") from None
