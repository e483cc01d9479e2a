"""How far Algorithm 3 is from the best there is: many random graphs, then those of the algorithms.

python -m tests.sw.mapping.composer.compare_with_optimum --graphs 2000
"""

import argparse
import time
from dataclasses import replace

from rewardware.sw.mapping.composer.algorithms import Workload, training_iteration
from rewardware.sw.mapping.composer.optimum import optimum
from rewardware.sw.mapping.composer.placement import earliest_finish_time, refined
from rewardware.sw.mapping.composer.platform import load_platform
from rewardware.sw.mapping.composer.profiling import profile

from .random_problems import seeded_problem

COMMUNICATION = (0.1, 1, 3)
# Observation and action of CartPole, MountainCarContinuous and HalfCheetah.
WORKLOADS = {
    "dqn": {"observation_size": 4, "action_size": 2, "hidden_sizes": (64, 64)},
    "ddpg": {"observation_size": 2, "action_size": 1, "hidden_sizes": (256, 128)},
    "sac": {"observation_size": 17, "action_size": 6, "hidden_sizes": (256, 256)},
}
BATCHES = (32, 128, 512, 1024)
# The processor has the same profile everywhere.
PROCESSOR = {"operations_per_second": 2.0e10, "seconds_per_task": 3.0e-5}


def ratios(problems):
    """Makespans over the least, of Algorithm 3 and of what `refined` makes of it."""
    found = {"algorithm": [], "refined": []}
    for problem in problems:
        algorithm, _ = earliest_finish_time(problem)
        better = refined(problem, algorithm)
        least = optimum(problem, bound=better).makespan
        found["algorithm"].append(algorithm.makespan / least)
        found["refined"].append(better.makespan / least)
    return found


def workload_problem(algorithm, batch):
    """An algorithm on the example of a server, its processor estimated."""
    server = load_platform("server-cgf")
    devices = (replace(server.devices[0], profile=PROCESSOR), *server.devices[1:])
    workload = Workload(algorithm=algorithm, batch=batch, **WORKLOADS[algorithm])
    return profile(training_iteration(workload), replace(server, devices=devices))


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--graphs", type=int, default=2000, help="for each communication (default %(default)s)")
    parser.add_argument("--tasks", type=int, default=8, help="at most (default %(default)s)")
    parser.add_argument("--devices", type=int, default=3, help="at most (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the first (default %(default)s)")
    arguments = parser.parse_args()
    started = time.perf_counter()
    print("Random graphs, makespan over the least:")
    for communication in COMMUNICATION:
        seeds = range(arguments.seed, arguments.seed + arguments.graphs)
        problems = (seeded_problem(seed, arguments.tasks, arguments.devices, communication) for seed in seeds)
        for name, values in ratios(problems).items():
            print(f"communication {communication}, {name}: {_summary(sorted(values))}")
    print("Algorithms on server-cgf, makespan over the least:")
    for algorithm in WORKLOADS:
        for batch in BATCHES:
            found = ratios([workload_problem(algorithm, batch)])
            shown = ", ".join(f"{name} {values[0]:.3f}" for name, values in found.items())
            print(f"{algorithm}, batch {batch}: {shown}")
    print(f"({time.perf_counter() - started:.0f} s)")


def _summary(values):
    count, optimal = len(values), sum(value <= 1 + 1e-12 for value in values)
    return (
        f"mean {sum(values) / count:.3f}, median {values[count // 2]:.3f}, 95 % below {values[count * 95 // 100]:.3f}, "
        f"worst {values[-1]:.3f}; optimal {100 * optimal / count:.0f} %"
    )


if __name__ == "__main__":
    main()
