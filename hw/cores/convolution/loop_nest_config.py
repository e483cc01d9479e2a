"""Nested loops that make addresses. No Amaranth here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..checks import require_integer

__all__ = ["LoopNestConfig", "NestField", "jumps", "nest_loops"]


@dataclass(frozen=True, kw_only=True)
class NestField:
    """A number that loops step through.

    Parameters
    ----------
    name : str
        A Python name.
    width : int
        Bits (1 to 64). Numbers are added up modulo ``2**width``, so that a step may be negative.
    radix : int or None
        The number is a digit, from 0 to ``radix - 1``, and what it carries goes to the next field: as of a lane, whose
        next field is the row.

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range.
    """

    name: str
    width: int
    radix: int | None = None

    def __post_init__(self):
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise ValueError(f"Name must be a Python name, not {self.name!r}")
        require_integer("Width", self.width, 1, 64)
        if self.radix is not None:
            require_integer("Radix", self.radix, 2, 1 << self.width)


@dataclass(frozen=True, kw_only=True)
class LoopNestConfig:
    """Loops inside each other.

    Parameters
    ----------
    fields : tuple of NestField
        Fields that they step through; the last is no digit.
    levels : int
        Loops (1 to 8).
    count_width : int
        Bits of a number of iterations (1 to 32).

    Raises
    ------
    TypeError, ValueError
        A parameter of the wrong kind, or out of its range; a name twice; a last digit.
    """

    fields: tuple[NestField, ...]
    levels: int
    count_width: int = 16

    def __post_init__(self):
        require_integer("Levels", self.levels, 1, 8)
        require_integer("Count width", self.count_width, 1, 32)
        names = [field.name for field in self.fields]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"Fields must have different names, at least one, not {names}")
        if self.fields[-1].radix is not None:
            raise ValueError(f"Field {names[-1]} must not have a radix: no field after it takes its carries")


def jumps(config: LoopNestConfig, counts: Sequence[int], steps: Sequence[Mapping[str, int]]) -> list[dict[str, int]]:
    """A loop's jump: its step, less what the loops inside it have added up.

    It is added when the loop goes on.

    Parameters
    ----------
    config
        Configuration of the nest.
    counts
        Iterations of each loop, the outermost first; at least 1.
    steps
        Amounts that an iteration adds to each field, by loop; to a digit and the field after it, which are one number,
        the sum of both. Fields that are not named stay.

    Returns
    -------
    list of dict
        Steps by loop and field, from 0 to ``2**width - 1``, or below the radix.

    Raises
    ------
    ValueError
        Other than a count and steps for each loop; a count out of its range.
    """
    if not len(counts) == len(steps) == config.levels:
        raise ValueError(f"Loops must be {config.levels}, not {len(counts)} counts and {len(steps)} steps")
    for count in counts:
        require_integer("Count", count, 1, (1 << config.count_width) - 1)
    found = [dict.fromkeys((field.name for field in config.fields), 0) for _ in steps]
    for names, radices, widths in _numbers(config):
        values = [sum(step.get(name, 0) * weight for name, weight in _weights(names, radices)) for step in steps]
        for level, value in enumerate(values):
            inside = sum((counts[inner] - 1) * values[inner] for inner in range(level + 1, config.levels))
            rest = value - inside
            for name, radix, width in zip(names, [*radices, None], widths, strict=True):
                base = radix or 1 << width
                found[level][name] = rest % base
                rest = (rest - rest % base) // base
    return found


def nest_loops(
    config: LoopNestConfig, loops: Sequence[tuple[int, Mapping[str, int]]], first: Mapping[str, int]
) -> dict:
    """A command of a nest.

    Parameters
    ----------
    config
        Configuration of the nest.
    loops
        Count and steps of each loop, the outermost first, as :func:`jumps` has them; the nest's outermost ones that are
        not named have one iteration.
    first
        The first value of each field.

    Returns
    -------
    dict
        :func:`.loop_nest.nest_command`.

    Raises
    ------
    ValueError
        More loops than the nest has; a count out of its range.
    """
    if len(loops) > config.levels:
        raise ValueError(f"Levels must be at least {len(loops)}, not {config.levels}")
    loops = [(1, {})] * (config.levels - len(loops)) + list(loops)
    counts, steps = [count for count, _ in loops], [step for _, step in loops]
    return {"first": dict(first), "counts": counts, "jumps": jumps(config, counts, steps)}


def _numbers(config):
    """Names, radices and widths of fields that are one number."""
    names: list[str] = []
    radices: list[int] = []
    widths: list[int] = []
    for field in config.fields:
        names.append(field.name)
        widths.append(field.width)
        if field.radix is None:
            yield names, radices, widths
            names, radices, widths = [], [], []
        else:
            radices.append(field.radix)


def _weights(names, radices):
    weight = 1
    for name, radix in zip(names, [*radices, 1], strict=True):
        yield name, weight
        weight *= radix
