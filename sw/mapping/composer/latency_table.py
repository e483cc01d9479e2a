"""How long each task takes on each device, and what it takes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...core.fields import require_names, require_number

__all__ = ["Latency", "LatencyTable"]


@dataclass(frozen=True, kw_only=True)
class Latency:
    """Latency of a task on a device.

    Parameters
    ----------
    fixed : float
        Seconds, however many experiences.
    experience : float
        Seconds for each experience of the batch.
    origin : str
        Where it is from: ``given``, ``measured``, ``cycle model`` or ``estimate``.

    Raises
    ------
    TypeError, ValueError
        No number, or negative; both zero.
    """

    fixed: float = 0.0
    experience: float = 0.0
    origin: str = "given"

    def __post_init__(self) -> None:
        require_number("Fixed latency", self.fixed)
        require_number("Latency of an experience", self.experience)
        if self.fixed + self.experience <= 0:
            raise ValueError("A latency must be above 0")

    def at(self, batch: int) -> float:
        """Seconds for so many experiences."""
        return self.fixed + batch * self.experience


@dataclass(frozen=True, kw_only=True)
class LatencyTable:
    """The heterogeneous compute latency table T.

    Parameters
    ----------
    latencies : dict of str to dict of str to Latency
        By task, then by device.
    resources : dict of str to dict of str to dict of str to float
        By task, then by device, then by resource: what the task takes for good when it is placed there.
    """

    latencies: Mapping[str, Mapping[str, Latency]]
    resources: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)

    def latency(self, task: str, device: str, batch: int) -> float:
        """w, seconds."""
        return self.latencies[task][device].at(batch)

    def needs(self, task: str, device: str) -> Mapping[str, float]:
        """Resources that a task needs of a device."""
        return self.resources.get(task, {}).get(device, {})

    def check(self, tasks: Mapping, devices: Mapping) -> None:
        """Raise unless every task has a latency on every device, and nothing else is named.

        Raises
        ------
        ValueError
            The text names what is missing or unknown.
        """
        require_names("task in the latency table:", self.latencies, tasks)
        require_names("task in the resource table:", self.resources, tasks)
        for task in tasks:
            given = self.latencies.get(task, {})
            require_names(f"device in the latencies of task {task}:", given, devices)
            missing = [device for device in devices if device not in given]
            if missing:
                raise ValueError(f"Task {task} has no latency on {', '.join(missing)}")
            for device, needed in self.resources.get(task, {}).items():
                require_names(f"device in the resources of task {task}:", [device], devices)
                for name, amount in needed.items():
                    require_number(f"{name} of task {task} on {device}", amount)
