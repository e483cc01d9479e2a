"""Kinds of requests that a search tree is tried with."""

import random
from itertools import islice

from rewardware.hw.cores.tree.requests import RequestKind
from rewardware.sw.reference.tree.requests import Request
from rewardware.sw.systems.mcts.bench.game import record_game
from tests.sw.reference.tree.stimulus import RandomRequests

__all__ = ["KINDS", "REGISTERS", "make_requests", "tree_for"]

KINDS = ("random", "recorded", "one_path", "height_limit", "full_tree", "full_banks")
REGISTERS = {"exploration": 5793, "loss": 16384, "first_value": -70000, "alternate": 1}
MOST_SELECTIONS = (1 << 16) - 1
# So small that exploration decides and the tree grows broad.
REWARD = 256


def tree_for(kind, config):
    """The configuration with which a kind of requests is what its name says."""
    if kind == "full_banks":
        # No limit but that of the banks.
        return type(config)(**vars(config) | {"nodes": config.banks * config.rows})
    return config


def make_requests(kind, config, count, seed, *, game="ALE/Pong-v5", simulations=2560):
    """Registers, and at least ``count`` requests.

    Parameters
    ----------
    kind : str
        ``random``: anything, errors, clears and advances included; ``recorded``: searches of a game; ``one_path``: each
        node has one action, so that all workers are on one path; ``height_limit``: each has two, so that all end on the
        last level; ``full_tree``, ``full_banks``: each has all, until there are as many nodes as can be.
    config : MCTSConfig
    count, seed : int
    game : str
        Game that is recorded.
    simulations : int
        Simulations of each of its decisions.
    """
    if kind == "recorded":
        recording = record_game(game, config.tree, steps=-(-count // (2 * simulations)), simulations=simulations)
        return recording.registers, recording.requests
    rng = random.Random(seed)
    if kind == "random":
        # So few errors and new trees that the tree grows; so many that each kind of both happens.
        requests = list(islice(RandomRequests(config, rng, wrong=0.02, restart=2 / config.nodes), count))
    else:
        actions = {"one_path": 1, "height_limit": 2}.get(kind, config.fanout)
        requests = _searches(config, rng, count, (1 << config.fanout) - (1 << config.fanout - actions))
    return REGISTERS, requests


def _searches(config, rng, count, legal):
    """Workers select and back up in turn, each time in another order, in one tree as long as it counts visits."""
    workers, requests, selections = list(range(config.workers)), [], MOST_SELECTIONS
    while len(requests) < count:
        if selections + len(workers) > MOST_SELECTIONS:
            requests.append(Request(kind=RequestKind.CLEAR, legal=legal))
            selections = 0
        for kind in (RequestKind.SELECT, RequestKind.BACKUP):
            rng.shuffle(workers)
            for worker in workers:
                state = {"reward": rng.randint(-REWARD, REWARD), "legal": legal}
                requests.append(Request(kind=kind, worker=worker, **(state if kind == RequestKind.BACKUP else {})))
        selections += len(workers)
    return requests
