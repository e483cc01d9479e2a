"""The designs of MAAC's accelerator that there are to choose from, and what each choice brings and takes."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from ....hw.cores.checks import require_kind
from ....hw.cores.graph.config import AttentionNode, LinearNode
from ....hw.cores.layer.config import LayerConfig
from ....hw.cores.learner.maac_config import MAACNetworksConfig
from ....hw.cores.learner.network_stages import NetworkStages
from ....hw.soc.target.target import Resources
from .cycles import iteration_cycles
from .design import NETWORKS, MAACDesign, layer_stages
from .resources import UnitCosts, attention_resources, design_resources, lane_resources, layer_resources

__all__ = ["DesignSpace", "LayerChoice", "Option", "fits"]

# Cycles from one word to the next in the optimiser's pass.
UPDATE_INTERVALS = (1, 2, 4, 8, 16, 32, 64)


def fits(resources: Resources, budget: Resources) -> bool:
    """Whether a design takes no more than there is."""
    return (
        resources.lut <= budget.lut
        and resources.ff <= budget.ff
        and resources.dsp <= budget.dsp
        and resources.bram <= budget.bram
    )


@dataclass(frozen=True, kw_only=True)
class Option:
    """A parallel factor of a layer, or of attention.

    Parameters
    ----------
    factor : int
        PF_F or PF_H.
    cycles : int
        Cycles of an experience: those of the slowest of its stages.
    resources : Resources
        Resources of all of its stages and parameters.
    """

    factor: int
    cycles: int
    resources: Resources


@dataclass(frozen=True, kw_only=True)
class LayerChoice:
    """A layer whose PF_F is to be chosen.

    Parameters
    ----------
    network, name : str
    layer : LayerConfig
        With one unit.
    stages : NetworkStages
        Stages of its network.
    first : bool
        Nothing before it needs errors.
    """

    network: str
    name: str
    layer: LayerConfig
    stages: NetworkStages
    first: bool

    @property
    def operations(self) -> int:
        """Multiplications with an addition that a sample needs in one of its stages (#ops of the source)."""
        return self.layer.rows * self.layer.outputs

    @property
    def useful(self) -> list[int]:
        """PF_F that no smaller one makes as fast: the fewest units for each number of groups of outputs."""
        outputs = self.layer.outputs
        return sorted({-(-outputs // groups) for groups in range(1, outputs + 1)})


@dataclass(frozen=True, kw_only=True)
class DesignSpace:
    """All designs of a problem, and what a part has for them.

    Parameters
    ----------
    networks : MAACNetworksConfig
        Sizes of the networks; their units do not count.
    batch : int
        Experiences of an iteration.
    costs : UnitCosts
    budget : Resources
        Resources that a design may take.
    parallel_agents : tuple of int
        PF_A that may be chosen. The gateware has 1.
    update_intervals : tuple of int
        Cycles from one word to the next in the optimiser's pass that may be chosen, in their order.
    """

    networks: MAACNetworksConfig
    batch: int
    costs: UnitCosts
    budget: Resources
    parallel_agents: tuple[int, ...] = (1,)
    update_intervals: tuple[int, ...] = UPDATE_INTERVALS
    _options: dict[tuple[str, str, int, int], Option] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_kind("Networks", self.networks, MAACNetworksConfig)

    @cached_property
    def layers(self) -> tuple[LayerChoice, ...]:
        """Layers, in the order of the networks."""
        return tuple(self._layers())

    @cached_property
    def parallel_heads(self) -> tuple[int, ...]:
        """PF_H that there are: divisors of the heads."""
        heads = self.networks.heads
        return tuple(count for count in range(1, heads + 1) if heads % count == 0)

    def option(self, choice: LayerChoice, units: int, parallel_agents: int, update_interval: int) -> Option:
        """A layer with so many units."""
        found = self._without_lanes(choice, units, parallel_agents)
        lanes = lane_resources(self.costs, choice.stages, units, update_interval) * parallel_agents
        return Option(factor=units, cycles=found.cycles, resources=found.resources + lanes)

    def _without_lanes(self, choice: LayerChoice, units: int, parallel_agents: int) -> Option:
        """A layer without the lanes of its optimiser, which alone depend on the interval."""
        key = choice.network, choice.name, units, parallel_agents
        if key not in self._options:
            share = -(-self.networks.agents // parallel_agents)
            layer = replace(choice.layer, units=units, parameter_sets=min(choice.layer.parameter_sets, share))
            found = layer_stages(choice.stages, layer, choice.first)
            one = layer_resources(self.costs, choice.stages, layer, choice.first)
            self._options[key] = Option(
                factor=units,
                cycles=share * max(cycles for _, _, cycles, _ in found),
                resources=one * parallel_agents,
            )
        return self._options[key]

    @cached_property
    def attention(self) -> tuple[Option, ...]:
        """Attention with each PF_H."""
        found = []
        for heads in self.parallel_heads:
            design = MAACDesign(networks=replace(self.networks, parallel_heads=heads))
            graph = design.graphs["critic"]
            (node,) = (node for node in graph.nodes if isinstance(node, AttentionNode))
            cycles = max(stage.cycles for stage in design.stages if stage.name == f"critic {node.name}")
            found.append(
                Option(factor=heads, cycles=cycles, resources=attention_resources(self.costs, graph, node, heads))
            )
        return tuple(found)

    def streams(self, parallel_agents: int) -> int:
        """Cycles of an experience whose numbers follow each other one a cycle, which PF_A alone makes faster."""
        design = MAACDesign(networks=self.networks, parallel_agents=parallel_agents)
        return max(stage.cycles for stage in design.stages if stage.kind == "stream")

    def design(
        self, units: tuple[int, ...], *, parallel_agents: int = 1, parallel_heads: int = 1, update_interval: int = 2
    ) -> MAACDesign:
        """The design with these factors; ``units`` are those of :attr:`layers`."""
        found: dict[str, list[int]] = {name: [] for name in NETWORKS}
        for choice, count in zip(self.layers, units, strict=True):
            found[choice.network].append(count)
        networks = replace(
            self.networks,
            policy_units=tuple(found["policy"]),
            critic_units=tuple(found["critic"]),
            parallel_heads=parallel_heads,
        )
        return MAACDesign(networks=networks, parallel_agents=parallel_agents, update_interval=update_interval)

    def resources(self, design: MAACDesign) -> Resources:
        """Resources of a design."""
        return design_resources(design, self.costs)

    def fits(self, design: MAACDesign) -> bool:
        """Whether a design is within the budget."""
        return fits(self.resources(design), self.budget)

    def cycles(self, design: MAACDesign) -> int:
        """Cycles of an iteration."""
        return iteration_cycles(design, self.batch)

    def _layers(self) -> Iterator[LayerChoice]:
        design = MAACDesign(networks=self.networks)
        for name, graph in design.graphs.items():
            behind = graph.behind()
            for node in graph.nodes:
                if isinstance(node, LinearNode):
                    layer = replace(node.layer, units=1)
                    first = node.source not in behind
                    yield LayerChoice(network=name, name=node.name, layer=layer, stages=NETWORKS[name], first=first)
