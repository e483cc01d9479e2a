"""Evaluators by name, for measurements."""

import threading

import numpy as np
from numpy.typing import NDArray

from ...core.environments.board_environment import BoardEnvironment
from ...search.emulated_evaluator import EmulatedEvaluator
from ...search.position_evaluator import Planes, PositionEvaluator

__all__ = ["OneAtATime", "evaluator_by_name"]

EMULATED, TORCH = "emulated:", "torch"


class OneAtATime:
    """An evaluator whose calls pass one after another, as it may not be asked by several threads at once.

    Parameters
    ----------
    evaluator : PositionEvaluator
        It is closed with this one.
    """

    def __init__(self, evaluator: PositionEvaluator):
        self._evaluator, self._lock = evaluator, threading.Lock()

    def evaluate(self, planes: Planes, legal: NDArray[np.bool_], /) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Ask the evaluator, once nobody else does."""
        with self._lock:
            return self._evaluator.evaluate(planes, legal)

    def close(self) -> None:
        """Close the evaluator."""
        self._evaluator.close()


def evaluator_by_name(name: str, environment: BoardEnvironment, seed: int = 0) -> PositionEvaluator:
    """An evaluator of a game's positions, which several threads may ask at once.

    Parameters
    ----------
    name : str
        ``"emulated:200,10"``: :class:`.EmulatedEvaluator` with its latency and its time for a position in
        microseconds. Others are those of :class:`.NetworkEvaluator`, with a network that has not learned: its times are
        those of one that has.
    environment : BoardEnvironment
    seed : int
        Seed of the network's weights.

    Raises
    ------
    ValueError
        There is no such evaluator, or no such device.
    """
    if name.startswith(EMULATED):
        return EmulatedEvaluator.of_microseconds(name.removeprefix(EMULATED))
    import torch

    from ...algorithms.alphazero.policy_value_network import PolicyValueNetwork
    from .network_evaluator import learning_device, require_evaluator

    make = require_evaluator(name)
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = PolicyValueNetwork(environment.observation_shape, environment.actions)
    made = make(network.eval().to(learning_device(name)), environment)
    return made if name.partition(":")[0] == TORCH else OneAtATime(made)
