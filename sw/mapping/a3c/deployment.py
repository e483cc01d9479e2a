"""How many engines A3C's accelerator should have, and how training and inference share its resources.

Source: Ge et al., "A FPGA Accelerator of Distributed A3C Algorithm with Optimal Resource Deployment", 2024, sections
3.2 and 3.3.
"""

from dataclasses import dataclass

from .timeline import ExplorationTimes, Exploring, best_engines, best_ratio, sweep_engines

__all__ = ["RATIOS", "Deployment", "choose_deployment"]

# eta of the sweep.
RATIOS = tuple(tenths / 10 for tenths in range(4, 61, 2))


@dataclass(frozen=True, kw_only=True)
class Deployment:
    """The choice, and what each of the others comes to.

    Parameters
    ----------
    agents
        N.
    engines
        M*.
    ratio
        eta*.
    by_engines
        Explorations with M engines of each kind, by M.
    by_ratio
        Explorations with M* engines of each kind, by eta.
    """

    agents: int
    engines: int
    ratio: float
    by_engines: dict[int, Exploring]
    by_ratio: dict[float, Exploring]

    @property
    def saved_percent(self) -> float:
        """Resources saved with M* engines of each kind against an engine of each kind for each agent."""
        return 100 * (1 - self.engines / self.agents)

    @property
    def waiting(self) -> tuple[float, float]:
        """How many agents wait for training at ratio 1, and at eta*."""
        return self.by_ratio[1.0].waiting_for_training, self.by_ratio[self.ratio].waiting_for_training

    @property
    def waiting_drop_percent(self) -> float:
        """By how much fewer agents wait for training at eta* than at ratio 1; 0 where nobody waits."""
        before, after = self.waiting
        return 100 * (1 - after / before) if before else 0.0


def choose_deployment(times: ExplorationTimes, *, agents: int, explorations: int, steps: int = 5) -> Deployment:
    """M*, and with so many engines eta*.

    Parameters
    ----------
    times, agents, explorations, steps
        As of `explore`.
    """
    counts = {"agents": agents, "explorations": explorations, "steps": steps}
    by_engines = sweep_engines(times, **counts)
    engines = best_engines({count: found.seconds for count, found in by_engines.items()})
    ratio, by_ratio = best_ratio(times, RATIOS, engines=engines, **counts)
    return Deployment(agents=agents, engines=engines, ratio=ratio, by_engines=by_engines, by_ratio=by_ratio)
