"""What the hyper-parameters of all agents share: from a mapping and back to one."""

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
