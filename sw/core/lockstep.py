"""Lockstep: two backends do the same, and what they come to is compared."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

__all__ = ["Comparison", "LockstepError", "first_difference", "require_equal"]

Answers = TypeVar("Answers")

COUNTED = ("steps", "steps_checked", "compared", "equal")


class LockstepError(AssertionError):
    """Two backends differ; says where first."""


def first_difference(expected: dict[str, np.ndarray], got: dict[str, np.ndarray]) -> str | None:
    """Where two sets of named arrays differ first, in words; ``None`` where they do not."""
    for name, one in expected.items():
        if name not in got:
            return f"{name} is missing"
        one, other = np.asarray(one), np.asarray(got[name])
        if one.shape != other.shape:
            return f"{name} has shape {other.shape}, expected {one.shape}"
        # Zeros also have signs.
        different = np.argwhere((one != other) | (np.signbit(one) != np.signbit(other)))
        if len(different):
            index = tuple(int(i) for i in different[0])
            where = f"{name}[{', '.join(map(str, index))}]" if index else name
            return (
                f"{where}: expected {_words(one[index])}, got {_words(other[index])}; "
                f"{len(different)} of {one.size} elements of {name} differ"
            )
    extra = [name for name in got if name not in expected]
    return f"{extra[0]} is not expected" if extra else None


def require_equal(what: str, expected: dict[str, np.ndarray], got: dict[str, np.ndarray]) -> None:
    """Refuses named arrays of a device that are not the reference's.

    Raises
    ------
    LockstepError
        What differs, and where first.
    """
    difference = first_difference(expected, got)
    if difference is not None:
        raise LockstepError(f"{what} differs from the reference in {difference}")


def _words(value: Any) -> str:
    if isinstance(value, np.floating):
        return f"{float(value)!r} ({float(value).hex()})"
    bits = np.asarray(value).dtype.itemsize * 8
    return f"{int(value):#x} ({int(value)})" if value >= 0 else f"{int(value) & ((1 << bits) - 1):#x} ({int(value)})"


class Comparison:
    """Two backends beside each other: when they are compared, and what was.

    Parameters
    ----------
    reference, device
        The one that is right, and the one that has to be the same; `close` gives both back.
    every
        From one check to the next, in what ``unit`` names.
    unit
        For the message: ``"Training step"``, ``"Iteration"``.

    Members
    -------
    steps
        Done so far.
    steps_checked
        How many of these were compared.
    names
        Names of both, for the message.
    compared, equal
        Elements or answers compared, and how many of them were equal: all, or `LockstepError` was raised.

    Raises
    ------
    TypeError, ValueError
        ``every`` is no whole number from 1 on.
    LockstepError
        At the first difference: step, name, index, expected and got in hexadecimal and as a value.
    """

    def __init__(self, reference: Any, device: Any, every: int, unit: str):
        if isinstance(every, bool) or not isinstance(every, int):
            raise TypeError(f"lockstep_every must be a whole number, not {every!r}")
        if every < 1:
            raise ValueError(f"lockstep_every must be at least 1, not {every}")
        self.reference, self.device, self.every, self.unit = reference, device, every, unit
        self.names = "the reference", "RTL"
        self.steps = 0
        self.steps_checked = 0
        self.compared = 0
        self.equal = 0

    def due(self) -> bool:
        """Whether the step under way is a compared one."""
        return self.steps % self.every == 0

    def compare(
        self, what: str, expected: dict[str, np.ndarray], got: dict[str, np.ndarray], count: int | None = None
    ) -> None:
        """Counts what is equal, and raises at what is not; ``count`` is of what is counted, if not of elements."""
        difference = first_difference(expected, got)
        total = sum(np.asarray(array).size for array in expected.values()) if count is None else count
        self.compared += total
        if difference is not None:
            one, other = self.names
            raise LockstepError(f"{self.unit} {self.steps}, {what}: {other} differs from {one} in {difference}")
        self.equal += total

    def both(
        self, what: str, ask: Callable[[Any], Answers], columns: Callable[[Answers], dict[str, np.ndarray]]
    ) -> Answers:
        """The reference's answers, after the device has given the same ones: a step that is compared.

        Parameters
        ----------
        what
            They are, for the message.
        ask
            Gets the answers of one side.
        columns
            Their parts by name, an element an answer.
        """
        answers = ask(self.reference)
        parts = columns(answers)
        count = len(next(iter(parts.values())))
        self.compare(what, parts, columns(ask(self.device)), count)
        self.steps += 1
        self.steps_checked += 1
        return answers

    def counts(self) -> dict[str, int]:
        """For `counters`."""
        return {
            "lockstep_steps": self.steps_checked,
            "lockstep_compared": self.compared,
            "lockstep_equal": self.equal,
        }

    def comparisons(self) -> dict[str, int]:
        """Steps and comparisons so far."""
        return {name: getattr(self, name) for name in COUNTED}

    def restore_comparisons(self, counted: dict[str, int]) -> None:
        """Takes back what `comparisons` gave."""
        for name in COUNTED:
            setattr(self, name, counted[name])

    def close(self) -> None:
        """Lets go of both."""
        try:
            self.reference.close()
        finally:
            self.device.close()
