"""Timeline of a tree-parallel search: workers that simulate at once, and a tree that serves them one after another.

Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, section 5.1.3 and figure 5.4.
"""

import itertools
from collections.abc import Generator, Iterable
from typing import Any

import simpy

__all__ = ["timeline"]


def timeline(simulations: Iterable[Any], *, workers: int, busy: Any, latency: Any, actions: int) -> Any:
    """When the last of a number of actions is done, if the first selections begin at 0.

    An action is a selection, the simulation that it asks for, and the backup of its reward. A worker's backup and next
    selection go to the tree together. The tree takes the workers in the order in which they ask; of those that ask at
    the same time, the one whose simulation began first.

    Parameters
    ----------
    simulations : iterable of number
        Durations of simulations, numbers of any kind and all in one unit, in the order in which they begin; over again
        where they are fewer than the actions. Each worker has a processor of its own.
    workers : int
        p.
    busy : number
        Time for which the tree can take nobody else: one backup and one selection, with the insertion.
    latency : number
        From then on until the worker has the answer.
    actions : int

    Raises
    ------
    ValueError
        Less than one worker or action, or no simulation.
    """
    if workers < 1 or actions < 1:
        raise ValueError(f"Workers and actions must be at least 1, not {workers} and {actions}")
    environment = simpy.Environment()
    tree = simpy.Resource(environment)
    durations = itertools.cycle(simulations)
    begun = 0

    def worker() -> Generator[Any, Any, None]:
        nonlocal begun
        while True:
            with tree.request() as turn:
                yield turn
                yield environment.timeout(busy)
            if begun == actions:
                return
            begun += 1
            duration = next(durations, None)
            if duration is None:
                raise ValueError("There must be at least one simulation")
            yield environment.timeout(latency)
            yield environment.timeout(duration)

    for _ in range(min(workers, actions)):
        environment.process(worker())
    environment.run()
    return environment.now
