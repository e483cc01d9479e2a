"""Who runs simulations: this process, or several that may die without a task getting lost."""

import pickle
import time
import traceback
from collections import deque
from collections.abc import Iterable
from multiprocessing.connection import Connection, wait
from typing import Protocol, Self

from ..core.environments.state_environment import StateEnvironment
from ..core.worker_process import WorkerProcess
from .evaluator import Evaluator
from .simulation import SimulationResult, SimulationTask, simulate

__all__ = ["InProcessPool", "ProcessPool", "SimulationError", "SimulationPool"]

# A task that ended so many processes is not given to another.
ATTEMPTS = 3


class SimulationError(RuntimeError):
    """A task cannot be done: the environment's own error, or every process that had it died."""


class SimulationPool(Protocol):
    """Rows 4 and 5 of the source's Table 5.1: tasks out, results in."""

    @property
    def outstanding(self) -> int:
        """Tasks whose results have not been collected."""
        ...

    def assign_exp_sim_tasks(self, tasks: Iterable[SimulationTask]) -> None:
        """Take tasks; returns at once."""
        ...

    def collect_sim_tasks(self) -> list[SimulationResult]:
        """Results, each once: waits for at least one."""
        ...

    def cancel(self) -> None:
        """Forget all tasks; their results will not come."""
        ...

    def close(self) -> None:
        """End the processes."""
        ...


class InProcessPool:
    """Runs tasks here, in the order in which they came, one a call: what an act comes to depends on nothing else.

    Parameters
    ----------
    environment : StateEnvironment
        Its state is not kept.
    evaluator : Evaluator or None
        Instead of rollouts.
    """

    def __init__(self, environment: StateEnvironment, evaluator: Evaluator | None = None):
        self._environment, self._evaluator = environment, evaluator
        self._tasks: deque[SimulationTask] = deque()

    @property
    def outstanding(self) -> int:
        """Tasks whose results have not been collected."""
        return len(self._tasks)

    def assign_exp_sim_tasks(self, tasks: Iterable[SimulationTask]) -> None:
        """Take tasks."""
        self._tasks.extend(tasks)

    def collect_sim_tasks(self) -> list[SimulationResult]:
        """The next task's result.

        Raises
        ------
        RuntimeError
            No task is outstanding.
        SimulationError
            The environment raised an error; the task is done with.
        """
        if not self._tasks:
            raise RuntimeError("No simulation is outstanding")
        task = self._tasks.popleft()
        try:
            return [simulate(self._environment, task, self._evaluator)]
        except Exception as error:
            raise _failed(error) from error

    def cancel(self) -> None:
        """Forget all tasks."""
        self._tasks.clear()

    def close(self) -> None:
        """Forget all tasks."""
        self.cancel()


class ProcessPool:
    """Runs tasks in processes.

    Each process has one task at a time and a link of its own. A result counts when it is the one of the task that
    its process has in hand; so a process that dies, or is stopped for taking too long, leaves a task that is either
    answered or given to another, never both.

    Parameters
    ----------
    environment : StateEnvironment
        Pickled for each process.
    processes : int
        How many, at least 1.
    limit : float
        Seconds that a task may take, the start of its process included.
    evaluator : Evaluator or None
        Instead of rollouts; pickled for each process.

    Raises
    ------
    ValueError
        No process, or no time; an evaluator that cannot be pickled.
    """

    def __init__(
        self,
        environment: StateEnvironment,
        processes: int,
        *,
        limit: float = 60.0,
        evaluator: Evaluator | None = None,
    ):
        if processes < 1:
            raise ValueError(f"Number of processes must be at least 1, not {processes}")
        if not limit > 0:
            raise ValueError(f"Limit must be above 0 seconds, not {limit}")
        _require_pickle(evaluator)
        self._limit = limit
        self._waiting: deque[SimulationTask] = deque()
        self._attempts: dict[int, int] = {}
        self._results: list[SimulationResult] = []
        self._closed = False
        self._workers = [_Worker(environment, evaluator, limit) for _ in range(processes)]
        try:
            for worker in self._workers:
                worker.begin()
        except BaseException:
            self.close()
            raise

    @property
    def outstanding(self) -> int:
        """Tasks whose results have not been collected."""
        return len(self._waiting) + len(self._results) + sum(worker.task is not None for worker in self._workers)

    @property
    def process_ids(self) -> list[int]:
        """Process ids of the running simulation processes."""
        return [worker.process.pid for worker in self._workers if worker.process is not None]

    def assign_exp_sim_tasks(self, tasks: Iterable[SimulationTask]) -> None:
        """Give tasks to idle processes, keep the others until one is.

        Raises
        ------
        RuntimeError
            The pool is closed.
        """
        if self._closed:
            raise RuntimeError("The pool of simulations is closed")
        self._waiting.extend(tasks)
        self._hand_out()

    def collect_sim_tasks(self) -> list[SimulationResult]:
        """All results that are there; waits for at least one.

        Raises
        ------
        RuntimeError
            No task is outstanding.
        SimulationError
            The environment raised an error, or a task ended so many processes that it is given up; it is done with.
        """
        if not self.outstanding:
            raise RuntimeError("No simulation is outstanding")
        while not self._results:
            self._listen()
            self._hand_out()
        results, self._results = self._results, []
        return results

    def _hand_out(self) -> None:
        for worker in self._workers:
            if worker.task is None and self._waiting and not worker.assign(self._waiting.popleft()):
                self._give_to_another(worker)

    def _listen(self) -> None:
        """Wait for results, an end of a process, or a limit."""
        busy = [worker for worker in self._workers if worker.task is not None]
        if not busy:
            return
        until = min(worker.deadline for worker in busy)
        ready = wait([worker.link for worker in busy], timeout=max(0.0, until - time.monotonic()))
        for worker in busy:
            if worker.link in ready:
                self._receive(worker)
            elif time.monotonic() >= worker.deadline:
                self._give_to_another(worker)

    def _receive(self, worker: "_Worker") -> None:
        try:
            result = worker.link.recv()
        except (EOFError, OSError):
            self._give_to_another(worker)
            return
        assert worker.task is not None
        self._attempts.pop(worker.task.number, None)
        worker.task = None
        if isinstance(result, SimulationError):
            raise result
        self._results.append(result)

    def _give_to_another(self, worker: "_Worker") -> None:
        """End a process that is dead or takes too long; its task is the next that is handed out."""
        task = worker.task
        assert task is not None
        code = worker.stop()
        attempts = self._attempts[task.number] = self._attempts.get(task.number, 0) + 1
        if attempts < ATTEMPTS:
            self._waiting.appendleft(task)
            return
        del self._attempts[task.number]
        raise SimulationError(
            f"Simulation {task.number} was given up: {ATTEMPTS} processes ended, or took more than {self._limit:g} "
            f"seconds, with action {task.action} (last exit code {code})"
        )

    def cancel(self) -> None:
        """Forget all tasks, whatever state an interruption left them in: processes at work are ended."""
        self._waiting.clear()
        self._attempts.clear()
        self._results.clear()
        for worker in self._workers:
            if worker.task is not None:
                worker.stop()

    def close(self) -> None:
        """End all processes, those at work too."""
        self._closed = True
        self.cancel()
        for worker in self._workers:
            worker.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Worker(WorkerProcess):
    """A process, and the task it has in hand."""

    def __init__(self, environment: StateEnvironment, evaluator: Evaluator | None, limit: float):
        super().__init__(_serve, limit)
        self._environment, self._evaluator = environment, evaluator
        self.task: SimulationTask | None = None
        self.deadline = 0.0

    def begin(self) -> None:
        """Start the process, if there is none."""
        self.start(self._environment, self._evaluator)

    def assign(self, task: SimulationTask) -> bool:
        """Send a task; whether the process was there to take it."""
        self.task, self.deadline = task, time.monotonic() + self._limit
        self.begin()
        try:
            self.link.send(task)
        except OSError:
            return False
        return True

    def stop(self) -> int | None:
        """End the process; its exit code. The next task starts another."""
        self.task = None
        return super().stop()


def _require_pickle(evaluator: Evaluator | None) -> None:
    try:
        pickle.dumps(evaluator)
    except Exception as error:
        raise ValueError(
            f"Evaluator must be one that can be pickled, such as a function or class of a module, for simulations in "
            f"processes: {error}"
        ) from None


def _serve(link: Connection, environment: StateEnvironment, evaluator: Evaluator | None) -> None:
    """A simulation process: tasks in, results out, until the link ends."""
    try:
        while True:
            task = link.recv()
            try:
                result: SimulationResult | SimulationError = simulate(environment, task, evaluator)
            except Exception as error:
                result = _failed(error)
                # A process sends no traceback along with an error.
                result.add_note(traceback.format_exc())
            link.send(result)
    except (EOFError, OSError):
        pass


def _failed(error: Exception) -> SimulationError:
    return SimulationError(f"A simulation failed with {type(error).__name__}: {error}")
