"""The search tree, as export, simulator, boards and presets need it."""

from ..devices import DeviceDescriptor

__all__ = ["DEVICES"]

DEVICES = (
    DeviceDescriptor(
        name="mcts",
        description="Monte-Carlo tree search with the tree on chip",
        component="rewardware.hw.soc.mcts.device:MCTSSystem",
        configuration="rewardware.hw.soc.mcts.config:MCTSConfig",
        board_presets=("ulx3s",),
    ),
)
