"""Both schemes of a search played through as discrete events: seconds of some simulations by each of N workers."""

import simpy

from rewardware.sw.mapping.tree_parallelism import SearchTimes

__all__ = ["TURNS", "local_seconds", "shared_seconds"]

# Simulations of each worker.
TURNS = 40


def shared_seconds(times: SearchTimes, workers: int, cores: int) -> float:
    """Threads take the root one by one, then select; when all wait, the batch is evaluated, and all back up."""
    environment = simpy.Environment()
    processor, root = simpy.Resource(environment, cores), simpy.Resource(environment)

    def turn():
        with processor.request() as core:
            yield core
            with root.request() as lock:
                yield lock
                yield environment.timeout(times.access)
            yield environment.timeout(times.in_tree)

    def rounds():
        for _ in range(TURNS):
            yield environment.all_of([environment.process(turn()) for _ in range(workers)])
            yield environment.timeout(times.transfer(workers, workers) + times.evaluation(workers))

    environment.run(environment.process(rounds()))
    return environment.now


def local_seconds(times: SearchTimes, workers: int, batch: int, cores: int, evaluation_cores: int) -> float:
    """A master that fills batches of free workers, a link, and evaluations beside each other and the master."""
    if workers % batch:
        raise ValueError(f"Workers must be a multiple of the batch, not {workers} of {batch}")
    environment = simpy.Environment()
    processor, link = simpy.Resource(environment, cores), simpy.Resource(environment)
    ready = simpy.Store(environment)
    ready.items.extend(range(workers // batch))
    filled = 0

    def evaluation(number):
        with link.request() as turn:
            yield turn
            yield environment.timeout(times.transfer(batch, batch))
        taken = [processor.request() for _ in range(evaluation_cores)]
        yield environment.all_of(taken)
        yield environment.timeout(times.evaluation(batch))
        for core in taken:
            processor.release(core)
        yield ready.put(number)

    def master():
        nonlocal filled
        while filled < TURNS * workers // batch:
            number = yield ready.get()
            with processor.request() as core:
                yield core
                yield environment.timeout(times.in_tree * batch)
            filled += 1
            environment.process(evaluation(number))

    environment.run(environment.process(master()))
    return environment.now
