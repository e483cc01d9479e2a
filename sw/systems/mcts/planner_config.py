"""Configuration of a planner."""

from dataclasses import dataclass

from ....hw.cores.checks import require_integer
from ....hw.cores.tree.config import VISIT_WIDTH

__all__ = ["SCHEDULES", "PlannerConfig"]

SCHEDULES = ("relaxed", "synchronous")
# Selections between two clears of the tree.
MOST_SIMULATIONS = (1 << VISIT_WIDTH) - 1


@dataclass(frozen=True, kw_only=True)
class PlannerConfig:
    """How a planner searches.

    Parameters
    ----------
    simulations : int
        Of each decision (1 to 65 535).
    workers : int
        p, selections under way at once; no more than the tree has.
    schedule : str
        ``"relaxed"``: a worker's next selection waits for its own backup alone, so that selections see a tree in
        which up to p backups are missing; ``"synchronous"``: it waits for the backups of all workers.
    processes : int
        That run simulations; 0: this process runs them, in order. Processes import the main module, so a script that
        wants some keeps what it does under ``if __name__ == "__main__"``.
    simulation_limit : float
        Seconds that a simulation may take in a process.
    rollout_steps : int
        Most steps of a rollout with random actions.
    exploration : float
        c of the score, for scaled rewards.
    virtual_loss : float
        Subtracted from the score of an edge for each selection under way through it.
    first_value : float
        Value of an edge that no backup went through. Only PUCT looks at it.
    reward_scale : float
        What rewards are multiplied by, so that an episode's sum from the first root on is in [-8, 8).
    seed : int
        Of the rollouts.

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
        require_integer("Simulations", self.simulations, 1, MOST_SIMULATIONS)
        require_integer("Number of workers", self.workers, 1)
        require_integer("Number of processes", self.processes, 0)
        require_integer("Rollout steps", self.rollout_steps, 0)
        require_integer("Seed", self.seed, 0)
        if self.schedule not in SCHEDULES:
            raise ValueError(f"Schedule must be {' or '.join(SCHEDULES)}, not {self.schedule!r}")
        for name, value in (("Reward scale", self.reward_scale), ("Simulation limit", self.simulation_limit)):
            if not 0 < value < float("inf"):
                raise ValueError(f"{name} must be above 0 and finite, not {value}")
