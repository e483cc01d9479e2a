"""All designs of a small space, to say how far a search is from the best of them."""

import operator
from collections.abc import Callable, Iterator

import numpy as np

from .design import MAACDesign
from .design_space import DesignSpace, Option
from .resources import buffer_resources

__all__ = ["exhaustive_search"]


def exhaustive_search(space: DesignSpace) -> MAACDesign:
    """The design with the fewest cycles of an iteration among all: PF_F of every layer, PF_H, PF_A and interval.

    O(N H F^|S|) designs, for small spaces. Among numbers of units of a layer that make as many groups only the smallest
    counts: more of them take more and bring nothing. T_experience and resources of all designs are computed; the whole
    iteration is, for designs within the budget, as long as their T_experience for each experience leaves them a chance.

    Parameters
    ----------
    space : DesignSpace

    Raises
    ------
    ValueError
        No design is within the budget.
    """
    best: MAACDesign | None = None
    fewest = float("inf")
    for least, factors in sorted(_within_tables(space)):
        if least >= fewest:
            break
        units, heads, agents, interval = factors
        design = space.design(units, parallel_agents=agents, parallel_heads=heads, update_interval=interval)
        if space.fits(design) and (cycles := space.cycles(design)) < fewest:
            best, fewest = design, cycles
    if best is None:
        raise ValueError("No design is within the budget")
    return best


def _within_tables(space: DesignSpace) -> Iterator[tuple[int, tuple[tuple[int, ...], int, int, int]]]:
    """Cycles that an iteration takes at least, and factors, of designs whose stages and buffers may fit."""
    buffers = buffer_resources(space.design((1,) * len(space.layers)), space.costs.family)
    for agents in space.parallel_agents:
        for interval in space.update_intervals:
            elements = [
                [space.option(choice, units, agents, interval) for units in choice.useful] for choice in space.layers
            ]
            elements.append(list(space.attention))
            shape = [len(options) for options in elements]
            within = np.ones(shape, bool)
            for name, available in space.budget.items():
                taken = _combined(elements, operator.attrgetter(f"resources.{name}"), np.add)
                within &= taken + getattr(buffers, name) <= available
            cycles = np.maximum(_combined(elements, lambda option: option.cycles, np.maximum), space.streams(agents))
            for places in np.argwhere(within):
                *units, heads = (options[place].factor for options, place in zip(elements, places, strict=True))
                yield int(cycles[tuple(places)]) * (space.batch - 1), (tuple(units), heads, agents, interval)


def _combined(elements: list[list[Option]], value: Callable[[Option], float], combine: np.ufunc) -> np.ndarray:
    """An array with a dimension for each element: a value of its options, combined with those of the others."""
    found = np.zeros((1,) * len(elements))
    for dimension, options in enumerate(elements):
        shape = [1] * len(elements)
        shape[dimension] = len(options)
        found = combine(found, np.array([value(option) for option in options], float).reshape(shape))
    return found
