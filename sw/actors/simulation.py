"""One expansion and simulation: a step from a node's state, then a rollout of random actions or an evaluation."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.environments.state_environment import StateEnvironment
from ..device.priors import quantize_priors
from .evaluator import Evaluator

__all__ = ["SimulationResult", "SimulationTask", "simulate"]


@dataclass(frozen=True)
class SimulationTask:
    """A request to a simulation process.

    Parameters
    ----------
    number : int
        Number of the task that it is for: no two have the same.
    worker : int
        Worker of the search tree whose selection it ends.
    state : object
        Saved by the environment.
    action : int or None
        To take in that state; None: the rollout begins in it, or it is what is evaluated.
    reward : float
        Collected up to that state.
    rollout_steps : int
        Most steps of the rollout.
    seed : tuple of int
        Seed of the rollout's generator.
    """

    number: int
    worker: int
    state: Any
    action: int | None
    reward: float
    rollout_steps: int
    seed: tuple[int, ...]


@dataclass(frozen=True)
class SimulationResult:
    """Answer of a simulation process. Rewards are those of player 0.

    Parameters
    ----------
    number, worker : int
        Number and worker of the task.
    state : object
        After the action.
    reward : float
        Collected up to that state.
    total : float
        The same with the rollout's, or with the value that an evaluator gave.
    terminal : bool
        Whether the episode has ended there.
    legal : int
        Actions that exist there: bit a of action a; 0 if terminal.
    player : int
        Player whose turn it is there.
    steps : int
        Steps that the environment took.
    seconds : float
        What it took of the processor's time.
    priors : tuple of int
        Priors of the actions there, as :func:`...device.priors.quantize_priors` gives them; empty without an evaluator,
        and where the episode has ended.
    """

    number: int
    worker: int
    state: Any
    reward: float
    total: float
    terminal: bool
    legal: int
    player: int
    steps: int
    seconds: float
    priors: tuple[int, ...] = ()


def simulate(
    environment: StateEnvironment, task: SimulationTask, evaluator: Evaluator | None = None
) -> SimulationResult:
    """Run a task: the same result in any process, if the evaluator gives the same in all.

    Parameters
    ----------
    environment : StateEnvironment
        Its state is not kept.
    task : SimulationTask
    evaluator : Evaluator or None
        Instead of a rollout.

    Raises
    ------
    ValueError
        The environment offers no action where the episode has not ended; the evaluator gave priors that
        :func:`...device.priors.quantize_priors` does not take.
    """
    started = time.process_time()
    environment.restore(task.state)
    state, terminal, steps, reward = task.state, False, 0, task.reward
    if task.action is not None:
        gained, terminal = _step(environment, task.action)
        reward += gained
        steps, state = 1, environment.save()
    legal = 0 if terminal else _legal(environment)
    player, total, ended = environment.player(), reward, terminal
    priors: tuple[int, ...] = ()
    if evaluator is not None and not ended:
        given, value = evaluator(environment)
        priors = quantize_priors(given, legal, environment.actions)
        total += -float(value) if player else float(value)
    elif not ended:
        generator = np.random.default_rng(task.seed)
        # One call a rollout: drawing a number at a time takes longer than many an environment's step.
        for draw in generator.random(task.rollout_steps).tolist():
            gained, ended = _step(environment, _draw(_legal(environment), environment.actions, draw))
            total += gained
            steps += 1
            if ended:
                break
    return SimulationResult(
        task.number,
        task.worker,
        state,
        reward,
        total,
        terminal,
        legal,
        player,
        steps,
        time.process_time() - started,
        priors,
    )


def _step(environment: StateEnvironment, action: int) -> tuple[float, bool]:
    """Take an action; the reward as player 0 has it."""
    sign = -1 if environment.player() else 1
    reward, ended = environment.step(action)
    return sign * reward, ended


def _legal(environment: StateEnvironment) -> int:
    legal = environment.legal_actions()
    if not legal:
        raise ValueError(f"{environment.name} has no legal action in a state in which the episode has not ended")
    return legal


def _draw(legal: int, actions: int, draw: float) -> int:
    """One of the legal actions, all alike; ``draw`` in [0, 1)."""
    index = int(draw * legal.bit_count())
    if legal == (1 << actions) - 1:
        return index
    for _ in range(index):
        legal &= legal - 1
    return (legal & -legal).bit_length() - 1
