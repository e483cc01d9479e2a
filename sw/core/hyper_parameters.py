"""The base of all agents' hyper-parameters: from a mapping and back to one."""

from dataclasses import asdict, dataclass, fields
from typing import Any, Self

__all__ = ["HyperParameters"]


@dataclass(frozen=True, kw_only=True)
class HyperParameters:
    """Base of an agent's hyper-parameters."""

    @classmethod
    def from_mapping(cls, values: dict[str, Any]) -> Self:
        """The configuration a mapping (of a YAML file) describes.

        Raises
        ------
        ValueError
            The mapping has a key that is no hyper-parameter.
        """
        known = [field.name for field in fields(cls)]
        unknown = [str(key) for key in values if key not in known]
        if unknown:
            raise ValueError(f"Unknown hyper-parameter {', '.join(unknown)}; known are {', '.join(known)}")
        return cls(**values)

    def to_mapping(self) -> dict[str, Any]:
        """The configuration as plain numbers, strings and lists, fit for JSON and YAML."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    def _layers(self, name: str) -> None:
        """Neurons of hidden layers: a tuple from here on."""
        object.__setattr__(self, name, tuple(getattr(self, name)))
        if not getattr(self, name):
            raise ValueError(f"{name} must name at least one layer, not ()")
        for size in getattr(self, name):
            self._whole(name, size, 1)

    @staticmethod
    def _whole(name: str, value: Any, least: int, most: int | None = None) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{name} must be a whole number, not {value!r}")
        if value < least:
            raise ValueError(f"{name} must be at least {least}, not {value}")
        if most is not None and value > most:
            raise ValueError(f"{name} must be at most {most}, not {value}")

    def _word(self, name: str, allowed: tuple[str, ...]) -> None:
        value = getattr(self, name)
        if not isinstance(value, str):
            raise TypeError(f"{name} must be a string, not {value!r}")
        if value not in allowed:
            raise ValueError(f"{name} must be {', '.join(allowed[:-1])} or {allowed[-1]}, not {value!r}")

    def _real(
        self, name: str, low: float, high: float, *, low_included: bool = True, high_included: bool = False
    ) -> None:
        value = getattr(self, name)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"{name} must be a number, not {value!r}")
        above = value >= low if low_included else value > low
        below = value <= high if high_included else value < high
        if not (above and below):
            words = f"{'[' if low_included else '('}{low}, {high}{']' if high_included else ')'}"
            raise ValueError(f"{name} must be in {words}, not {value}")
