"""Reinforcement learning on open RTL, from Python: NumPy reference, simulated RTL and board compute the same bits.

The names here are those that users need; each is imported when it is used. `docs/python.md` shows how.
"""

import importlib
import logging
from typing import TYPE_CHECKING, Any

from rewardware.sw.core.versions import package_version

if TYPE_CHECKING:
    from rewardware.hw.soc.presets import list_presets, load_preset
    from rewardware.sw.actors.evaluator import Evaluator
    from rewardware.sw.algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
    from rewardware.sw.algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
    from rewardware.sw.algorithms.alphazero.alphazero_hyper_parameters import AlphaZeroHyperParameters
    from rewardware.sw.algorithms.ddpg_config import DDPGConfig
    from rewardware.sw.algorithms.dqn_config import DQNConfig
    from rewardware.sw.algorithms.ic3net.ic3net_config import IC3NetConfig
    from rewardware.sw.algorithms.imitation.dagger_config import DaggerConfig
    from rewardware.sw.algorithms.maac.maac_config import MAACConfig
    from rewardware.sw.algorithms.prioritized_replay_buffer import PrioritizedReplayBuffer
    from rewardware.sw.algorithms.stable_baselines3 import PrioritizedDQN
    from rewardware.sw.core.checkpoint import CheckpointError
    from rewardware.sw.core.environments.failure import EnvironmentFailure
    from rewardware.sw.core.environments.make_state_environment import board_environment, state_environment
    from rewardware.sw.core.environments.predator_prey_config import PredatorPreyConfig
    from rewardware.sw.core.environments.rover_tower_config import RoverTowerConfig
    from rewardware.sw.core.lockstep import LockstepError
    from rewardware.sw.core.run import Run
    from rewardware.sw.core.run_folder import Interrupted
    from rewardware.sw.device.errors import DeviceError
    from rewardware.sw.device.open import open_device
    from rewardware.sw.device.transport import Transport
    from rewardware.sw.search.open_search import open_search
    from rewardware.sw.search.position_evaluator import PositionEvaluator
    from rewardware.sw.search.search_config import SearchConfig
    from rewardware.sw.search.torch_evaluator import TorchEvaluator
    from rewardware.sw.systems.a3c.agent import A3C
    from rewardware.sw.systems.agents import load_agent
    from rewardware.sw.systems.dnn_mcts.agent import AlphaZero
    from rewardware.sw.systems.dynamap.agent import Dagger
    from rewardware.sw.systems.fixar.agent import FixarDDPG
    from rewardware.sw.systems.fixar.torch_exchange import export_actor, export_critic, import_networks
    from rewardware.sw.systems.learninggroup.agent import IC3Net
    from rewardware.sw.systems.maac.agent import MAAC
    from rewardware.sw.systems.mcts.planned_episodes import PlannedEpisodes
    from rewardware.sw.systems.mcts.planner import MCTSPlanner
    from rewardware.sw.systems.mcts.planner_config import PlannerConfig
    from rewardware.sw.systems.pearl.ddpg import DDPG
    from rewardware.sw.systems.pearl.dqn import DQN
    from rewardware.sw.systems.pearl.sac import SAC

# Programs decide where its log goes; the command line shows it on standard error.
logging.getLogger(__name__).addHandler(logging.NullHandler())

__version__ = package_version()

__all__ = [
    "A3C", "DDPG", "DQN", "MAAC", "SAC", "A3CHyperParameters", "AlphaZero", "AlphaZeroHyperParameters",
    "CheckpointError", "DDPGConfig", "DQNConfig", "Dagger", "DaggerConfig", "DeviceError", "EnvironmentFailure",
    "Evaluator", "FixarDDPG", "IC3Net", "IC3NetConfig", "Interrupted", "LockstepError", "MAACConfig", "MCTSPlanner",
    "PlannedEpisodes", "PlannerConfig", "PositionEvaluator", "PredatorPreyConfig", "PrioritizedDDPGConfig",
    "PrioritizedDQN", "PrioritizedReplayBuffer", "PrioritizedSACConfig", "RoverTowerConfig", "Run", "SearchConfig",
    "TorchEvaluator", "Transport", "board_environment", "export_actor", "export_critic", "import_networks",
    "list_presets", "load_agent", "load_preset", "open_device", "open_search", "state_environment",
]  # fmt: skip

_PLACES = {
    "rewardware.hw.soc.presets": ("list_presets", "load_preset"),
    "rewardware.sw.actors.evaluator": ("Evaluator",),
    "rewardware.sw.algorithms.a3c.a3c_hyper_parameters": ("A3CHyperParameters",),
    "rewardware.sw.algorithms.actor_critic_config": ("PrioritizedDDPGConfig", "PrioritizedSACConfig"),
    "rewardware.sw.algorithms.alphazero.alphazero_hyper_parameters": ("AlphaZeroHyperParameters",),
    "rewardware.sw.algorithms.ddpg_config": ("DDPGConfig",),
    "rewardware.sw.algorithms.dqn_config": ("DQNConfig",),
    "rewardware.sw.algorithms.ic3net.ic3net_config": ("IC3NetConfig",),
    "rewardware.sw.algorithms.imitation.dagger_config": ("DaggerConfig",),
    "rewardware.sw.algorithms.maac.maac_config": ("MAACConfig",),
    "rewardware.sw.algorithms.prioritized_replay_buffer": ("PrioritizedReplayBuffer",),
    "rewardware.sw.algorithms.stable_baselines3": ("PrioritizedDQN",),
    "rewardware.sw.core.checkpoint": ("CheckpointError",),
    "rewardware.sw.core.environments.failure": ("EnvironmentFailure",),
    "rewardware.sw.core.environments.make_state_environment": ("board_environment", "state_environment"),
    "rewardware.sw.core.environments.predator_prey_config": ("PredatorPreyConfig",),
    "rewardware.sw.core.environments.rover_tower_config": ("RoverTowerConfig",),
    "rewardware.sw.core.lockstep": ("LockstepError",),
    "rewardware.sw.core.run": ("Run",),
    "rewardware.sw.core.run_folder": ("Interrupted",),
    "rewardware.sw.device.errors": ("DeviceError",),
    "rewardware.sw.device.open": ("open_device",),
    "rewardware.sw.device.transport": ("Transport",),
    "rewardware.sw.search.open_search": ("open_search",),
    "rewardware.sw.search.position_evaluator": ("PositionEvaluator",),
    "rewardware.sw.search.search_config": ("SearchConfig",),
    "rewardware.sw.search.torch_evaluator": ("TorchEvaluator",),
    "rewardware.sw.systems.a3c.agent": ("A3C",),
    "rewardware.sw.systems.agents": ("load_agent",),
    "rewardware.sw.systems.dnn_mcts.agent": ("AlphaZero",),
    "rewardware.sw.systems.dynamap.agent": ("Dagger",),
    "rewardware.sw.systems.fixar.agent": ("FixarDDPG",),
    "rewardware.sw.systems.fixar.torch_exchange": ("export_actor", "export_critic", "import_networks"),
    "rewardware.sw.systems.learninggroup.agent": ("IC3Net",),
    "rewardware.sw.systems.maac.agent": ("MAAC",),
    "rewardware.sw.systems.mcts.planned_episodes": ("PlannedEpisodes",),
    "rewardware.sw.systems.mcts.planner": ("MCTSPlanner",),
    "rewardware.sw.systems.mcts.planner_config": ("PlannerConfig",),
    "rewardware.sw.systems.pearl.ddpg": ("DDPG",),
    "rewardware.sw.systems.pearl.dqn": ("DQN",),
    "rewardware.sw.systems.pearl.sac": ("SAC",),
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'rewardware' has no attribute {name!r}")
    found = getattr(importlib.import_module(_MODULES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
