"""MAAC's accelerator as stages: what each computes of an experience, in how many cycles, on how many units."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from ....hw.cores.checks import require_integer, require_kind
from ....hw.cores.graph.config import AttentionNode, GraphConfig, InputNode, LinearNode
from ....hw.cores.layer.config import LayerConfig
from ....hw.cores.learner.maac_config import MAACNetworksConfig
from ....hw.cores.learner.network_stages import NetworkStages

__all__ = ["NETWORKS", "MAACDesign", "Stage", "layer_stages"]

# Stages of each layer. Policies go forward twice: the targets at next observations, and the policies that learn.
# Critics go forward three times: at what happened, to learn from it; the targets; and the critics from before the
# update, for the policies.
POLICY = NetworkStages(forward=2, backward=0, gradients=0)
CRITIC = NetworkStages(forward=3)
NETWORKS = {"policy": POLICY, "critic": CRITIC}
# Products of attention's halves: scores and messages forward; errors at weights, queries, keys and values backward.
ATTENTION_PRODUCTS = {"forward": 2, "backward": 4}


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A stage of the pipeline.

    Parameters
    ----------
    name : str
        Name of its network, and of its layer.
    kind : str
        ``"forward"``, ``"backward"``, ``"gradient"``, or ``"stream"``: numbers that follow each other, one a cycle.
    count : int
        Such stages, side by side.
    units : int
        Multiplier and adder pairs of one of them.
    cycles : int
        Cycles of an experience.
    operations : int
        Multiplications with an addition that an experience needs of one of them.
    """

    name: str
    kind: str
    count: int
    units: int
    cycles: int
    operations: int


@dataclass(frozen=True, kw_only=True)
class MAACDesign:
    """An accelerator of MAAC: its networks with their units, and what else is parallel.

    Parameters
    ----------
    networks : MAACNetworksConfig
        PF_F of each layer is its number of units, PF_H its parallel heads.
    parallel_agents : int
        PF_A: so many copies of each layer's stages, which share the agents (1 to N). The gateware has one; more of them
        are of the model alone.
    update_interval : int
        Cycles from one word of weights to the next in the optimiser's pass (1 to 64).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.
    """

    networks: MAACNetworksConfig
    parallel_agents: int = 1
    update_interval: int = 2

    def __post_init__(self) -> None:
        require_kind("Networks", self.networks, MAACNetworksConfig)
        require_integer("Parallel agents", self.parallel_agents, 1, self.networks.agents)
        require_integer("Update interval", self.update_interval, 1, 64)

    @property
    def parallel_heads(self) -> int:
        """PF_H: heads of attention that are computed side by side."""
        return self.networks.parallel_heads

    @property
    def share(self) -> int:
        """Agents of an experience that one copy of a layer's stages takes."""
        return -(-self.networks.agents // self.parallel_agents)

    @cached_property
    def graphs(self) -> dict[str, GraphConfig]:
        """The networks by the names of :data:`NETWORKS`."""
        return {name: getattr(self.networks, name) for name in NETWORKS}

    @property
    def factors(self) -> dict[str, int]:
        """PF_F of each layer, by the names of network and layer."""
        return {f"{name} {node.name}": node.layer.units for name, graph in self.graphs.items() for node in graph.linear}

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """All that an experience goes through, networks in their order."""
        return tuple(self._stages())

    @property
    def experience_cycles(self) -> int:
        """Cycles from one experience to the next: those of the slowest stage."""
        return max(stage.cycles for stage in self.stages)

    @property
    def units(self) -> int:
        """Multiplier and adder pairs of all stages."""
        return sum(stage.count * stage.units for stage in self.stages)

    @property
    def operations(self) -> int:
        """Multiplications with an addition that an experience needs."""
        return sum(stage.count * stage.operations for stage in self.stages)

    def utilisation(self, batch: int, cycles: int) -> float:
        """Operations of an iteration over those that the units could have done in its cycles."""
        return self.operations * batch / (self.units * cycles)

    def _stages(self) -> Iterator[Stage]:
        for name, graph in self.graphs.items():
            behind = graph.behind()
            for node in graph.nodes:
                where = f"{name} {node.name}"
                if isinstance(node, LinearNode):
                    first = node.source not in behind
                    for kind, count, cycles, operations in layer_stages(NETWORKS[name], node.layer, first):
                        yield Stage(
                            name=where,
                            kind=kind,
                            count=count,
                            units=self.parallel_agents * node.layer.units,
                            cycles=self.share * cycles,
                            operations=graph.agents * operations,
                        )
                elif isinstance(node, AttentionNode):
                    yield from self._attention(where, node)
                elif not isinstance(node, InputNode):
                    count = NETWORKS[name].forward
                    cycles = self.share * node.size
                    yield Stage(name=where, kind="stream", count=count, units=0, cycles=cycles, operations=0)

    def _attention(self, where: str, node: AttentionNode) -> Iterator[Stage]:
        attention, heads = node.attention, self.parallel_heads
        pairs = attention.agents * attention.others * attention.heads
        cycles = {"forward": attention.forward_cycles, "backward": attention.backward_cycles}
        operations = {
            "forward": pairs * (attention.key_size + attention.value_size),
            "backward": 2 * pairs * (attention.key_size + attention.value_size),
        }
        counts = {"forward": CRITIC.forward, "backward": CRITIC.backward}
        for kind, products in ATTENTION_PRODUCTS.items():
            yield Stage(
                name=where,
                kind=kind,
                count=counts[kind],
                units=products * heads,
                # Vectors come and go one number a cycle.
                cycles=max(cycles[kind], attention.agents * node.size),
                operations=operations[kind],
            )


def layer_stages(stages: NetworkStages, layer: LayerConfig, first: bool) -> Iterator[tuple[str, int, int, int]]:
    """Kinds of stages of a layer, with their count, and cycles and operations of a sample.

    Parameters
    ----------
    stages : NetworkStages
        Stages of the layer's network.
    layer : LayerConfig
    first : bool
        Nothing before it needs errors.
    """
    products = layer.rows * layer.outputs
    if stages.forward:
        yield "forward", stages.forward, layer.forward_cycles, products
    if backward := stages.to_inputs if first else stages.backward:
        yield "backward", backward, layer.backward_cycles, layer.inputs * layer.outputs
    if stages.gradients:
        yield "gradient", stages.gradients, layer.gradient_cycles, products
