"""How far Algorithm 3 is from the best there is, over many random graphs.

python -m tests.sw.composer.compare_with_optimum --graphs 2000
"""

import argparse
import time

from rewardware.sw.composer.optimum import optimum
from rewardware.sw.composer.placement import earliest_finish_time, refined

from .random_problems import seeded_problem


def ratios(seeds, most_tasks=8, most_devices=3):
    """Makespans over the least, by way, for each seed whose problem Algorithm 3 finds a placement for."""
    found = {"algorithm": [], "refined": [], "none": []}
    for seed in seeds:
        problem = seeded_problem(seed, most_tasks, most_devices)
        try:
            algorithm, _ = earliest_finish_time(problem)
        except ValueError:
            found["none"].append(seed)
            continue
        better = refined(problem, algorithm)
        least = optimum(problem, bound=better).makespan
        found["algorithm"].append(algorithm.makespan / least)
        found["refined"].append(better.makespan / least)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--graphs", type=int, default=2000, help="default %(default)s")
    parser.add_argument("--tasks", type=int, default=8, help="at most (default %(default)s)")
    parser.add_argument("--devices", type=int, default=3, help="at most (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of the first (default %(default)s)")
    arguments = parser.parse_args()
    started = time.perf_counter()
    seeds = range(arguments.seed, arguments.seed + arguments.graphs)
    found = ratios(seeds, arguments.tasks, arguments.devices)
    for name in ("algorithm", "refined"):
        values = sorted(found[name])
        count, optimal = len(values), sum(value <= 1 + 1e-12 for value in values)
        print(
            f"{name}: makespan over the least: mean {sum(values) / count:.3f}, median {values[count // 2]:.3f}, "
            f"95 % below {values[count * 95 // 100]:.3f}, worst {values[-1]:.3f}; optimal in {optimal} of {count}"
        )
    print(f"no placement found: {len(found['none'])} ({time.perf_counter() - started:.0f} s)")


if __name__ == "__main__":
    main()
