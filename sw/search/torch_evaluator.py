"""A network in PyTorch that evaluates positions, on the CPU or a GPU."""

import contextlib
import copy
from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from .position_evaluator import Planes

__all__ = ["TorchEvaluator", "require_device"]


class TorchEvaluator:
    """A :class:`.PositionEvaluator` of a module that gives scores of all actions, and values before the tanh.

    Priors are the softmax of the scores over the legal actions. On the CPU the same batch has the same bits each time,
    for the same number of threads; another batch around a position may change its last bits.

    Parameters
    ----------
    module : torch.nn.Module
        A module of planes (batch, channels, rows, columns); gives scores (batch, actions) and values (batch, 1). Where
        it is on the device already it is not copied: what it learns is seen here.
    device : str or None
        PyTorch's device, such as ``"cpu"`` and ``"cuda"``; None: where the module is.
    threads : int or None
        Threads of PyTorch while it evaluates; None: as many as it has.

    Raises
    ------
    ValueError
        There is no such device here; fewer than one thread.
    """

    def __init__(self, module: nn.Module, device: str | None = None, threads: int | None = None):
        if threads is not None and threads < 1:
            raise ValueError(f"Threads of an evaluator must be at least 1, not {threads}")
        where = next(module.parameters()).device
        self.device = where if device is None else require_device(device)
        self.threads = threads
        self.module = module if self.device.type == where.type else copy.deepcopy(module).to(self.device)

    def evaluate(self, planes: Planes, legal: NDArray[np.bool_], /) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Look at positions."""
        with torch.inference_mode(), _threads(self.threads):
            # Copies: how memory is aligned may change the last bits of a product.
            scores, values = self.module(torch.tensor(planes, device=self.device))
            masked = scores.masked_fill(~torch.tensor(legal, device=self.device), -torch.inf)
            priors = masked.softmax(dim=1)
            return priors.cpu().numpy(), values.squeeze(1).tanh().cpu().numpy()

    def close(self) -> None:
        """Nothing is held."""


def require_device(name: str) -> torch.device:
    """A device of PyTorch that is there.

    Raises
    ------
    ValueError
        There is no such device.
    """
    try:
        device = torch.device(name)
    except RuntimeError:
        raise ValueError(f"Device of PyTorch must be cpu or cuda, not {name!r}") from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise ValueError(f"PyTorch finds no GPU for {name!r}: use cpu")
    return device


@contextlib.contextmanager
def _threads(count: int | None) -> Iterator[None]:
    """So many of PyTorch's, which are of the whole process, and after it as many as before."""
    before = torch.get_num_threads()
    if count in (None, before):
        yield
        return
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
