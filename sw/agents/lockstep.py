"""Lockstep: the reference trains, the RTL repeats every k-th step from the same state, everything is compared."""

from typing import Any

import numpy as np

from .replay_buffer import Batch

__all__ = ["Comparison", "Lockstep", "LockstepError", "first_difference"]

COUNTED = ("steps", "steps_checked", "compared", "equal")
# Counters that only the RTL can tell.
MEASURED = ("train_steps", "train_cycles", "cycles_from", "utilization")


class LockstepError(AssertionError):
    """RTL and reference differ; says where first."""


def first_difference(expected: dict[str, np.ndarray], got: dict[str, np.ndarray]) -> str | None:
    """Where two sets of named arrays differ first, in words; ``None`` where they do not."""
    for name, one in expected.items():
        if name not in got:
            return f"{name} is missing"
        one, other = np.asarray(one), np.asarray(got[name])
        if one.shape != other.shape:
            return f"{name} has shape {other.shape}, expected {one.shape}"
        # Zeros have signs, too.
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


def _words(value: Any) -> str:
    if isinstance(value, np.floating):
        return f"{float(value)!r} ({float(value).hex()})"
    bits = np.asarray(value).dtype.itemsize * 8
    return f"{int(value):#x} ({int(value)})" if value >= 0 else f"{int(value) & ((1 << bits) - 1):#x} ({int(value)})"


class Comparison:
    """Reference and RTL beside each other: when they are compared, and what was.

    Parameters
    ----------
    reference, device
        With `save` and `load` of the same names of state.
    every
        From one check to the next, in what ``unit`` names.
    unit
        For the message: ``"Training step"``, ``"Iteration"``.

    Members
    -------
    steps
        Done so far.
    steps_checked
        Of these the compared ones.
    compared, equal
        Elements compared, and how many of them were equal: all, or `LockstepError` was raised.

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
        self.steps = 0
        self.steps_checked = 0
        self.compared = 0
        self.equal = 0

    def due(self) -> bool:
        """Whether the step under way is a compared one."""
        return self.steps % self.every == 0

    def compare(self, what: str, expected: dict[str, np.ndarray], got: dict[str, np.ndarray]) -> None:
        """Counts what is equal, and raises at what is not."""
        difference = first_difference(expected, got)
        total = sum(np.asarray(array).size for array in expected.values())
        self.compared += total
        if difference is not None:
            raise LockstepError(f"{self.unit} {self.steps}, {what}: RTL differs from the reference in {difference}")
        self.equal += total

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
        """Lets go of the RTL."""
        self.device.close()


class Lockstep(Comparison):
    """A learner that is the reference, and checks the RTL against it every ``every``-th training step.

    A checked step begins with the action before it: the reference's whole state is loaded into the RTL, both act,
    both train, and actions, temporal-difference errors, weights, targets, gradients, moments, ranges, bias correction,
    noise state and counters are compared bit for bit.

    Parameters
    ----------
    reference, device
        Learners with the same interface and the same names of state.
    every
        Training steps from one check to the next.

    Raises
    ------
    LockstepError
        At the first difference.
    """

    def __init__(self, reference: Any, device: Any, every: int):
        super().__init__(reference, device, every, "Training step")
        self._together = False

    def _meet(self) -> None:
        if not self._together:
            self.device.load(self.reference.save())
            self._together = True

    def act(self, observations: np.ndarray, noise: bool) -> np.ndarray:
        """The reference's actions; the RTL's too when the next training step is a checked one."""
        if not (noise and self.due()):
            self._together = False
            return self.reference.act(observations, noise)
        self._meet()
        actions = self.reference.act(observations, noise)
        self.compare("act", {"action": actions}, {"action": self.device.act(observations, noise)})
        return actions

    def train(self, batch: Batch) -> np.ndarray:
        """The reference's training step, and on a checked one the RTL's."""
        if self.due():
            self._meet()
        errors = self.reference.train(batch)
        if self.due():
            self.compare("train", {"error": errors}, {"error": self.device.train(batch)})
            self.compare("train", self.reference.save(), self.device.save())
            self.steps_checked += 1
        self._together = False
        self.steps += 1
        return errors

    def freeze(self, bits: int) -> None:
        """Freezes the reference's ranges; the RTL's are frozen from the same ranges and compared."""
        self._meet()
        self.reference.freeze(bits)
        self.device.freeze(bits)
        self.compare("freeze", self.reference.save(), self.device.save())
        self._together = False

    def save(self) -> dict[str, np.ndarray]:
        """The reference's state."""
        return self.reference.save()

    def load(self, state: dict[str, np.ndarray]) -> None:
        """Takes back what `save` gave."""
        self.reference.load(state)
        self._together = False

    def layers(self, network: str) -> list[tuple[np.ndarray, np.ndarray]]:
        """The reference's weights and biases."""
        return self.reference.layers(network)

    def set_layers(self, actor: list, critic: list) -> None:
        """Begins anew with these networks."""
        self.reference.set_layers(actor, critic)
        self._together = False

    def counters(self) -> dict[str, Any]:
        """Saturations of the reference, cycles of the RTL, and the comparisons made."""
        measured = self.device.counters()
        return {
            **self.reference.counters(),
            **{name: measured[name] for name in MEASURED if name in measured},
            **self.counts(),
        }

    def tally(self) -> dict[str, Any]:
        """Steps and comparisons so far, and what both learners counted."""
        return {**self.comparisons(), "reference": self.reference.tally(), "device": self.device.tally()}

    def restore_tally(self, tally: dict[str, Any]) -> None:
        """Takes back what `tally` gave."""
        self.restore_comparisons(tally)
        self.reference.restore_tally(tally["reference"])
        self.device.restore_tally(tally["device"])
