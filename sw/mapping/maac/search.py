"""The fastest design of MAAC's accelerator that a part holds."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from ....hw.soc.target.target import Resources
from .design import MAACDesign
from .design_space import DesignSpace, Option, fits
from .resources import buffer_resources

__all__ = ["fastest_design"]

# Weights of logic against block memories, by which a layer's options are compared. A layer with fewer units takes less
# logic; its block memories are whole ones, so that it may take more of them.
LOGIC_WEIGHTS = (1.0, 0.75, 0.5, 0.25, 0.0)


def fastest_design(space: DesignSpace) -> MAACDesign:
    """The design with the fewest cycles of an iteration, and of all that are as fast one with few units.

    An iteration takes T_experience for each experience, so the search is for the least T_experience. A stage's cycles
    are whole passes over groups of outputs; there are about 2 sqrt(F_out) that differ for each layer, and T_experience
    is one of them. For a given T_experience each layer, and attention, takes by itself the cheapest factor that
    reaches it.

    1. T_experience cannot be below what each kind of resource allows on its own. This bound is monotone: bisection.
    2. From there on upwards the first T_experience is taken for which all resources suffice together.

    This is done for each PF_A and each interval of the optimiser. It takes O((|S| + H) sqrt(F) log F) steps for each.
    See :mod:`.algorithm1` for what the source's Algorithm 1 does instead, and how far it is from the optimum.

    Parameters
    ----------
    space : DesignSpace

    Raises
    ------
    ValueError
        Not even the smallest design is within the budget.
    """
    best: MAACDesign | None = None
    for parallel_agents in space.parallel_agents:
        for update_interval in space.update_intervals:
            limit = None if best is None else space.cycles(best) / max(space.batch - 1, 1)
            found = _Ladders(space, parallel_agents, update_interval).first_that_fits(limit)
            if found is not None and (best is None or space.cycles(found) < space.cycles(best)):
                best = found
    if best is None:
        smallest = space.resources(space.design((1,) * len(space.layers), update_interval=space.update_intervals[-1]))
        raise ValueError(f"Not even one unit per stage is within the budget: {_shortage(smallest, space.budget)}")
    return best


class _Ladders:
    """Options of all layers and of attention, by the cycles that they reach."""

    def __init__(self, space: DesignSpace, parallel_agents: int, update_interval: int):
        self._space, self._budget = space, space.budget
        self._agents, self._interval = parallel_agents, update_interval
        options = [
            [space.option(choice, units, parallel_agents, update_interval) for units in choice.useful]
            for choice in space.layers
        ]
        prices = [_logic_price(space.budget, weight) for weight in LOGIC_WEIGHTS]
        kinds = [(lambda found, name=name: getattr(found, name)) for name, _ in space.budget.items()]
        self._elements = [_Element(each, prices) for each in (*options, space.attention)]
        self._least = [_Element(each, kinds) for each in (*options, space.attention)]
        # With few units they are the smallest.
        self._buffers = buffer_resources(space.design((1,) * len(space.layers)), space.costs.family)
        fastest = max(space.streams(parallel_agents), *(element.cycles[0] for element in self._elements))
        self._candidates = sorted(
            {fastest, *(cycles for element in self._elements for cycles in element.cycles if cycles > fastest)}
        )

    def first_that_fits(self, limit: float | None) -> MAACDesign | None:
        """The design of the least T_experience, unless that is ``limit`` or more."""
        end = len(self._candidates) if limit is None else bisect_left(self._candidates, limit)
        begin = bisect_left(range(end), True, key=lambda place: self._may_fit(self._candidates[place]))
        for cycles in self._candidates[begin:end]:
            for price in range(len(LOGIC_WEIGHTS)):
                chosen = [element.cheapest(cycles, price) for element in self._elements]
                if fits(_sum(self._buffers, chosen), self._budget):
                    design = self._space.design(
                        tuple(option.factor for option in chosen[:-1]),
                        parallel_agents=self._agents,
                        parallel_heads=chosen[-1].factor,
                        update_interval=self._interval,
                    )
                    if self._space.fits(design):
                        return design
        return None

    def _may_fit(self, cycles: int) -> bool:
        """Whether each kind of resource would suffice if each element took the least of it."""
        for kind, (name, available) in enumerate(self._budget.items()):
            least = sum(getattr(element.cheapest(cycles, kind).resources, name) for element in self._least)
            if least + getattr(self._buffers, name) > available:
                return False
        return True


class _Element:
    """Options of a layer or of attention, and for each price which of them is the cheapest that is fast enough."""

    def __init__(self, options: Sequence[Option], prices: Sequence[Callable[[Resources], float]]):
        ordered = sorted(options, key=lambda option: option.cycles)
        self.cycles = [option.cycles for option in ordered]
        self._cheapest = []
        for price in prices:
            found: list[Option] = []
            least = float("inf")
            for option in ordered:
                asked = price(option.resources)
                if asked <= least:
                    least = asked
                    found.append(option)
                else:
                    found.append(found[-1])
            self._cheapest.append(found)

    def cheapest(self, cycles: int, price: int) -> Option:
        """The cheapest one of at most so many cycles."""
        return self._cheapest[price][bisect_right(self.cycles, cycles) - 1]


def _logic_price(budget: Resources, weight: float) -> Callable[[Resources], float]:
    """Shares of the budget, with so much weight on logic and the rest on block memories."""

    # A resource of which there is none weighs as much as one of which there is one.
    lut, ff, dsp, bram = (1 / (available or 1) for available in (budget.lut, budget.ff, budget.dsp, budget.bram))

    def price(taken: Resources) -> float:
        logic = max(taken.lut * lut, taken.ff * ff, taken.dsp * dsp)
        return weight * logic + (1 - weight) * taken.bram * bram

    return price


def _sum(begin: Resources, options: Sequence[Option]) -> Resources:
    found = [option.resources for option in options]
    return begin + Resources(
        lut=sum(one.lut for one in found),
        ff=sum(one.ff for one in found),
        dsp=sum(one.dsp for one in found),
        bram=sum(one.bram for one in found),
    )


def _shortage(taken: Resources, budget: Resources) -> str:
    """The resources that a design lacks, in words."""
    names = [name for name, available in budget.items() if getattr(taken, name) > available]
    return ", ".join(f"{getattr(taken, name):g} {name} of {getattr(budget, name):g}" for name in names)
