"""Lockstep: the reference trains, the RTL repeats every k-th step from the same state, everything is compared."""

from typing import Any

import numpy as np

from .replay_buffer import Batch

__all__ = ["Lockstep", "LockstepError", "first_difference"]

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
        different = np.argwhere(one != other)
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


class Lockstep:
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

    Members
    -------
    steps_checked
        Training steps compared.
    compared, equal
        Elements compared, and how many of them were equal: all, or `LockstepError` was raised.

    Raises
    ------
    LockstepError
        At the first difference: step, name, index, expected and got in hexadecimal and as a value.
    """

    def __init__(self, reference, device, every: int):
        if isinstance(every, bool) or not isinstance(every, int):
            raise TypeError(f"lockstep_every must be a whole number, not {every!r}")
        if every < 1:
            raise ValueError(f"lockstep_every must be at least 1, not {every}")
        self.reference, self.device, self.every = reference, device, every
        self.steps = 0
        self.steps_checked = 0
        self.compared = 0
        self.equal = 0
        self._together = False

    def _due(self) -> bool:
        return self.steps % self.every == 0

    def _compare(self, what: str, expected: dict[str, np.ndarray], got: dict[str, np.ndarray]) -> None:
        difference = first_difference(expected, got)
        total = sum(np.asarray(array).size for array in expected.values())
        self.compared += total
        if difference is not None:
            raise LockstepError(f"Training step {self.steps}, {what}: RTL differs from the reference in {difference}")
        self.equal += total

    def _meet(self) -> None:
        if not self._together:
            self.device.load(self.reference.save())
            self._together = True

    def act(self, observations: np.ndarray, noise: bool) -> np.ndarray:
        """The reference's actions; the RTL's too when the next training step is a checked one."""
        if not (noise and self._due()):
            self._together = False
            return self.reference.act(observations, noise)
        self._meet()
        actions = self.reference.act(observations, noise)
        self._compare("act", {"action": actions}, {"action": self.device.act(observations, noise)})
        return actions

    def train(self, batch: Batch) -> np.ndarray:
        """The reference's training step, and on a checked one the RTL's."""
        if self._due():
            self._meet()
        errors = self.reference.train(batch)
        if self._due():
            self._compare("train", {"error": errors}, {"error": self.device.train(batch)})
            self._compare("train", self.reference.save(), self.device.save())
            self.steps_checked += 1
        self._together = False
        self.steps += 1
        return errors

    def freeze(self, bits: int) -> None:
        """Freezes the reference's ranges; the RTL's are frozen from the same ranges and compared."""
        self._meet()
        self.reference.freeze(bits)
        self.device.freeze(bits)
        self._compare("freeze", self.reference.save(), self.device.save())
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
            "lockstep_steps": self.steps_checked,
            "lockstep_compared": self.compared,
            "lockstep_equal": self.equal,
        }

    def tally(self) -> dict[str, Any]:
        """Steps and comparisons so far, and what both learners counted."""
        counts = {name: getattr(self, name) for name in ("steps", "steps_checked", "compared", "equal")}
        return {**counts, "reference": self.reference.tally(), "device": self.device.tally()}

    def restore_tally(self, tally: dict[str, Any]) -> None:
        """Takes back what `tally` gave."""
        for name in ("steps", "steps_checked", "compared", "equal"):
            setattr(self, name, tally[name])
        self.reference.restore_tally(tally["reference"])
        self.device.restore_tally(tally["device"])

    def close(self) -> None:
        """Lets go of the RTL."""
        self.device.close()
