"""Networks of MAAC as graphs. No Amaranth here."""

from dataclasses import dataclass

from ..attention.config import AttentionConfig
from ..checks import require_integer, require_kind
from ..float.config import FloatLaneConfig
from ..graph.config import AttentionNode, ConcatenationNode, GraphConfig, InputNode, LinearNode
from ..layer.config import BINARY32_LANE, LayerConfig

__all__ = ["CRITIC_LAYERS", "POLICY_LAYERS", "SHARED_LAYERS", "MAACNetworksConfig"]

# Layers with parameters, in the order of their numbers in the graphs.
POLICY_LAYERS = ("first", "second", "third")
CRITIC_LAYERS = ("embedding", "state", "query", "key", "value", "hidden", "output")
# Layers of the critics that the losses of all agents reach, through the attention: their gradients are divided by the
# number of agents.
SHARED_LAYERS = ("embedding", "query", "key", "value")


@dataclass(frozen=True, kw_only=True)
class MAACNetworksConfig:
    """Policies of N agents, and critics that attend to each other.

    Parameters
    ----------
    agents : int
        N, 2 to 64.
    observations, actions : int
        Elements of an observation, and actions, of the agent that has most.
    hidden_size, heads : int
        Elements of every hidden layer, and the heads that share them evenly.
    policy_units : tuple of int
        UF of each layer of the policies, in the order of ``POLICY_LAYERS``.
    critic_units : tuple of int
        UF of each layer of the critics, in the order of ``CRITIC_LAYERS``.
    arithmetic : FloatLaneConfig
        Format, and stages of each adder and multiplier.
    parallel_heads : int
        PF_H, heads of the attention that are computed at the same time (a divisor of the heads).

    Raises
    ------
    TypeError, ValueError
        A field of the wrong kind, or out of its range.

    Source
    ------
    S. Iqbal and F. Sha, "Actor-Attention-Critic for Multi-Agent Reinforcement Learning", ICML 2019, section 3.2; S.
    Wiggins et al., equations 1 and 2.
    """

    agents: int
    observations: int
    actions: int
    hidden_size: int = 128
    heads: int = 4
    policy_units: tuple[int, ...] = (1, 1, 1)
    critic_units: tuple[int, ...] = (1, 1, 1, 1, 1, 1, 1)
    arithmetic: FloatLaneConfig = BINARY32_LANE
    parallel_heads: int = 1

    def __post_init__(self):
        for name, layers in (("policy_units", POLICY_LAYERS), ("critic_units", CRITIC_LAYERS)):
            units = tuple(getattr(self, name))
            object.__setattr__(self, name, units)
            if len(units) != len(layers):
                raise ValueError(
                    f"{name.capitalize().replace('_', ' ')} must be those of {len(layers)} layers, not of {len(units)}"
                )
        for name in ("observations", "actions", "hidden_size"):
            require_integer(name.capitalize().replace("_", " "), getattr(self, name), 1, 2048)
        require_integer("Heads", self.heads, 1, self.hidden_size)
        require_kind("Arithmetic", self.arithmetic, FloatLaneConfig)
        if self.hidden_size % self.heads:
            raise ValueError(f"Hidden size must be a multiple of the {self.heads} heads, not {self.hidden_size}")
        _ = self.policy, self.critic

    @property
    def policy(self) -> GraphConfig:
        """The policy network: it makes logits of the actions from an agent's observation."""
        hidden, units = self.hidden_size, self.policy_units
        return GraphConfig(
            agents=self.agents,
            nodes=(
                InputNode(name="observation", size=self.observations),
                self._linear("first", "observation", self.observations, hidden, units[0]),
                self._linear("second", "first", hidden, hidden, units[1]),
                self._linear("third", "second", hidden, self.actions, units[2], activation="linear"),
            ),
        )

    @property
    def critic(self) -> GraphConfig:
        """The critic network: it makes a value for each action of each agent.

        It takes the observations and one-hot actions of all agents.
        """
        hidden, units = self.hidden_size, dict(zip(CRITIC_LAYERS, self.critic_units, strict=True))
        size = hidden // self.heads
        attention = AttentionConfig(
            agents=self.agents,
            heads=self.heads,
            key_size=size,
            value_size=size,
            arithmetic=self.arithmetic,
            parallel_heads=self.parallel_heads,
        )
        observations, actions = self.observations, self.actions
        projection = {"activation": "linear", "bias": False, "own": False}
        return GraphConfig(
            agents=self.agents,
            nodes=(
                InputNode(name="observation", size=observations),
                InputNode(name="action", size=actions),
                ConcatenationNode(name="pair", first="observation", second="action", sizes=(observations, actions)),
                self._linear("embedding", "pair", observations + actions, hidden, units["embedding"]),
                self._linear("state", "observation", observations, hidden, units["state"]),
                self._linear("query", "state", hidden, hidden, units["query"], **projection),
                self._linear("key", "embedding", hidden, hidden, units["key"], **projection),
                self._linear("value", "embedding", hidden, hidden, units["value"], own=False),
                AttentionNode(name="message", queries="query", keys="key", values="value", attention=attention),
                ConcatenationNode(name="joined", first="state", second="message", sizes=(hidden, hidden)),
                self._linear("hidden", "joined", 2 * hidden, hidden, units["hidden"]),
                self._linear("output", "hidden", hidden, actions, units["output"], activation="linear"),
            ),
        )

    def _linear(self, name, source, inputs, outputs, units, *, activation="leaky_relu", bias=True, own=True):
        """A layer; ``own``: each agent has one of its own."""
        layer = LayerConfig(
            inputs=inputs,
            outputs=outputs,
            units=units,
            activation=activation,
            arithmetic=self.arithmetic,
            bias=bias,
            parameter_sets=self.agents if own else 1,
        )
        return LinearNode(name=name, source=source, layer=layer)
