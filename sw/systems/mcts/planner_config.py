"""Configuration of a planner."""

import math
from dataclasses import dataclass

from ....hw.cores.tree.config import VISIT_WIDTH
from ...core.hyper_parameters import HyperParameters

__all__ = ["SCHEDULES", "PlannerConfig"]

SCHEDULES = ("relaxed", "synchronous")
# Selections between two clears of the tree.
MOST_SIMULATIONS = (1 << VISIT_WIDTH) - 1


@dataclass(frozen=True, kw_only=True)
class PlannerConfig(HyperParameters):
    """How a planner searches.

    Parameters
    ----------
    simulations : int
        Simulations per decision (1 to 65 535).
    workers : int
        Selections under way at once (p); no more than the tree has.
    schedule : str
        What a worker's next selection waits for: ``"relaxed"``, its own backup alone, so that selections see a tree in
        which up to p backups are missing; ``"synchronous"``, the backups of all workers.
    processes : int
        Processes that run simulations; 0: this process runs them, in order. Processes import the main module, so a
        script that wants some keeps what it does under ``if __name__ == "__main__"``.
    simulation_limit : float
        Time limit of a simulation in a process, in seconds.
    rollout_steps : int
        Limit of steps of a rollout with random actions.
    exploration : float
        Constant c of the score, for scaled rewards.
    virtual_loss : float
        Penalty on the score of an edge for each selection under way through it.
    first_value : float
        Value of an edge that no backup went through. Only PUCT looks at it.
    reward_scale : float
        Factor on rewards, with which an episode's sum from the first root on is in [-8, 8).
    seed : int
        Seed of the rollouts.

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    simulations: int = 128
    workers: int = 8
    schedule: str = "relaxed"
    processes: int = 0
    simulation_limit: float = 60.0
    rollout_steps: int = 50
    exploration: float = 1.0
    virtual_loss: float = 0.25
    first_value: float = 0.0
    reward_scale: float = 1.0
    seed: int = 0

    def __post_init__(self) -> None:
        self._whole("simulations", self.simulations, 1, MOST_SIMULATIONS)
        for name, least in (("workers", 1), ("processes", 0), ("rollout_steps", 0), ("seed", 0)):
            self._whole(name, getattr(self, name), least)
        self._word("schedule", SCHEDULES)
        for name in ("reward_scale", "simulation_limit"):
            self._real(name, 0, math.inf, low_included=False)
