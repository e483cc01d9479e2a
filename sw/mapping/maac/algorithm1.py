"""The source's search for design parameters: its Algorithm 1, step by step.

Source: S. Wiggins, Y. Meng, M. A. Iyer, V. Prasanna, "A Heterogeneous Acceleration System for Attention-Based
Multi-Agent Reinforcement Learning", 2024, section IV.
"""

from dataclasses import dataclass, replace

from .design import MAACDesign
from .design_space import DesignSpace, Option, fits
from .resources import buffer_resources

__all__ = ["search_design_parameters"]


def search_design_parameters(space: DesignSpace, update_interval: int = 2) -> MAACDesign:
    """The design that Algorithm 1 finds, in O(|S| + H + N) steps, with the cycles and resources of the gateware.

    1. Every layer's PF_F in proportion to its operations, 1 for the layer with the fewest (lines 4 to 7).
    2. PF_H until attention is as fast as the slowest layer (lines 8 to 10).
    3. While the design is within all bounds: one more PF_A; one more PF_H where attention is then the slowest; where
       PF_A is N already, one more of every PF_F (lines 11 to 18).

    The text leaves three things open. Line 9 is printed with "less than or equal", which would make attention faster
    where it is the faster one: its heading and section IV say that the two are balanced. The loop ends with a design
    beyond the bounds: the last one within them is put out. No factor goes beyond what there is of it: PF_A as far as
    ``space.parallel_agents``, PF_F as far as the outputs.

    Its last step gives a layer of few operations as many units more as one of many, which leaves the balance of the
    first: with PF_A at 1, as in the gateware, it is how nearly all units are given out. :func:`.fastest_design` does
    not do that, and ``dse_gap`` of ``rewardware bench maac`` says how far both are from the optimum.

    Parameters
    ----------
    space : DesignSpace
    update_interval : int
        Cycles from one word to the next in the optimiser's pass, which the source does not have.

    Raises
    ------
    ValueError
        The design of the first two steps is beyond the bounds.
    """
    # Lines 2 to 7.
    operations = [choice.operations for choice in space.layers]
    least = min(operations)
    point = _Point(
        agents=0,
        heads=0,
        units=tuple(
            min(choice.layer.outputs, -(-count // least))
            for choice, count in zip(space.layers, operations, strict=True)
        ),
    )
    walk = _Walk(space, update_interval)
    # Lines 8 to 10.
    while walk.attention(point) > walk.slowest_layer(point) and point.heads + 1 < len(space.parallel_heads):
        point = replace(point, heads=point.heads + 1)
    if not walk.fits(point):
        raise ValueError("The balanced design of steps 1 and 2 of Algorithm 1 is not within the budget")
    # Lines 11 to 18.
    found = point
    while walk.fits(point):
        found, last = point, point.agents + 1 == len(space.parallel_agents)
        point = replace(point, agents=point.agents + (not last))
        if walk.slowest_layer(point) < walk.attention(point):
            if point.heads + 1 == len(space.parallel_heads):
                break
            point = replace(point, heads=point.heads + 1)
        if last:
            outputs = [choice.layer.outputs for choice in space.layers]
            units = (min(most, count + 1) for most, count in zip(outputs, point.units, strict=True))
            point = replace(point, units=tuple(units))
        if point == found:
            break
    return walk.design(found)


@dataclass(frozen=True, kw_only=True)
class _Point:
    """Places of PF_A and PF_H among those that there are, and PF_F of each layer."""

    agents: int
    heads: int
    units: tuple[int, ...]


class _Walk:
    """Latencies and bounds of the designs that the algorithm goes through."""

    def __init__(self, space: DesignSpace, update_interval: int):
        self._space, self._interval = space, update_interval
        self._buffers = buffer_resources(space.design((1,) * len(space.layers)), space.costs.family)

    def attention(self, point: _Point) -> int:
        """T_stage of attention."""
        return self._space.attention[point.heads].cycles

    def slowest_layer(self, point: _Point) -> int:
        """The largest T_stage of a layer."""
        return max(option.cycles for option in self._layers(point))

    def fits(self, point: _Point) -> bool:
        """Whether a design is within all bounds."""
        total = self._buffers
        for option in (*self._layers(point), self._space.attention[point.heads]):
            total += option.resources
        return fits(total, self._space.budget) and self._space.fits(self.design(point))

    def design(self, point: _Point) -> MAACDesign:
        """The design of a point."""
        return self._space.design(
            point.units,
            parallel_agents=self._space.parallel_agents[point.agents],
            parallel_heads=self._space.parallel_heads[point.heads],
            update_interval=self._interval,
        )

    def _layers(self, point: _Point) -> list[Option]:
        agents = self._space.parallel_agents[point.agents]
        return [
            self._space.option(choice, units, agents, self._interval)
            for choice, units in zip(self._space.layers, point.units, strict=True)
        ]
