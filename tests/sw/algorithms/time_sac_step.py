"""What share of SAC's gradient step on HalfCheetah are products: ``python -m tests.sw.algorithms.time_sac_step``."""

import time
from itertools import pairwise

import numpy as np
import torch

from rewardware.sw.algorithms.actor_critic_config import PrioritizedSACConfig
from rewardware.sw.algorithms.replay_buffer import Batch
from rewardware.sw.algorithms.sac_learner import SACLearner
from rewardware.sw.networks import dense_layers

OBSERVATION, ACTION, REPEATS = 17, 6, 100


def batch_of(generator: np.random.Generator, rows: int) -> Batch:
    experiences = {
        "observation": generator.normal(size=(rows, OBSERVATION)).astype(np.float32),
        "action": generator.uniform(-1, 1, (rows, ACTION)).astype(np.float32),
        "reward": generator.normal(size=rows).astype(np.float32),
        "next_observation": generator.normal(size=(rows, OBSERVATION)).astype(np.float32),
        "terminated": np.zeros(rows, np.bool_),
    }
    return Batch(experiences, np.arange(rows), np.ones(rows, np.float32))


def shapes_of(config: PrioritizedSACConfig) -> list[tuple[int, int, int]]:
    """Rows, inner and columns of each product of a step."""
    rows = config.batch_size

    def forward(sizes):
        return [(rows, inputs, outputs) for inputs, outputs in pairwise(sizes)]

    def gradient(sizes):
        return [(outputs, rows, inputs) for inputs, outputs in pairwise(sizes)]

    def back(sizes):
        return [(rows, outputs, inputs) for inputs, outputs in pairwise(sizes)]

    actor = OBSERVATION, *config.hidden_sizes, 2 * ACTION
    critic = OBSERVATION + ACTION, *config.hidden_sizes, 1
    # Drawn for both observations, and learned from; critics: targets, values learned from, and back to the action.
    of_actor = 2 * forward(actor) + gradient(actor) + back(actor)[1:]
    of_critic = 3 * forward(critic) + gradient(critic) + back(critic)[1:] + back(critic)
    return of_actor + 2 * of_critic


def milliseconds(run) -> float:
    """Of processor time, the least of several calls."""
    times = []
    for _ in range(REPEATS):
        start = time.thread_time()
        run()
        times.append(time.thread_time() - start)
    return 1e3 * min(times)


def main() -> None:
    cores = torch.get_num_threads()
    pairs = list(zip(weights_with(cores), weights_with(1), strict=True))
    same = sum(int(np.sum(one == other)) for one, other in pairs)
    count = sum(one.size for one, _ in pairs)
    print(f"after 10 steps {same} of {count} weights are the same with {cores} threads and with one")
    config, generator = PrioritizedSACConfig(), np.random.default_rng(0)
    learner = SACLearner(OBSERVATION, ACTION, config, 0)
    batch = batch_of(generator, config.batch_size)
    shapes = shapes_of(config)
    operands = [(torch.randn(rows, inner), torch.randn(inner, columns)) for rows, inner, columns in shapes]
    count = sum(rows * inner * columns for rows, inner, columns in shapes)
    print(f"{len(shapes)} products, {count / 1e6:.1f} million multiplications; milliseconds of one thread's time:")
    onednn = dense_layers._onednn
    for name, given in (("MKL", None), ("oneDNN for large ones", onednn)):
        dense_layers._onednn = given
        step = milliseconds(lambda: learner.train(batch, 0))
        alone = milliseconds(lambda: [dense_layers.product(*pair) for pair in operands])
        print(f"{name}: step {step:.2f}, its products alone {alone:.2f}, {100 * alone / step:.0f} %")


def weights_with(threads: int) -> list[np.ndarray]:
    """The actor's, after ten steps."""
    torch.set_num_threads(threads)
    config, generator = PrioritizedSACConfig(), np.random.default_rng(0)
    learner = SACLearner(OBSERVATION, ACTION, config, 0)
    for step in range(10):
        learner.train(batch_of(generator, config.batch_size), step)
    return learner.weights()


if __name__ == "__main__":
    main()
