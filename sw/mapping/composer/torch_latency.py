"""Latencies of replay operations and layer propagations on a processor or GPU, measured with PyTorch."""

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn

from ....hw.cores.replay.config import SumTreeConfig
from ....hw.cores.replay.requests import RequestKind
from ...device.replay_backends import ReferenceSumTree, segment_width
from ...networks.torch_networks import perceptron
from ...reference.replay.requests import Requests
from .algorithms import Iteration
from .latency_table import Latency
from .layer_group import LayerGroup, Propagation
from .torch_sum_tree import TorchSumTree

__all__ = ["measure"]

WARM_UP, REPEATS = 10, 50

# A preparation, which is not timed, and the work that is, which takes the preparation's result.
Timed = tuple[Callable[[], Any], Callable[[Any], Any]]


def measure(iteration: Iteration, device: str, threads: int = 1, seed: int = 0) -> dict[str, Latency]:
    """Measure the latency of each task, as the median of so many calls.

    The whole batch and half of it are timed: the difference is what experiences take, the rest is fixed. On a processor
    the sum tree is the compiled reference, on a GPU :class:`.TorchSumTree`.

    Parameters
    ----------
    iteration : Iteration
    device : str
        PyTorch's name of it, as ``"cpu"`` or ``"cuda:0"``.
    threads : int
        Threads of PyTorch, on a processor.
    seed : int
        Seed of experiences, weights and priorities; what PyTorch draws otherwise stays as it is.

    Raises
    ------
    ValueError
        PyTorch does not have the device.
    """
    place = torch.device(device)
    if place.type == "cuda" and (place.index or 0) >= torch.cuda.device_count():
        raise ValueError(f"PyTorch has no {device} here")
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            latencies = {
                task: _of_two_batches(partial(_propagation, group, place), iteration, place)
                for task, group in iteration.groups.items()
            }
            replay = _sum_tree if place.type == "cpu" else _torch_sum_tree
            for task in iteration.graph.replay_tasks:
                make = partial(replay, task, iteration.workload.leaves, place)
                latencies[task] = _of_two_batches(make, iteration, place)
        return latencies
    finally:
        torch.set_num_threads(before)


def _of_two_batches(make: Callable[[int], Timed], iteration: Iteration, place: torch.device) -> Latency:
    batch = iteration.workload.batch
    whole = _seconds(make(batch), place)
    if batch == 1:
        return Latency(fixed=whole, origin="measured")
    less = _seconds(make(batch // 2), place)
    each = min(max(0.0, whole - less) / (batch - batch // 2), whole / batch)
    return Latency(fixed=max(0.0, whole - batch * each), experience=each, origin="measured")


def _seconds(timed: Timed, place: torch.device) -> float:
    prepare, run = timed
    finish = torch.cuda.synchronize if place.type == "cuda" else lambda: None
    seconds = []
    for _ in range(WARM_UP + REPEATS):
        given = prepare()
        finish()
        start = time.perf_counter()
        run(given)
        finish()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds[WARM_UP:])


def _propagation(group: LayerGroup, place: torch.device, batch: int) -> Timed:
    sizes = group.sizes
    inputs = torch.randn(batch, sizes[0], device=place)
    if group.propagation == Propagation.LOSS:
        targets, weights = torch.randn_like(inputs), torch.rand(batch, 1, device=place)

        def loss(outputs: Any) -> Any:
            (weights * nn.functional.huber_loss(outputs, targets, reduction="none")).mean().backward()
            return (outputs.detach() - targets).abs()

        return lambda: inputs.clone().requires_grad_(True), loss
    network = perceptron(*sizes).to(place)
    match group.propagation:
        case Propagation.INFERENCE:
            return lambda: inputs, torch.no_grad()(network.forward)
        case Propagation.FORWARD:
            return lambda: inputs, network
        case Propagation.INPUT_GRADIENT:
            return (
                lambda: inputs.clone().requires_grad_(True),
                lambda given: torch.autograd.grad(network(given).sum(), given),
            )
    optimizer = torch.optim.Adam(network.parameters())

    def step(outputs: Any) -> Any:
        optimizer.zero_grad()
        outputs.sum().backward()
        optimizer.step()

    return lambda: network(inputs), step


def _sum_tree(task: str, leaves: int, place: torch.device, batch: int) -> Timed:
    config = SumTreeConfig(leaves=leaves)
    tree, rng = ReferenceSumTree(config), np.random.default_rng(torch.initial_seed())

    def updates(indices: np.ndarray) -> Requests:
        priorities = rng.integers(1, 1 << 16, len(indices))
        return Requests.of(RequestKind.UPDATE, len(indices), index=indices, priority=priorities)

    tree.request(updates(np.arange(leaves)))
    if task == "sample":
        return lambda: None, lambda _: tree.sample(batch, segment_width(batch))
    return lambda: rng.integers(leaves, size=batch), lambda indices: tree.request(updates(indices))


def _torch_sum_tree(task: str, leaves: int, place: torch.device, batch: int) -> Timed:
    tree = TorchSumTree(leaves, place)
    tree.update(torch.arange(leaves, device=place), torch.rand(leaves, device=place))
    if task == "sample":
        return lambda: torch.rand(batch, device=place), tree.sample
    priorities = torch.rand(batch, device=place)
    return lambda: torch.randint(leaves, (batch,), device=place), lambda indices: tree.update(indices, priorities)
