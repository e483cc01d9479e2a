"""Episodes played by a planner, in a folder: metrics, plots, a summary."""

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from ...core.environments.state_environment import StateEnvironment
from ...core.run_folder import METRICS, SUMMARY, Interrupted, StopRequests, hold_folder, read_metrics
from .planner import Decision, MCTSPlanner
from .plots import draw_tree, plot_intervals, plot_returns, plot_shapes

__all__ = ["PlanningRun"]


@dataclass
class PlanningRun:
    """Plays episodes, and leaves in ``directory``:

    ==================== =========================================================================================
    metrics.jsonl        one JSON object a line: steps with what the search came to, episodes
    returns.png          sum of the rewards over steps
    tree_shapes.png      nodes by level, and by number of children
    intervals.png        cycles between selections over steps; on hardware alone
    tree_step_N.png      the tree of a step (``draw_step``)
    summary.json         what `run` returns
    .lock                held by the run that is writing there
    ==================== =========================================================================================

    Where two players take turns, the planner plays for both, and rewards are those of player 0.

    Parameters
    ----------
    planner
        Made for such an environment.
    environment
        In which the episodes are played.
    directory
        Made if it is not there.
    episodes
        How many; episode k begins with the seed of the planner's configuration plus k.
    max_steps
        Steps after which an episode is left.
    keep_tree
        Whether a search goes on in the tree of the step before, below the action taken.
    draw_step
        Step of the first episode whose tree is drawn, from 0; None: none.
    progress
        Whether to show a progress bar.
    """

    planner: MCTSPlanner
    environment: StateEnvironment
    directory: Path
    episodes: int = 1
    max_steps: int = 1000
    keep_tree: bool = False
    draw_step: int | None = None
    progress: bool = True

    def run(self) -> dict[str, Any]:
        """Plays, writes; the summary.

        Raises
        ------
        ValueError
            Another run is writing to the folder.
        Interrupted
            Ctrl-C (or a polite termination): the step under way was finished, plots and summary written.
        """
        with hold_folder(self.directory):
            return self._run()

    def _run(self) -> dict[str, Any]:
        started = time.perf_counter()
        with (
            StopRequests() as self._stop,
            open(self.directory / METRICS, "w") as self._metrics,
            tqdm(
                total=self.episodes * self.max_steps, unit="step", disable=not self.progress, dynamic_ncols=True
            ) as self._bar,
        ):
            for episode in range(self.episodes):
                if not self._stop.number:
                    self._play(episode)
        summary = self._summarize(time.perf_counter() - started)
        if self._stop.number:
            raise Interrupted(
                f"Stopped after {summary['steps']} steps; what they came to is written", self._stop.number
            )
        return summary

    def _play(self, episode: int) -> None:
        self.environment.reset(self.planner.config.seed + episode)
        total, step, ended, has_tree = 0.0, 0, False, False
        while not ended and step < self.max_steps and not self._stop.number:
            decision = self.planner.act(None if has_tree else self.environment.save())
            if episode == 0 and step == self.draw_step:
                self._draw(step)
            sign = -1 if self.environment.player() else 1
            reward, ended = self.environment.step(decision.action)
            total += sign * reward
            self._write(episode, step, decision, sign * reward, total)
            has_tree = self.keep_tree and not ended and self.planner.advance(decision.action)
            step += 1
        # What is left of a whole episode's share.
        self._bar.update(self.max_steps - step)
        record = {"kind": "episode", "episode": episode, "return": total, "length": step, "ended": ended}
        self._metrics.write(json.dumps(record) + "\n")

    def _draw(self, step: int) -> None:
        assert self.planner.table is not None
        name = f"{self.environment.name}, step {step}, {self.planner.config.simulations} simulations"
        draw_tree(self.directory / f"tree_step_{step}.png", self.planner.table, name)

    def _write(self, episode: int, step: int, decision: Decision, reward: float, total: float) -> None:
        record = {"kind": "step", "episode": episode, "step": step, "reward": reward, "return": total}
        # The search counts the environment's steps in simulations.
        found = {**asdict(decision), "simulated_steps": decision.steps}
        del found["steps"]
        self._metrics.write(json.dumps(record | found) + "\n")
        self._metrics.flush()
        self._bar.update()
        speed = decision.simulations / decision.seconds
        shown = {"episode": episode, "return": f"{total:g}", "simulations/s": f"{speed:.0f}"}
        self._bar.set_postfix(shown | {"depth": len(decision.depths) - 1}, refresh=False)

    def _summarize(self, seconds: float) -> dict[str, Any]:
        records = read_metrics(self.directory)
        steps = [record for record in records if record["kind"] == "step"]
        episodes = [record for record in records if record["kind"] == "episode"]
        sums = {
            name: sum(step[name] for step in steps)
            for name in ("simulations", "simulated_steps", "seconds", "tree_seconds", "simulation_seconds")
        }
        statuses: dict[str, int] = {}
        for step in steps:
            for name, count in step["statuses"].items():
                statuses[name] = statuses.get(name, 0) + count
        summary = {
            "environment": self.environment.name,
            "config": asdict(self.planner.config),
            "tree": asdict(self.planner.device.config),
            "returns": [episode["return"] for episode in episodes],
            "lengths": [episode["length"] for episode in episodes],
            "steps": len(steps),
            "statuses": statuses,
            "deepest": max((len(step["depths"]) - 1 for step in steps), default=0),
            **sums,
            "run_seconds": seconds,
            "counters": self.planner.device.counters(),
        }
        (self.directory / SUMMARY).write_text(json.dumps(summary, indent=2) + "\n")
        title = f"{self.environment.name}, {self.planner.config.simulations} simulations a step"
        plot_returns(self.directory / "returns.png", records, title)
        plot_shapes(self.directory / "tree_shapes.png", records, title)
        if any(step["interval"] is not None for step in steps):
            plot_intervals(self.directory / "intervals.png", records, title)
        return summary
