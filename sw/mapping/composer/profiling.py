"""The latency table of an iteration: measured here, from cycle models, or estimated."""

from dataclasses import dataclass

from ....hw.cores.checks import require_integer
from ....hw.cores.replay.config import SumTreeConfig
from ...core.fields import read_fields, require_number
from .algorithms import Iteration
from .fpga_latency import CycleModel, model_cycles
from .latency_table import Latency, LatencyTable
from .platform import Device, DeviceKind, Platform
from .problem import Problem

__all__ = ["Measurement", "OperationRate", "profile"]


@dataclass(frozen=True, kw_only=True)
class OperationRate:
    """An estimate for a device that is not at hand: operations over their rate, plus a constant per task.

    Parameters
    ----------
    operations_per_second : float
    seconds_per_task : float

    Raises
    ------
    TypeError, ValueError
        No number, or not above 0.
    """

    operations_per_second: float
    seconds_per_task: float

    def __post_init__(self) -> None:
        require_number("Operations a second", self.operations_per_second, positive=True)
        require_number("Seconds a task", self.seconds_per_task, positive=True)


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """A device at hand.

    Parameters
    ----------
    threads : int
        Threads of PyTorch, on a processor.
    index : int
        Index of a GPU.

    Raises
    ------
    TypeError, ValueError
        No whole number, or out of range.
    """

    threads: int = 1
    index: int = 0

    def __post_init__(self) -> None:
        require_integer("Threads", self.threads, 1)
        require_integer("Index", self.index, 0)


def profile(iteration: Iteration, platform: Platform, seed: int = 0) -> Problem:
    """The problem of an iteration on a platform.

    A device whose ``profile`` has ``operations_per_second`` is estimated (:class:`OperationRate`); another FPGA is a
    :class:`.CycleModel`; processors and GPUs are measured (:class:`Measurement`), with numbers drawn from ``seed``.

    Raises
    ------
    TypeError, ValueError
        A profile has a field that is unknown, missing or refused, or a device to be measured is not here.
    """
    latencies: dict[str, dict[str, Latency]] = {task: {} for task in iteration.graph.kinds}
    resources: dict[str, dict[str, dict[str, float]]] = {}
    for device in platform.devices:
        try:
            found, needs = _of_device(iteration, device, seed)
        except (TypeError, ValueError) as error:
            raise type(error)(f"Profile of device {device.name}: {error}") from None
        for task, latency in found.items():
            latencies[task][device.name] = latency
        for task, amounts in needs.items():
            resources.setdefault(task, {})[device.name] = amounts
    table = LatencyTable(latencies=latencies, resources=resources)
    return Problem(graph=iteration.graph, platform=platform, table=table)


def _of_device(
    iteration: Iteration, device: Device, seed: int
) -> tuple[dict[str, Latency], dict[str, dict[str, float]]]:
    if "operations_per_second" in device.profile:
        return _estimate(iteration, read_fields(OperationRate, "It", device.profile)), {}
    if device.kind == DeviceKind.FPGA:
        if "dsp" not in device.resources:
            raise ValueError("resources need dsp, which the learner's units share")
        return model_cycles(iteration, read_fields(CycleModel, "It", device.profile), device.resources["dsp"])
    from .torch_latency import measure

    measurement = read_fields(Measurement, "It", device.profile)
    name = "cpu" if device.kind == DeviceKind.CPU else f"cuda:{measurement.index}"
    return measure(iteration, name, measurement.threads, seed), {}


def _estimate(iteration: Iteration, rate: OperationRate) -> dict[str, Latency]:
    depth = SumTreeConfig(leaves=iteration.workload.leaves, fanout=2).depth
    # A comparison or an addition, and an address, at each level.
    operations = dict.fromkeys(iteration.graph.replay_tasks, (2 * depth, 0))
    operations |= {task: (group.operations, group.batch_operations) for task, group in iteration.groups.items()}
    return {
        task: Latency(
            fixed=rate.seconds_per_task + whole / rate.operations_per_second,
            experience=each / rate.operations_per_second,
            origin="estimate",
        )
        for task, (each, whole) in operations.items()
    }
