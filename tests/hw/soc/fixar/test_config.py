"""Configuration, network shapes and rates of FIXAR."""

import dataclasses

import pytest

from rewardware.hw.soc.fixar.config import FixarConfig, Networks, Rates

FIELDS = {
    "cores": 3, "lanes": 6, "vectors": 12, "weight_rows": 204, "activation_rows": 1200, "error_rows": 1080,
    "accumulator_depth": 37, "batch_limit": 77,
}  # fmt: skip


@pytest.mark.parametrize(
    "field, value, error, words",
    [
        ("cores", 0, ValueError, "Cores must be from 1 to 62, not 0"),
        ("cores", 2.0, TypeError, "Cores must be an integer, not 2.0"),
        ("lanes", 5, ValueError, "Lanes must be from 2 to 32 and a multiple of 2, not 5"),
        ("vectors", 18, ValueError, "Vectors must be from 12 to 1023 and a multiple of 12, not 18"),
        ("weight_rows", 205, ValueError, "Weight rows must be from 6 to 32768 and a multiple of 6, not 205"),
        ("accumulator_depth", 11, ValueError, "Accumulator depth must be from 12 to 1024, not 11"),
        ("batch_limit", True, TypeError, "Batch limit must be an integer, not True"),
        ("instruction_depth", 100, ValueError, "Instruction depth must be a power of two, not 100"),
        ("activation_fraction", 16, ValueError, "Activation fraction must be from 20 to 20, not 16"),
        ("system", "other", ValueError, "System must be fixar, not other"),
        ("name", 3, TypeError, "Name must be a string, not 3"),
    ],
)
def test_fields_are_checked(field, value, error, words):
    with pytest.raises(error, match=words):
        FixarConfig(**{**FIELDS, field: value})


def test_configuration_hash_is_of_the_hardware_alone():
    config = FixarConfig(**FIELDS)
    assert 0 <= config.configuration_hash < 1 << 32
    for same in ({"name": "other"}, {"batch_limit": 5}):
        assert dataclasses.replace(config, **same).configuration_hash == config.configuration_hash
    others = [dataclasses.replace(config, **{field: FIELDS[field] + 12}) for field in ("cores", "weight_rows")]
    assert len({config.configuration_hash, *(other.configuration_hash for other in others)}) == 3


@pytest.mark.parametrize("batch, sizes", [(1, [1]), (36, [36]), (77, [36, 36, 5])])
def test_chunks(batch, sizes):
    assert FixarConfig(**FIELDS).chunks(batch) == sizes


@pytest.mark.parametrize("size, expected", [(36, (12, 3)), (35, (12, 2)), (34, (12, 1)), (33, (11, 3)), (1, (1, 1))])
def test_samples_of_the_cores(size, expected):
    assert FixarConfig(**FIELDS).core_samples(size) == expected


def test_layers():
    networks = Networks(observation_size=17, action_size=6, hidden_sizes=[400, 300])
    shapes = [(layer.inputs, layer.outputs, layer.first) for layer in networks.layers("target_actor")]
    assert shapes == [(23, 400, 6), (400, 300, 0), (300, 6, 0)]
    shapes = [(layer.inputs, layer.outputs, layer.first) for layer in networks.layers("critic")]
    assert shapes == [(23, 400, 0), (400, 300, 0), (300, 1, 0)]


@pytest.mark.parametrize(
    "fields, error, words",
    [
        ({"hidden_sizes": ()}, ValueError, "Hidden sizes must name at least one layer"),
        ({"hidden_sizes": (512,)}, ValueError, "Hidden size must be from 1 to 511, not 512"),
        ({"hidden_sizes": 64}, TypeError, "Hidden sizes must be a sequence of integers, not 64"),
        ({"observation_size": 0}, ValueError, "Observation size must be from 1 to 511, not 0"),
        ({"observation_size": 500, "action_size": 12}, ValueError, "511 or less together, not 512"),
    ],
)
def test_networks_are_checked(fields, error, words):
    with pytest.raises(error, match=words):
        Networks(**{"observation_size": 3, "action_size": 1, **fields})


def test_rates():
    rates = Rates.of(learning_rate_actor=0.5, learning_rate_critic=0.25, tau=0.5, epsilon=1.0 / 256, noise=0.5)
    assert rates.learning_rate_actor == 1 << 31 and rates.learning_rate_critic == 1 << 30
    assert rates.tau == rates.noise_scale == 1 << 19
    assert rates.epsilon_squared == 1 << 16
    assert Rates.of(epsilon=0.0).epsilon_squared == 1
    with pytest.raises(ValueError, match="tau must be from 0 to 1, not nan"):
        Rates.of(tau=float("nan"))
    with pytest.raises(TypeError, match="beta1 must be a number, not '0.9'"):
        Rates.of(beta1="0.9")
    with pytest.raises(ValueError, match="Epsilon squared must be from 1 to 4294967295, not 0"):
        dataclasses.replace(rates, epsilon_squared=0)
