"""Episodes played by a planner, a step at a time."""

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

from ...core.environments.state_environment import StateEnvironment
from ...core.statistics import numbers_of
from .planner import Decision, MCTSPlanner
from .plots import draw_tree, plot_intervals, plot_returns, plot_shapes

__all__ = ["PlannedEpisodes", "PlanningReport"]

SUMMED = ("simulations", "simulated_steps", "seconds", "tree_seconds", "simulation_seconds")


class PlannedEpisodes:
    """Episodes that a :class:`.Run` plays: episode k begins with the seed of the planner plus k.

    Where two players take turns, the planner plays for both, and rewards are those of player 0.

    Parameters
    ----------
    planner
        Made for such an environment.
    environment
        Environment in which the episodes are played.
    max_steps
        Steps after which an episode is left.
    keep_tree
        Whether a search goes on in the tree of the step before, below the action taken.
    draw_step, directory
        Step of the first episode whose tree is drawn, from 0, into ``tree_step_N.png`` of a folder; None: none.
    """

    unit: ClassVar[str] = "episode"
    # There is no policy that learns.
    evaluates_from: ClassVar[int | None] = None

    def __init__(
        self,
        planner: MCTSPlanner,
        environment: StateEnvironment,
        *,
        max_steps: int = 1000,
        keep_tree: bool = False,
        draw_step: int | None = None,
        directory: Path = Path(),
    ):
        self.planner, self.environment = planner, environment
        self.max_steps, self.keep_tree = max_steps, keep_tree
        self._draw_step, self._directory = draw_step, directory
        self.count = 0
        self._begin()

    def _begin(self) -> None:
        self._step, self._return, self._has_tree = 0, 0.0, False

    def advance(self) -> list[dict[str, Any]]:
        """A step: its record, and at the end of an episode the episode's."""
        if self._step == 0:
            self.environment.reset(self.planner.config.seed + self.count)
        decision = self.planner.act(None if self._has_tree else self.environment.save())
        if self.count == 0 and self._step == self._draw_step:
            self._draw()
        sign = -1 if self.environment.player() else 1
        reward, ended = self.environment.step(decision.action)
        self._return += sign * reward
        records = [self._record(decision, sign * reward)]
        self._has_tree = self.keep_tree and not ended and self.planner.advance(decision.action)
        self._step += 1
        if ended or self._step == self.max_steps:
            outcome = {"return": self._return, "length": self._step, "ended": ended}
            records.append({"kind": "episode", "episode": self.count, **outcome})
            self.count += 1
            self._begin()
        return records

    def _record(self, decision: Decision, reward: float) -> dict[str, Any]:
        place = {"kind": "step", "episode": self.count, "step": self._step}
        # The search counts the environment's steps in simulations.
        found = {**asdict(decision), "simulated_steps": decision.steps}
        del found["steps"]
        return {**place, "reward": reward, "return": self._return, **found}

    def _draw(self) -> None:
        assert self.planner.table is not None
        name = f"{self.environment.name}, step {self._step}, {self.planner.config.simulations} simulations"
        draw_tree(self._directory / f"tree_step_{self._step}.png", self.planner.table, name)

    def evaluate_for_record(self, episodes: int, seed: int | None = None) -> dict[str, Any]:
        """Nothing is ever asked: see ``evaluates_from``."""
        raise AssertionError("a planner learns nothing that could be evaluated")

    def baseline(self, episodes: int, seed: int | None = None) -> None:
        """There is none."""

    def statistics(self) -> dict[str, float] | None:
        """Counts so far."""
        return numbers_of(self.counters()) or None

    def counters(self) -> dict[str, Any]:
        """Counts of the tree's device."""
        return self.planner.device.counters()

    def save(self, path: Path | str) -> None:
        """Nothing could go on: the tree is on the device."""
        raise AssertionError("a run of a planner has no checkpoints")

    def about(self) -> dict[str, Any]:
        """Description of the planner for a run's summary."""
        return {
            "algorithm": "mcts",
            "env": self.environment.name,
            "seed": self.planner.config.seed,
            "config": asdict(self.planner.config),
            "hardware": asdict(self.planner.device.config),
        }

    def report(self) -> "PlanningReport":
        """The report, which makes sense of its records."""
        return PlanningReport(self.about())


class PlanningReport:
    """A :class:`.Report` of records of steps and episodes.

    Parameters
    ----------
    about
        What the episodes say of themselves.
    """

    def __init__(self, about: dict[str, Any]):
        self.about = about

    def shown(self, record: dict[str, Any]) -> dict[str, str]:
        """Step, return so far, speed of the search, depth of the tree."""
        if record["kind"] != "step":
            return {}
        speed = record["simulations"] / record["seconds"]
        depth = len(record["depths"]) - 1
        found = {"step": record["step"], "return": f"{record['return']:g}", "simulations/s": f"{speed:.0f}"}
        return {name: str(value) for name, value in (found | {"depth": depth}).items()}

    def summarize(self, records: list[dict[str, Any]]) -> dict[str, Any]:
        """Returns and lengths of the episodes, and sums over all steps."""
        steps = [record for record in records if record["kind"] == "step"]
        # One that was interrupted has no record of its own.
        last = {step["episode"]: step for step in steps}
        statuses: Counter[str] = Counter()
        for step in steps:
            statuses.update(step["statuses"])
        return {
            "returns": [step["return"] for step in last.values()],
            "lengths": [step["step"] + 1 for step in last.values()],
            "steps": len(steps),
            "statuses": dict(statuses),
            "deepest": max((len(step["depths"]) - 1 for step in steps), default=0),
            **{name: sum(step[name] for step in steps) for name in SUMMED},
        }

    def plot(self, directory: Path, records: list[dict[str, Any]], summary: dict[str, Any]) -> None:
        """``returns.png``: sum of the rewards over steps; ``tree_shapes.png``: nodes by level, and by number of
        children; on hardware ``intervals.png``: cycles between selections over steps."""
        title = f"{self.about['env']}, {self.about['config']['simulations']} simulations a step"
        plot_returns(directory / "returns.png", records, title)
        plot_shapes(directory / "tree_shapes.png", records, title)
        if any(record.get("interval") is not None for record in records):
            plot_intervals(directory / "intervals.png", records, title)
