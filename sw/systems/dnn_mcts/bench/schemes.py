"""Searches by both schemes on the machine at hand: what the choice between them is worth, and how good it is."""

import contextlib
import functools
import statistics
from collections.abc import Iterator
from functools import partial
from typing import Any

from ....core.environments.make_state_environment import board_environment
from ....core.threads import limited_threads
from ....measurement.bench import make_row, say
from ....search.search_config import SearchConfig
from ..evaluators import evaluator_by_name
from ..exploration import Exploration, WorkersExploration, explore_searches
from ..timed_searches import TimedSearches, local_tree, measure_in_turn, median_ratio
from .configurations import BenchConfiguration

__all__ = ["adaptive_speedup", "explored", "model_choice", "opened", "vsearch_gap"]

# Share within which two schemes count as equally fast: the noise of the measurement.
NOISE = 0.05
# The source's section 6.1: from 1.5 to 3.
PAPER_SPEEDUP = 1.5


@contextlib.contextmanager
def opened(config: BenchConfiguration, evaluator: str) -> Iterator[TimedSearches]:
    """Searches of a configuration's game with an evaluator, each of whose calls has one thread of PyTorch."""
    environment = board_environment(config.env)
    made = evaluator_by_name(evaluator, environment)
    search = SearchConfig(simulations=config.simulations, workers=max(config.workers))
    try:
        with limited_threads(1), TimedSearches(environment, made, search) as searches:
            yield searches
    finally:
        made.close()


@functools.cache
def explored(config: BenchConfiguration, evaluator: str) -> Exploration:
    """Profile, models, trials and measurements, once for all figures."""
    say(f"searches with evaluator {evaluator}")
    with opened(config, evaluator) as searches:
        return explore_searches(searches, config.workers, config.repeats)


def adaptive_speedup(config: BenchConfiguration, evaluator: str) -> dict[str, Any]:
    """The chosen scheme and batch over the worse one of two fixed schemes, the median over N."""
    found = {one.workers: _speedups(one) for one in explored(config, evaluator).by_workers}
    each = "; ".join(f"N = {workers}: {speedup:.2f} ({told})" for workers, (speedup, told) in found.items())
    how = (
        f"{config.env}, {config.simulations} playouts a search, evaluator {evaluator}; over the worse one of two fixed "
        "schemes, the shared tree with batches of N and the local tree with N evaluators of one position each; the "
        f"median over {each}; {_repeated(config)}"
    )
    value = statistics.median(speedup for speedup, _ in found.values())
    return make_row(round(value, 2), "times", "measured", how, PAPER_SPEEDUP)


def _speedups(one: WorkersExploration) -> tuple[float, str]:
    """Over the worse of the fixed schemes; and each of them in words."""
    ratios = {"shared": one.ratio(one.shared, one.chosen), "local, B = 1": one.ratio(one.single, one.chosen)}
    told = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
    return max(ratios.values()), f"{one.chosen.scheme}, B = {one.chosen.batch}, {_each(one)}; over {told}"


def _each(one: WorkersExploration) -> str:
    return f"{1e6 * one.seconds(one.chosen) / one.workers:.0f} us a playout"


def model_choice(config: BenchConfiguration) -> dict[str, Any]:
    """Share of the configurations tried in which the model's scheme is the faster one, or as fast."""
    found = {
        (evaluator, one.workers): one
        for evaluator in config.evaluators
        for one in explored(config, evaluator).by_workers
    }
    losses = {
        key: one.ratio(one.chosen, one.shared if one.chosen == one.local else one.local) for key, one in found.items()
    }
    right = sum(loss <= 1 + NOISE for loss in losses.values())
    strictly = sum(loss <= 1 for loss in losses.values())
    paper = sum(one.paper.scheme == one.faster.scheme for one in found.values())
    wrong = [
        f"{evaluator}, N = {workers}: {found[evaluator, workers].chosen.scheme} takes {loss:.2f} of the other"
        for (evaluator, workers), loss in losses.items()
        if loss > 1 + NOISE
    ]
    shared = sum(one.chosen.scheme == "shared" for one in found.values())
    how = (
        f"{config.env}, {config.simulations} playouts a search, evaluators {'; '.join(config.evaluators)}, N = "
        f"{', '.join(map(str, config.workers))}: {right} of {len(found)} choices take at most {100 * NOISE:g} % longer "
        f"than the other scheme ({strictly} no longer at all), {shared} of them the shared tree; equations 5.3 and 5.4 "
        f"as printed name the faster one in {paper}; {_repeated(config)}"
    )
    how += f"; wrong: {'; '.join(wrong)}" if wrong else ""
    return make_row(round(100 * right / len(found), 1), "%", "measured", how)


def vsearch_gap(config: BenchConfiguration) -> dict[str, Any]:
    """Time at the batch that Algorithm 4 found over that at the best batch of all, the worst of the evaluators."""
    found = {evaluator: _gap(config, evaluator) for evaluator in config.evaluators}
    each = "; ".join(f"{evaluator}: {told}" for evaluator, (_, told) in found.items())
    how = (
        f"{config.env}, {config.simulations} playouts a search, local tree, N = {_largest(config)}: the worst of "
        f"{each}; the best by all batches measured in turn, then both again; {_repeated(config)}"
    )
    return make_row(round(max(gap for gap, _ in found.values()), 3), "times", "measured", how, None)


def _gap(config: BenchConfiguration, evaluator: str) -> tuple[float, str]:
    trials = explored(config, evaluator).by_workers[-1].trials
    workers = _largest(config)
    settings = [local_tree(workers, batch) for batch in range(1, workers + 1)]
    say(f"all batches with evaluator {evaluator}")
    with opened(config, evaluator) as searches:
        timed = measure_in_turn({setting: partial(searches.seconds, setting) for setting in settings}, config.repeats)
        best = min(settings, key=lambda setting: statistics.median(timed[setting]))
        chosen = local_tree(workers, trials.batch)
        # Which is the best of many by noise alone is not so when it is measured again.
        again = measure_in_turn(
            {setting: partial(searches.seconds, setting) for setting in (chosen, best)}, 2 * config.repeats
        )
    gap = 1.0 if chosen == best else median_ratio(again[chosen], again[best])
    return gap, f"{gap:.3f}, B = {trials.batch} by {len(trials.tried)} trials, {best.batch} the best of {workers}"


def _largest(config: BenchConfiguration) -> int:
    return config.workers[-1]


def _repeated(config: BenchConfiguration) -> str:
    return f"medians of the ratios of {config.repeats} searches of each, in turn, wall clock"
