"""Requests of a real game's searches, for the bench."""

from typing import Any

__all__ = ["record_game"]

STEPS = 4
SIMULATIONS = 2560
WORKERS = 128
ROLLOUT_STEPS = 5


def record_game(name: str, config: Any, *, steps: int = STEPS, simulations: int = SIMULATIONS) -> Any:
    """The first decisions of a game, each searched by :class:`...planning.planner.MCTSPlanner` on the reference.

    Parameters
    ----------
    name : str
        Name of the environment.
    config : TreeConfig
        The tree that the requests are for.
    steps : int
        Decisions at most; the episode may end before.
    simulations : int
        Simulations of each decision.

    Returns
    -------
    Recording
        At least two requests per simulation; all workers select, then all back up.
    """
    from ....core.environments.make_state_environment import state_environment
    from ....device.search_tree import MCTSDevice
    from ....device.search_tree_backends import ReferenceTree
    from ....measurement.bench import drawn_from, say
    from ..defaults import planner_config
    from ..planner import MCTSPlanner
    from ..recorder import RecordingTree

    environment, tree = state_environment(name), RecordingTree(ReferenceTree(config))
    settings = planner_config(
        environment,
        {
            "simulations": simulations,
            "workers": min(WORKERS, config.workers),
            "schedule": "synchronous",
            "rollout_steps": ROLLOUT_STEPS,
            "seed": drawn_from(0),
        },
    )
    say(f"{name}: {steps} decisions of {simulations} simulations")
    with MCTSPlanner(environment, settings, device=MCTSDevice(tree)) as planner:
        environment.reset(seed=settings.seed)
        ended, step = False, 0
        while not ended and step < steps:
            _, ended = environment.step(planner.act(environment.save()).action)
            step += 1
    return tree.recording
