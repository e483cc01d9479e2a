"""Evaluators by name, for measurements."""

from ...core.environments.board_environment import BoardEnvironment
from ...search.emulated_evaluator import EmulatedEvaluator
from ...search.position_evaluator import PositionEvaluator

__all__ = ["EVALUATOR_HELP", "evaluator_by_name"]

EMULATED = "emulated:"
EVALUATOR_HELP = f"torch, the network of five convolutions and three linear layers; or {EMULATED}LATENCY,POSITION"


def evaluator_by_name(
    name: str, environment: BoardEnvironment, device: str = "cpu", seed: int = 0
) -> PositionEvaluator:
    """An evaluator of a game's positions.

    Parameters
    ----------
    name : str
        ``"torch"``: the untrained network in PyTorch, whose times are those of a trained one. ``"emulated:200,10"``:
        :class:`.EmulatedEvaluator` with its latency and its time for a position in microseconds.
    environment : BoardEnvironment
    device : str
        Of PyTorch.
    seed : int
        Of the network's weights.

    Raises
    ------
    ValueError
        There is no such evaluator, or no such device.
    """
    if name.startswith(EMULATED):
        return EmulatedEvaluator.of_microseconds(name.removeprefix(EMULATED))
    if name != "torch":
        raise ValueError(f"Evaluator must be torch or, in microseconds, {EMULATED}200,10, not {name!r}")
    import torch

    from ...algorithms.alphazero.policy_value_network import PolicyValueNetwork
    from ...search.torch_evaluator import TorchEvaluator

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = PolicyValueNetwork(environment.observation_shape, environment.actions)
    return TorchEvaluator(network.eval(), device)
