"""The planner: a search tree on a device, simulations in a pool, and the loop between them."""

import copy
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

from ....hw.cores.tree.records import COUNTER_WIDTH
from ....hw.cores.tree.requests import Status
from ...actors.evaluator import Evaluator
from ...actors.simulation import SimulationResult, SimulationTask
from ...actors.simulation_pool import InProcessPool, ProcessPool, SimulationPool
from ...core.environments.make_state_environment import state_environment
from ...device.errors import DeviceError
from ...device.search_tree import MCTSDevice
from ...device.search_tree_backends import open_tree
from ...device.search_tree_numbers import TreeParameters
from ...device.search_tree_room import require_room
from ...reference.tree.requests import Answer, Request
from .defaults import planner_config, tree_config
from .planner_config import MOST_SIMULATIONS, PlannerConfig
from .state_table import Node, StateTable

__all__ = ["Decision", "MCTSPlanner"]

# Scaled reward between the first root of a tree and the last: leaves most of the format's range to what is below.
MOST_COLLECTED = 1.0


@dataclass(frozen=True)
class Decision:
    """The result of a search.

    Parameters
    ----------
    action : int
        The root's most visited.
    visits : tuple of int
        Visits of each action of the root.
    values : tuple of float
        Mean reward of each, not scaled, as the player has it whose turn it is; 0 without a visit.
    simulations : int
        Simulations of this search.
    statuses : dict
        How many of its selections ended how, by the name of the status; with an evaluator also that of a new root.
    depths : list of int
        Nodes of each level of the tree, the root's first.
    fanouts : list of int
        Nodes with one child, with two, and so on.
    steps : int
        Steps that the environment took in simulations.
    seconds, tree_seconds, simulation_seconds : float
        Seconds of the search; those of waiting for the tree; and what the simulations took of processors.
    interval : float or None
        Mean cycles between consecutive selections of the search (Itv); None of the reference, which has no cycles, and
        where no selection came right after another.
    """

    action: int
    visits: tuple[int, ...]
    values: tuple[float, ...]
    simulations: int
    statuses: dict[str, int]
    depths: list[int]
    fanouts: list[int]
    steps: int
    seconds: float
    tree_seconds: float
    simulation_seconds: float
    interval: float | None = None


class MCTSPlanner:
    """Tree-parallel Monte-Carlo tree search with rollouts, or with an evaluator as in AlphaZero.

    The device has the tree; the host keeps the state of each of its nodes, under the node's number. A selection's
    answer becomes a task of the pool, a task's result the backup of its worker.

    The same seed, calls and configuration bring the same decisions if the schedule is synchronous or this process
    runs the simulations, and the evaluator, if there is one, says the same of the same state.

    Parameters
    ----------
    environment : str, gymnasium.Env or StateEnvironment
        As :func:`.environments.state_environment` takes it. The planner has a copy of its own.
    config : PlannerConfig or None
        None: what suits the environment.
    device : MCTSDevice or None
        None: the NumPy reference, with as many children a node as there are actions; it chooses by UCT, with an
        evaluator by PUCT in the published form. It is closed with the planner.
    pool : SimulationPool or None
        None: as ``config`` says. It is closed with the planner. It has to have the evaluator itself.
    evaluator : Evaluator or None
        Gives each node its priors and, instead of a rollout, its value; the tree has to choose by PUCT. The root is
        evaluated first, by a selection that is none of the configuration's simulations.

    Raises
    ------
    ValueError
        The environment cannot be searched; the tree is too small for its actions or for the workers; it is a tree of
        UCT, which has no priors for an evaluator.
    """

    def __init__(
        self,
        environment: Any,
        config: PlannerConfig | None = None,
        *,
        device: MCTSDevice | None = None,
        pool: SimulationPool | None = None,
        evaluator: Evaluator | None = None,
    ):
        self.environment = copy.deepcopy(state_environment(environment))
        self.config = config = planner_config(self.environment, {}) if config is None else config
        parameters = TreeParameters(
            exploration=config.exploration,
            virtual_loss=config.virtual_loss,
            first_value=config.first_value,
            alternate=self.environment.players == 2,
        )
        if device is None:
            policy = "uct" if evaluator is None else "puct_root"
            device = MCTSDevice(open_tree("reference", tree_config(self.environment, policy)))
        self.device = device
        require_room(self.environment, config.workers, device.config)
        if evaluator is not None and device.config.policy == "uct":
            raise ValueError(
                "Policy of the tree must be puct, puct_root or puct_visits for an evaluator, as uct has no priors"
            )
        self._evaluates = evaluator is not None
        if self._evaluates and config.simulations == MOST_SIMULATIONS:
            raise ValueError(
                f"Simulations must be at most {MOST_SIMULATIONS - 1} with an evaluator, not {config.simulations}"
            )
        device.mcts_parameters(parameters)
        device.load_kernel_parameters()
        if pool is None:
            pool = InProcessPool(self.environment, evaluator)
            if config.processes:
                pool = ProcessPool(
                    self.environment, config.processes, limit=config.simulation_limit, evaluator=evaluator
                )
        self.pool = pool
        self.table: StateTable | None = None
        self._tasks = self._selections = self._inserted = 0
        # Workers that may have a selection without a backup, and where it ended: last edge and node.
        self._selecting: set[int] = set()
        self._ends: dict[int, tuple[Node | None, int, Node | None]] = {}

    def act(self, state: Any = None, *, progress: Callable[[int], None] | None = None) -> Decision:
        """Search, and choose.

        Parameters
        ----------
        state : object
            Saved by such an environment; its episode must not have ended. A new tree is begun. None: the search goes
            on in the tree there is, below the root of the last :meth:`advance`.
        progress : callable or None
            Called with the number of simulations that ended, every now and then; with an evaluator a new root's is one.

        Raises
        ------
        ValueError
            A reward out of the format's range: value and range; there is neither a state nor a tree; the state has no
            legal action.
        SimulationError
            A simulation failed, or was given up.
        DeviceError
            The device failed, or was closed.
        """
        started = time.perf_counter()
        if state is None and self.table is None:
            raise ValueError("There is no tree: a state is needed")
        search = _Search(progress)
        counters = self.device.counters()
        try:
            if state is not None:
                self._begin(state)
                if self._evaluates:
                    self._run(search, 1)
            self._run(search, self.config.simulations)
        except BaseException:
            self._abandon()
            raise
        assert self.table is not None
        root, scale = self.table.root, self.config.reward_scale
        return Decision(
            action=root.best_action(),
            visits=tuple(root.visits),
            values=tuple(value / scale for value in root.values),
            simulations=self.config.simulations,
            statuses={status.name.lower(): count for status, count in sorted(search.statuses.items())},
            depths=self.table.depths(),
            fanouts=self.table.fanouts(),
            steps=search.steps,
            seconds=time.perf_counter() - started,
            tree_seconds=search.tree_seconds,
            simulation_seconds=search.simulation_seconds,
            interval=_interval(counters, self.device.counters()),
        )

    def advance(self, action: int) -> bool:
        """Go on in the tree below an action of the root; whether the next :meth:`act` can do without a state.

        It cannot if the action has no node, or one that is pending or terminal; if another search might not find
        room, as nodes that are left behind come back only with a new tree; or if scaled rewards of more than 1 have
        been collected since the tree was begun, which all sums from below it contain.
        """
        table, simulations = self.table, self.config.simulations
        self.table = None
        if table is None or action not in table.root.children:
            return False
        child = table.root.children[action]
        if not child.evaluated or child.terminal or self._selections + simulations > MOST_SIMULATIONS:
            return False
        if self._inserted + simulations > self.device.config.nodes:
            return False
        if abs(child.reward) * self.config.reward_scale > MOST_COLLECTED:
            return False
        self.device.request(self.device.advance(action))
        table.advance(action)
        self.table = table
        return True

    def _begin(self, state: Any) -> None:
        """A new tree."""
        self.table = None
        self.environment.restore(state)
        legal = self.environment.legal_actions()
        if not legal:
            raise ValueError(f"The state has no legal action: its episode of {self.environment.name} has ended")
        # A root that an evaluator is to look at is pending until then, as only pending nodes take priors.
        (answer,) = self.device.request(self.device.clear(False, 0 if self._evaluates else legal))
        player = self.environment.player()
        root = Node(answer.node, None, 0, self.environment.actions, player, state, legal=legal)
        root.evaluated = not self._evaluates
        self.table = StateTable(root)
        self._selections, self._inserted = 0, 1

    def _run(self, search: "_Search", remaining: int) -> None:
        """The loop: backups of what has come and new selections go out together, answers become tasks."""
        idle = list(range(self.config.workers))
        finished: list[SimulationResult] = []
        while remaining or finished or self.pool.outstanding:
            # Backups go first, so that the selections see them.
            requests = [request for result in finished for request in self._back_up(result)]
            idle += [result.worker for result in finished]
            chosen, idle = idle[:remaining], idle[remaining:]
            self._selecting.update(chosen)
            started = time.perf_counter()
            answers = self.device.request(*requests, *map(self.device.select, chosen))
            search.tree_seconds += time.perf_counter() - started
            self._selecting -= {result.worker for result in finished} - set(chosen)
            self._selections += len(chosen)
            remaining -= len(chosen)
            search.count(finished)
            finished, tasks = [], []
            for answer in answers[len(requests) :]:
                search.statuses[answer.status] += 1
                task = self._task(answer)
                if isinstance(task, SimulationResult):
                    finished.append(task)
                else:
                    tasks.append(task)
            self.pool.assign_exp_sim_tasks(tasks)
            finished += self._collect(wait=not finished)

    def _collect(self, wait: bool) -> list[SimulationResult]:
        """Results of the pool: all of them, in the order of the workers, if the schedule is synchronous."""
        found: list[SimulationResult] = []
        if self.config.schedule == "synchronous":
            while self.pool.outstanding:
                found += self.pool.collect_sim_tasks()
            found.sort(key=lambda result: result.worker)
        elif wait and self.pool.outstanding:
            found = self.pool.collect_sim_tasks()
        return found

    def _task(self, answer: Answer) -> SimulationTask | SimulationResult:
        """The work that a selection asks for: a simulation, or, where the episode has ended, nothing."""
        assert self.table is not None
        if answer.status == Status.INSERTED:
            self.table.insert(answer.node, answer.parent, answer.action)
            self._inserted += 1
        end = self.table[answer.node] if answer.status != Status.FULL else None
        parent, action = (self.table[answer.parent], answer.action) if answer.level else (None, 0)
        self._ends[answer.worker] = parent, action, end
        self._tasks += 1
        if end is not None and end.terminal:
            return SimulationResult(
                self._tasks, answer.worker, end.state, end.reward, end.reward, True, 0, end.player, 0, 0.0
            )
        seed = self.config.seed, self._tasks
        if end is not None and (end.evaluated or parent is None):
            begin, step = end, None
        else:
            assert parent is not None
            begin, step = parent, action
        return SimulationTask(
            self._tasks, answer.worker, begin.state, step, begin.reward, self.config.rollout_steps, seed
        )

    def _back_up(self, result: SimulationResult) -> list[Request]:
        """Take a result; the requests that tell the tree: priors of a node that is pending, and the backup."""
        assert self.table is not None
        scale = self.config.reward_scale
        total = result.total * scale
        reward = -total if self.table.root.player else total
        try:
            requests = [self.device.backup(result.worker, reward, result.terminal, result.legal)]
        except ValueError as error:
            raise ValueError(f"{error}: a sum of {result.total:g}, multiplied by the reward scale {scale:g}") from None
        parent, action, end = self._ends.pop(result.worker)
        if end is not None:
            if not end.evaluated:
                requests = [*self.device.priors(result.worker, result.priors), *requests]
            end.evaluate(result)
        self.table.back_up(parent, action, total)
        return requests

    def _abandon(self) -> None:
        """End all selections under way, so that another tree can be begun."""
        self.table = None
        workers, self._selecting = self._selecting, set()
        self.pool.cancel()
        try:
            self.device.receive_sim_requests()
            self.device.request(*(self.device.backup(worker, 0.0, True, 0) for worker in sorted(workers)))
        except DeviceError:
            # A worker had no selection; or nothing works any more, and the first error is reported.
            pass

    def close(self) -> None:
        """End simulations and give the device back."""
        self.pool.close()
        self.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _interval(before: dict[str, int], after: dict[str, int]) -> float | None:
    """Mean cycles between the selections that were counted between two readings."""
    cycles, intervals = (
        (after.get(name, 0) - before.get(name, 0)) % (1 << COUNTER_WIDTH) for name in ("interval_cycles", "intervals")
    )
    return cycles / intervals if intervals else None


class _Search:
    """Counts of one search."""

    def __init__(self, progress: Callable[[int], None] | None):
        self.progress = progress
        self.statuses: Counter[Status] = Counter()
        self.ended = self.steps = 0
        self.tree_seconds = self.simulation_seconds = 0.0

    def count(self, results: list[SimulationResult]) -> None:
        self.ended += len(results)
        self.steps += sum(result.steps for result in results)
        self.simulation_seconds += sum(result.seconds for result in results)
        if self.progress is not None and results:
            self.progress(self.ended)
