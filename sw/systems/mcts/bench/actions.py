"""Actions a second of a whole search: the timeline of the source's section 5.1.3, with simulations timed here."""

from typing import Any

from ....measurement.bench import drawn_from

__all__ = ["GAMES", "WORKERS", "actions_speedup"]

# By what the rows are called; with the presets of their trees and the source's greatest gains.
GAMES = {
    "carnival": ("ALE/Carnival-v5", "f6-d32", 2.8),
    "alien": ("ALE/Alien-v5", "f18-d32", 5.14),
    "pong": ("ALE/Pong-v5", "f6-d32", 6.8),
}
# The most of the source's figure 5.5, each with a processor of its own.
WORKERS = 128
# Simulations that are timed, from states along an episode of random actions; and actions of the timeline.
TIMED = 64
STEPS_BETWEEN = 5
ACTIONS = 20_000
# The source's measurement of a transfer over PCIe (section 3.3.3), there and back.
LINK_SECONDS = 2 * 40e-6
MEGAHERTZ = 250
SEED = 1


def actions_speedup(game: str, cycles: float) -> dict[str, Any]:
    """Actions a second of the device and of processors alone, in the model; and what they were made from.

    Parameters
    ----------
    game : str
        One of :data:`GAMES`.
    cycles : float
        Cycles for which the tree on the device is busy with a selection and a backup.
    """
    from .....hw.soc.presets import load_preset
    from ....mapping.planning_timeline import timeline
    from .search import uct_speed
    from .uct_search import python_seconds

    name, preset, _ = GAMES[game]
    tree = load_preset(preset, "mcts")
    shape = {"fanout": tree.fanout, "levels": tree.levels, "nodes": tree.nodes}
    simulations = _simulation_seconds(name)
    # A selection, an insertion and a backup are three operations.
    trees = {
        "device": (cycles / (MEGAHERTZ * 1e6), LINK_SECONDS),
        "python": (python_seconds(**shape), 0.0),
        "cpp": (3 / uct_speed("plain", **shape)["value"], 0.0),
    }
    speeds = {
        kind: ACTIONS / timeline(simulations, workers=WORKERS, busy=busy, latency=latency, actions=ACTIONS)
        for kind, (busy, latency) in trees.items()
    }
    mean = sum(simulations) / len(simulations)
    how = (
        f"timeline model, {WORKERS} workers with a processor each, tree of preset {preset}: {speeds['device']:.0f} "
        f"actions/s, over {speeds['python']:.0f} with the tree in Python on the master's processor "
        f"({1e6 * trees['python'][0]:.1f} us a selection, insertion and backup, measured: it holds up no fewer than "
        f"{mean / trees['python'][0]:.0f} workers); with the plain C++ tree there ({1e6 * trees['cpp'][0]:.2f} us) "
        f"it would be {speeds['device'] / speeds['cpp']:.2f}. The device: {cycles:.2f} cycles at {MEGAHERTZ} MHz, and "
        f"{1e6 * LINK_SECONDS:.0f} us of PCIe as the source measured it. Simulations measured here: {1e3 * mean:.2f} "
        f"ms, the mean of {len(simulations)}; what the master does besides is left out of all"
    )
    return {"value": speeds["device"] / speeds["python"], "how": how}


def _simulation_seconds(name: str) -> list[float]:
    """Processor time of a planner's simulations, in states along an episode of random actions."""
    import numpy as np

    from ....actors.simulation import SimulationTask, simulate
    from ....core.environments.make_state_environment import state_environment
    from ..defaults import planner_config

    environment = state_environment(name)
    steps = planner_config(environment, {}).rollout_steps
    random = np.random.default_rng(drawn_from(SEED))
    environment.reset(drawn_from(SEED))
    seconds: list[float] = []
    while len(seconds) < TIMED:
        ended = False
        for _ in range(STEPS_BETWEEN):
            ended = environment.step(int(random.integers(environment.actions)))[1]
            if ended:
                environment.reset(drawn_from(SEED) + len(seconds))
                break
        state, action = environment.save(), int(random.integers(environment.actions))
        task = SimulationTask(len(seconds), 0, state, action, 0.0, steps, (drawn_from(SEED), len(seconds)))
        seconds.append(simulate(environment, task).seconds)
        environment.restore(state)
    return seconds
