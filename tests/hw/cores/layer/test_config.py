"""Configurations of layers: derived numbers and refusals."""

import pytest

from rewardware.hw.cores.float.config import BINARY16, FloatLaneConfig
from rewardware.hw.cores.layer.config import LayerConfig, NetworkConfig
from rewardware.hw.cores.layer.update_stage_config import UpdateStageConfig
from rewardware.hw.cores.learner.learner_config import DDPGLearnerConfig, DQNLearnerConfig
from rewardware.hw.cores.learner.sac_learner_config import SACLearnerConfig


@pytest.mark.parametrize(
    ("inputs", "outputs", "units", "groups", "words", "partial_sums"),
    [
        (4, 64, 5, 13, 65, 1),
        (64, 64, 64, 1, 65, 4),
        (64, 64, 32, 2, 130, 2),
        (64, 7, 3, 3, 195, 2),
        # Not more sums than terms.
        (2, 5, 5, 1, 3, 3),
        (1, 1, 1, 1, 2, 2),
    ],
)
def test_layer(inputs, outputs, units, groups, words, partial_sums):
    layer = LayerConfig(inputs=inputs, outputs=outputs, units=units)
    assert (layer.groups, layer.words, layer.partial_sums) == (groups, words, partial_sums)


def test_cycles_of_a_stage():
    wide = LayerConfig(inputs=2, outputs=64, units=64)
    # Three words; but numbers come and go one a cycle.
    assert (wide.forward_cycles, wide.backward_cycles, wide.gradient_cycles) == (64, 64, 64)
    narrow = LayerConfig(inputs=2, outputs=7, units=2)
    # A pass over two inputs waits for the adder, four times.
    assert (narrow.forward_cycles, narrow.backward_cycles, narrow.gradient_cycles) == (12, 16, 12)
    least = LayerConfig(inputs=1, outputs=1, units=1)
    # A gradient is wanted again when it has left the adder.
    assert (least.forward_cycles, least.backward_cycles, least.gradient_cycles) == (2, 1, 4)
    square = LayerConfig(inputs=64, outputs=64, units=13)
    assert (square.forward_cycles, square.backward_cycles, square.gradient_cycles) == (325, 320, 325)


def test_layers_of_a_network():
    half = FloatLaneConfig(format=BINARY16)
    network = NetworkConfig(sizes=[4, 64, 2], units=[5, 2], arithmetic=half)
    hidden, output = network.layers
    assert (hidden.inputs, hidden.outputs, hidden.units, hidden.activation) == (4, 64, 5, "relu")
    assert (output.inputs, output.outputs, output.units, output.activation) == (64, 2, 2, "linear")
    assert output.arithmetic is half
    assert network == NetworkConfig(sizes=(4, 64, 2), units=(5, 2), arithmetic=half)
    assert hidden.bias and not any(layer.bias for layer in NetworkConfig(sizes=(1, 1), units=(1,), bias=False).layers)


def test_arrays_of_an_update():
    layer = LayerConfig(inputs=2, outputs=3, units=1)
    assert UpdateStageConfig(layer=layer).arrays == ("weights", "target", "gradients", "first", "second")
    assert UpdateStageConfig(layer=layer, target="none", optimizer="sgd").arrays == ("weights", "gradients")
    with pytest.raises(ValueError, match="^Target must be one of copied, soft, none, not 'hard'$"):
        UpdateStageConfig(layer=layer, target="hard")


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"inputs": 0}, ValueError, "Inputs must be from 1 to 4096, not 0"),
        ({"outputs": 4097}, ValueError, "Outputs must be from 1 to 4096, not 4097"),
        ({"units": 4}, ValueError, "Units must be from 1 to 3, not 4"),
        ({"units": 1.0}, TypeError, "Units must be an integer, not 1.0"),
        ({"activation": "swish"}, ValueError, "Activation must be one of linear, relu, leaky_relu, tanh, not 'swish'"),
        ({"bias": 1}, TypeError, "Bias must be of the kind bool, not 1"),
        ({"parameter_sets": 65}, ValueError, "Parameter sets must be from 1 to 64, not 65"),
        ({"arithmetic": BINARY16}, TypeError, "Arithmetic must be of the kind FloatLaneConfig, not "),
    ],
)
def test_bad_layer(change, error, message):
    with pytest.raises(error, match=f"^{message}"):
        LayerConfig(**{"inputs": 2, "outputs": 3, "units": 1} | change)


def test_bad_network():
    with pytest.raises(ValueError, match="^Sizes must have at least an input and an output, not 1 of them$"):
        NetworkConfig(sizes=(4,), units=())
    with pytest.raises(ValueError, match="^Units must be given for 2 layers, not 1$"):
        NetworkConfig(sizes=(4, 8, 2), units=(1,))
    with pytest.raises(ValueError, match="^Units must be from 1 to 2, not 3$"):
        NetworkConfig(sizes=(4, 8, 2), units=(1, 3))


def test_bad_learner():
    network = NetworkConfig(sizes=(4, 2), units=(1,))
    with pytest.raises(TypeError, match="^Network must be of the kind NetworkConfig, not "):
        DQNLearnerConfig(network=(4, 2))
    with pytest.raises(ValueError, match="^Loss must be one of huber, squared, not 'absolute'$"):
        DQNLearnerConfig(network=network, loss="absolute")
    with pytest.raises(ValueError, match="^Optimizer must be one of adam, sgd, not 'lion'$"):
        DQNLearnerConfig(network=network, optimizer="lion")
    with pytest.raises(ValueError, match="^Interval must be from 1 to 64, not 0$"):
        DQNLearnerConfig(network=network, update_interval=0)


def test_bad_ddpg_learner():
    actor = NetworkConfig(sizes=(3, 5, 2), units=(1, 1))
    with pytest.raises(TypeError, match="^Actor must be of the kind NetworkConfig, not None$"):
        DDPGLearnerConfig(actor=None, critic=actor)
    with pytest.raises(ValueError, match="^Critic must have an input for each observation and action, 5, not 3$"):
        DDPGLearnerConfig(actor=actor, critic=NetworkConfig(sizes=(3, 1), units=(1,)))
    with pytest.raises(ValueError, match="^Critic must have one output, not 2$"):
        DDPGLearnerConfig(actor=actor, critic=NetworkConfig(sizes=(5, 2), units=(1,)))
    half = NetworkConfig(sizes=(5, 1), units=(1,), arithmetic=FloatLaneConfig(format=BINARY16))
    with pytest.raises(ValueError, match="^Critic must have the arithmetic of the actor$"):
        DDPGLearnerConfig(actor=actor, critic=half)
    critic = NetworkConfig(sizes=(5, 1), units=(1,))
    with pytest.raises(ValueError, match="^Loss must be one of huber, squared, not 'absolute'$"):
        DDPGLearnerConfig(actor=actor, critic=critic, loss="absolute")
    with pytest.raises(ValueError, match="^Optimizer must be one of adam, sgd, not 'lion'$"):
        DDPGLearnerConfig(actor=actor, critic=critic, optimizer="lion")
    config = DDPGLearnerConfig(actor=actor, critic=critic, update_interval=3)
    assert (config.observations, config.actions, config.temporal_difference.values) == (3, 2, 1)
    assert config.arrays == ("weights", "target", "gradients", "first", "second")
    assert [(update.layer, update.interval) for update in config.critic_updates] == [(critic.layers[0], 3)]


def test_sac_learner():
    actor, critic = NetworkConfig(sizes=(3, 5, 4), units=(1, 1)), NetworkConfig(sizes=(5, 1), units=(1,))
    config = SACLearnerConfig(actor=actor, critic=critic, update_interval=3)
    assert (config.observations, config.actions, config.squashed_gaussian.actions) == (3, 2, 2)
    assert list(config.networks) == ["actor", "critic_1", "critic_2", "temperature"]
    assert [len(update[0].arrays) for update in config.optimizers.values()] == [4, 5, 5, 4]
    assert [layer.words for layer in config.temperature.layers] == [1]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"actor": None}, TypeError, "Actor must be of the kind NetworkConfig, not None"),
        ({"actor": ((3, 5), {})}, ValueError, "Actor must have a mean and a logarithm for each element, not 5 outputs"),
        ({"critic": ((7, 1), {})}, ValueError, "Critic must have an input for each observation and action, 5, not 7"),
        ({"critic": ((5, 2), {})}, ValueError, "Critic must have one output, not 2"),
        (
            {"critic": ((5, 1), {"arithmetic": FloatLaneConfig(format=BINARY16)})},
            ValueError,
            "Critic must have the arithmetic of the actor",
        ),
        ({"loss": "absolute"}, ValueError, "Loss must be one of huber, squared, not 'absolute'"),
        ({"optimizer": "lion"}, ValueError, "Optimizer must be one of adam, sgd, not 'lion'"),
    ],
)
def test_bad_sac_learner(change, error, message):
    given = {"actor": ((3, 4), {}), "critic": ((5, 1), {})} | change
    made = {
        name: NetworkConfig(sizes=value[0], units=(1,), **value[1]) if isinstance(value, tuple) else value
        for name, value in given.items()
    }
    with pytest.raises(error, match=f"^{message}$"):
        SACLearnerConfig(**made)
