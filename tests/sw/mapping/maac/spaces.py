"""Design spaces for tests, with costs of about the size of real ones."""

from rewardware.hw.cores.learner.maac_config import MAACNetworksConfig
from rewardware.hw.soc.target.target import Resources
from rewardware.sw.mapping.maac.design_space import DesignSpace
from rewardware.sw.mapping.maac.resources import LinearCost, UnitCosts


def line(base: float, unit: float) -> LinearCost:
    return LinearCost(base=Resources(lut=base, ff=base), unit=Resources(lut=unit, ff=unit / 2, dsp=2))


COSTS = UnitCosts(
    family="xcup",
    stages={"forward": line(205, 890), "backward": line(450, 876), "gradient": line(400, 950)},
    parameters=line(300, 150),
    lane=Resources(lut=4800, ff=3000, dsp=20),
    attention={"forward": Resources(lut=6300, ff=3800, dsp=17), "backward": Resources(lut=7060, ff=5000, dsp=14)},
)
EVERYTHING = Resources(lut=1e9, ff=1e9, dsp=1e9, bram=1e9)


def small_networks(agents=2, hidden=2, heads=2, observations=3, actions=2) -> MAACNetworksConfig:
    return MAACNetworksConfig(
        agents=agents, observations=observations, actions=actions, hidden_size=hidden, heads=heads
    )


def space_of(networks, budget=EVERYTHING, batch=1024, **further) -> DesignSpace:
    return DesignSpace(networks=networks, batch=batch, costs=COSTS, budget=budget, **further)


def budget_between(networks, share: float, **further) -> Resources:
    """Resources of the smallest design, and a share of those that the largest takes beyond, if it takes more."""
    space = space_of(networks, **further)
    outputs = tuple(choice.layer.outputs for choice in space.layers)
    least = space.resources(space.design((1,) * len(outputs), update_interval=space.update_intervals[-1]))
    most = space.resources(
        space.design(outputs, parallel_heads=networks.heads, update_interval=space.update_intervals[0])
    )
    amounts = {name: value + share * max(0, getattr(most, name) - value) for name, value in least.items()}
    return Resources(**amounts)
