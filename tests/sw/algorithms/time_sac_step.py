"""Time of SAC's gradient step on HalfCheetah: ``python -m tests.sw.algorithms.time_sac_step``.

It also prints the speed of the step's largest products next to PyTorch's, on one thread.
"""

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch

from rewardware.sw.algorithms.actor_critic_config import PrioritizedSACConfig
from rewardware.sw.algorithms.replay_buffer import Batch
from rewardware.sw.algorithms.replay_parameters import PRECISIONS
from rewardware.sw.algorithms.sac_learner import SACLearner
from rewardware.sw.networks.initialization import initial_layers
from rewardware.sw.networks.network import Network

OBSERVATION, ACTION, REPEATS = 17, 6, 300
# The largest products have so many rows, and layers with so many inputs and outputs.
ROWS, SIZE = 256, 256


def batch_of(generator: np.random.Generator, rows: int) -> Batch:
    experiences = {
        "observation": generator.normal(size=(rows, OBSERVATION)).astype(np.float32),
        "action": generator.uniform(-1, 1, (rows, ACTION)).astype(np.float32),
        "reward": generator.normal(size=rows).astype(np.float32),
        "next_observation": generator.normal(size=(rows, OBSERVATION)).astype(np.float32),
        "terminated": np.zeros(rows, np.bool_),
    }
    return Batch(experiences, np.arange(rows), np.ones(rows, np.float32))


def weights_with(threads: int, precision: str) -> list[np.ndarray]:
    """The actor's, after so many steps; tells how long these take."""
    torch.set_num_threads(threads)
    config, generator = PrioritizedSACConfig(precision=precision), np.random.default_rng(0)
    learner, times = SACLearner(OBSERVATION, ACTION, config, 0), []
    for step in range(REPEATS):
        batch, start = batch_of(generator, config.batch_size), time.perf_counter()
        learner.train(batch, step)
        times.append(1e3 * (time.perf_counter() - start))
    fastest, median = min(times), statistics.median(times)
    print(f"{precision}, threads {threads}: {fastest:.2f} ms the fastest step, {median:.2f} the median")
    return learner.weights()


def speed_of(product: Callable[[], object]) -> float:
    """Speed of the fastest of many, in GFLOP/s."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        product()
        times.append(time.perf_counter() - start)
    return 2e-9 * ROWS * SIZE * SIZE / min(times)


def tell_products(precision: str) -> None:
    """Speeds of a layer's three products; ours add the biases, or sum their gradients. PyTorch's are in binary32."""
    torch.set_num_threads(1)
    generator = np.random.default_rng(0)
    network = Network(initial_layers((SIZE, SIZE), generator), 1e-3, precision)
    inputs, slopes, weights = (
        torch.from_numpy(generator.normal(size=(SIZE, SIZE)).astype(np.float32)) for _ in range(3)
    )
    _, way = network(inputs)
    products = {
        "forward": (lambda: network(inputs), lambda: torch.mm(inputs, weights)),
        "gradient": (lambda: network.differentiate(way, slopes), lambda: torch.mm(inputs.t(), slopes)),
        "back": (lambda: network.input_derivative(way, slopes), lambda: torch.mm(slopes, weights.t())),
    }
    for name, (own, theirs) in products.items():
        ours, others = speed_of(own), speed_of(theirs)
        print(f"{precision}, {name}, {ROWS} x {SIZE} x {SIZE}: {ours:.0f} GFLOP/s, PyTorch's {others:.0f}")


def main() -> None:
    cores = torch.get_num_threads()
    for precision in PRECISIONS:
        tell_products(precision)
        pairs = list(zip(weights_with(1, precision), weights_with(cores, precision), strict=True))
        same, count = sum(int(np.sum(one == other)) for one, other in pairs), sum(one.size for one, _ in pairs)
        print(
            f"{precision}, after {REPEATS} steps {same} of {count} weights of the actor are the same with 1 and {cores}"
        )


if __name__ == "__main__":
    main()
