"""Work of PEARL's devices that simulators are measured with."""

from functools import partial
from typing import Any

from ....measurement.simulated_work import SimulatedWork, Stopwatch

__all__ = ["simulated_work"]

BATCH = 128
# They go on at least as long.
CYCLES, LEARNER_CYCLES = 200_000, 20_000
RATE = 1e-3


def simulated_work(preset: str, system: str) -> SimulatedWork:
    """Batches of samples and updates, or gradient steps."""
    if system == "pearl":
        return SimulatedWork(
            what=f"batches of {BATCH} samples and as many updates",
            open=partial(_open_tree, preset),
            simulation=lambda tree: tree.device.transport.simulation,
            work=_sample,
            close=lambda tree: tree.close(),
        )
    return SimulatedWork(
        what=f"gradient steps of {BATCH} samples",
        open=partial(_open_learner, preset, system),
        simulation=lambda learner: learner.device.transport.simulation,
        work=_learn,
        close=lambda learner: learner.close(),
    )


def _open_tree(preset: str, threads: int) -> Any:
    from .....hw.soc.presets import load_preset
    from ....device.replay_backends import DeviceSumTree

    return DeviceSumTree(load_preset(preset, "pearl"), threads=threads)


def _sample(tree: Any, stopwatch: Stopwatch) -> None:
    import numpy as np

    from .....hw.cores.replay.requests import RequestKind
    from ....device.replay_backends import segment_width
    from ....reference.replay.requests import Requests

    rng = np.random.default_rng(1)
    highest = 1 << tree.config.priority_width
    tree.request(Requests.of(RequestKind.INSERT, BATCH, priority=rng.integers(0, highest, BATCH)))
    while stopwatch.cycles < CYCLES:
        changed = {"index": rng.integers(BATCH, size=BATCH), "priority": rng.integers(0, highest, BATCH)}
        updates = Requests.of(RequestKind.UPDATE, BATCH, **changed)
        with stopwatch.running():
            tree.sample(BATCH, segment_width(BATCH))
            tree.request(updates)


def _open_learner(preset: str, system: str, threads: int) -> Any:
    from .....hw.soc.presets import load_preset
    from ..learner_backends import DeviceLearner

    return DeviceLearner(load_preset(preset, system), threads=threads)


def _learn(learner: Any, stopwatch: Stopwatch) -> None:
    import numpy as np

    from ....device.learner_connection import words_of
    from ....reference.learner_batch import LearnerBatch
    from ....reference.optimizer.float_adam import AdamRates

    rng, config = np.random.default_rng(1), learner.config.learner
    for name, array in learner.config.arrays.items():
        if array.kind in ("weights", "target"):
            learner.load(name, words_of(learner.config.arithmetic.format, rng.normal(0, 0.1, array.parameters)))
    batch = LearnerBatch(
        observations=rng.normal(0, 1, (BATCH, config.observations)),
        actions=rng.uniform(-1, 1, (BATCH, config.actions))
        if config.action_rows
        else rng.integers(0, config.actions, BATCH),
        rewards=rng.normal(0, 1, BATCH),
        discounts=np.full(BATCH, 0.99),
        next_observations=rng.normal(0, 1, (BATCH, config.observations)),
        weights=np.full(BATCH, 1 / BATCH),
    )
    step = 0
    while stopwatch.cycles < LEARNER_CYCLES:
        step += 1
        rates = [AdamRates.of_step(step, learning_rate=RATE) for _ in learner.config.networks]
        with stopwatch.running():
            learner.step(batch, rates, 0.0)
