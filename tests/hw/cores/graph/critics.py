"""Small graphs with everything in them."""

from rewardware.hw.cores.graph.config import GraphConfig
from rewardware.hw.cores.graph.perceptron import perceptron_graph
from rewardware.hw.cores.layer.config import BINARY32_LANE, NetworkConfig
from rewardware.hw.cores.learner.maac_config import MAACNetworksConfig


def attention_critic(
    agents=3, observations=4, actions=3, hidden=6, heads=2, units=2, arithmetic=BINARY32_LANE, parallel_heads=1
):
    """Critics that attend to each other; ``units`` of all layers, or a tuple with those of each."""
    return MAACNetworksConfig(
        agents=agents,
        observations=observations,
        actions=actions,
        hidden_size=hidden,
        heads=heads,
        critic_units=units if isinstance(units, tuple) else (units,) * 6 + (min(units, actions),),
        arithmetic=arithmetic,
        parallel_heads=parallel_heads,
    ).critic


def perceptron(sizes=(3, 5, 4, 2), units=2, activation="relu") -> GraphConfig:
    """A chain of layers."""
    return perceptron_graph(NetworkConfig(sizes=sizes, units=(units,) * (len(sizes) - 1), hidden_activation=activation))
