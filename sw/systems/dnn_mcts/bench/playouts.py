"""Playouts a second of our searches and of others, with one network on one machine, in turn."""

import functools
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from ....measurement.bench import make_row, say
from ..timed_searches import (
    Setting,
    TimedSearches,
    local_tree,
    measure_in_turn,
    median_ratio,
    shared_tree,
    synchronous_tree,
)
from .configurations import BenchConfiguration
from .mctx_search import mctx_search
from .openspiel import OPENSPIEL_SEARCHES, openspiel_search
from .schemes import explored, opened

__all__ = ["OURS", "PEERS", "playouts_against_peers", "playouts_per_second"]

NETWORK = "torch"
MCTX = "mctx"
# By the name of their rows.
PEERS = {
    **{f"openspiel_{kind}": f"OpenSpiel's {kind}.py (Python), one position at a time" for kind in OPENSPIEL_SEARCHES},
    MCTX: "mctx.muzero_policy (XLA), the network in JAX, one tree",
}
OURS = {
    "synchronous": "rounds on one thread",
    "shared": "shared tree",
    "local_single": "local tree, N evaluators of one position each",
    "adaptive": "scheme and batch as chosen",
}


def _settings(config: BenchConfiguration) -> dict[str, Setting]:
    workers = config.workers[-1]
    chosen = explored(config, NETWORK).by_workers[-1].chosen
    return {
        "synchronous": synchronous_tree(workers),
        "shared": shared_tree(workers),
        "local_single": local_tree(workers, 1),
        "adaptive": chosen,
    }


def _timed(search: Callable[[], Any], config: BenchConfiguration) -> float:
    started = time.perf_counter()
    search()
    return (time.perf_counter() - started) / config.simulations


def _peers(config: BenchConfiguration, searches: TimedSearches) -> dict[str, Callable[[], float]]:
    environment, exploration = searches.environment, searches.config.exploration
    found = {
        f"openspiel_{kind}": openspiel_search(
            kind,
            config.peer_game,
            searches.evaluator,
            environment.observation_shape,
            simulations=config.simulations,
            exploration=exploration,
            workers=config.workers[-1],
        )
        for kind in OPENSPIEL_SEARCHES
    }
    network, rows = searches.evaluator.module, environment.observation_shape[1]  # type: ignore[attr-defined]
    found[MCTX] = mctx_search(network, rows, simulations=config.simulations, exploration=exploration, trees=1)
    return {name: partial(_timed, search, config) for name, search in found.items()}


@functools.cache
def _measured(config: BenchConfiguration) -> dict[str, list[float]]:
    """Seconds of a playout, of ours and of others."""
    settings = _settings(config)
    say("playouts of ours and of others, in turn")
    with opened(config, NETWORK) as searches:
        ours = {name: partial(searches.seconds, setting) for name, setting in settings.items()}
        return measure_in_turn(ours | _peers(config, searches), config.repeats)


def playouts_per_second(config: BenchConfiguration, name: str) -> dict[str, Any]:
    """Playouts per second of a search, the median."""
    found = _measured(config)[name]
    settings = _settings(config)
    told = f"{OURS[name]}, {settings[name]}" if name in settings else PEERS[name]
    how = f"{told}; {_how(config)}"
    return make_row(round(1 / statistics.median(found)), "playouts/s", "measured", how)


def playouts_against_peers(config: BenchConfiguration) -> dict[str, Any]:
    """Ours as chosen over the fastest of the others."""
    found = _measured(config)
    fastest = min(PEERS, key=lambda name: statistics.median(found[name]))
    ratio = median_ratio(found[fastest], found["adaptive"])
    each = ", ".join(f"{PEERS[name]} {1 / statistics.median(found[name]):.0f}/s" for name in PEERS)
    how = (
        f"{_settings(config)['adaptive']}: {1 / statistics.median(found['adaptive']):.0f} playouts/s; over the fastest "
        f"of {each}; {_how(config)}; OpenSpiel's search in C++ takes no evaluator of Python"
    )
    return make_row(round(ratio, 2), "times", "measured", how)


def _how(config: BenchConfiguration) -> str:
    return (
        f"{config.env}, the network of five convolutions and three linear layers, {config.simulations} playouts from "
        f"the empty board, one thread of PyTorch an evaluator, nothing remembered of earlier searches; "
        f"{config.repeats} searches of each, in turn, wall clock"
    )
