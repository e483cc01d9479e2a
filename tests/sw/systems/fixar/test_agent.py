"""The agent: Stable-Baselines3's conventions, what it stores, and going on bit-identically."""

import numpy as np
import pytest

from rewardware.hw.soc.presets import load_preset
from rewardware.sw.algorithms.ddpg_config import DDPGConfig
from rewardware.sw.core.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from rewardware.sw.core.environments.failure import EnvironmentFailure
from rewardware.sw.systems.fixar.agent import FixarDDPG
from tests.sw.core.environments.environments import Drift

BACKENDS = ("torch", "reference")
CONFIG = DDPGConfig(hidden_sizes=(11, 7), batch_size=13, learning_starts=20, learning_rate=1e-3, reward_scale=0.5)


def make(backend: str, env="Pendulum-v1", **changes) -> FixarDDPG:
    config = DDPGConfig.from_mapping({**CONFIG.to_mapping(), **changes})
    return FixarDDPG(env, config, hardware="tiny", backend=backend)


def assert_same(one: FixarDDPG, other: FixarDDPG) -> None:
    left, right = one.learner.save(), other.learner.save()
    assert left.keys() == right.keys()
    for name in left:
        assert np.array_equal(left[name], right[name]), name
    assert np.array_equal(one.environment.observation, other.environment.observation)
    assert one.num_timesteps == other.num_timesteps


@pytest.mark.parametrize("backend", BACKENDS)
def test_predict_gives_actions_in_bounds_for_one_or_many(backend):
    agent = make(backend)
    observation = agent.environment.observation
    action, state = agent.predict(observation)
    assert action.shape == (1,) and state is None
    many, _ = agent.predict(np.stack([observation] * 3))
    assert many.shape == (3, 1) and np.array_equal(many[1], action)
    noisy = [agent.predict(observation, deterministic=False)[0] for _ in range(50)]
    assert 0.1 < np.std(noisy) < 0.4 and np.abs(noisy).max() <= 2
    with pytest.raises(ValueError, match=r"An observation must be a vector of 3 or rows of such, not \(4,\)"):
        agent.predict(np.zeros(4))


@pytest.mark.parametrize("backend", BACKENDS)
def test_resumed_training_is_bit_identical(backend, tmp_path):
    changes = {"quantization_delay": 55, "range_margin": 2.5} if backend == "reference" else {}
    straight = make(backend, **changes).learn(90)
    for cut in (10, 40, 70):  # in the warm-up, before the quantisation and after it
        make(backend, **changes).learn(cut).save(tmp_path / "a.zip")
        assert_same(straight, FixarDDPG.load(tmp_path / "a.zip").learn(90 - cut))


@pytest.mark.parametrize("backend", BACKENDS)
def test_evaluation_and_prediction_do_not_change_training(backend):
    quiet, busy = make(backend).learn(40), make(backend).learn(30)
    busy.evaluate(1)
    busy.predict(np.zeros(3))
    assert_same(quiet, busy.learn(10))


def test_evaluation_starts_from_the_same_states():
    agent = make("torch")
    assert np.array_equal(agent.evaluate(3), agent.evaluate(3))
    assert np.array_equal(agent.evaluate(2, random=True), make("torch", seed=3).evaluate(2, random=True))


def test_seed_decides_everything():
    assert_same(make("torch").learn(40), make("torch").learn(40))
    one, other = make("torch").learn(40), make("torch", seed=1).learn(40)
    assert not np.array_equal(one.learner.save()["actor.0.weight"], other.learner.save()["actor.0.weight"])


def test_terminated_ends_the_future_and_truncated_does_not():
    agent = make("torch", Drift(length=9), gamma=0.9)
    agent.learn(300)
    kept, _ = agent.replay_buffer.state()
    outside = np.abs(kept["next_observations"]).max(1) > 3
    assert len(outside) == 300 and outside.any() and not outside.all()
    assert np.array_equal(kept["discounts"] == 0, outside)
    assert set(np.unique(kept["discounts"])) == {np.float32(0), np.float32(0.9)}


def test_stored_are_unscaled_actions_scaled_rewards_and_what_followed():
    agent = make("torch", Drift())
    agent.learn(60)
    kept, _ = agent.replay_buffer.state()
    assert len(kept["actions"]) == 60 and np.abs(kept["actions"]).max() <= 1
    moved = kept["next_observations"] - kept["observations"]
    # The environment adds a tenth of the action in its own units, and a little noise.
    assert np.abs(moved - 0.1 * agent.environment.unscale(kept["actions"])).max() < 0.06
    assert np.allclose(kept["rewards"], -0.5 * np.abs(kept["next_observations"]).sum(1), atol=1e-6)


def test_callback_sees_episodes_and_can_stop():
    records = []

    def callback(agent, record):
        records.append(record)
        return record["step"] < 30

    agent = make("torch", Drift(length=6)).learn(100, callback)
    assert agent.num_timesteps == 30 and len(records) == 30
    lengths = [record["length"] for record in records if "return" in record]
    assert lengths and max(lengths) <= 6
    assert all(("error" in record) == (record["step"] > 20) for record in records)


def test_first_weights_are_the_same_on_every_backend():
    for name in ("actor", "critic"):
        layers = [make(backend).learner.layers(name) for backend in BACKENDS]
        for one, other in zip(*layers, strict=True):
            for left, right in zip(one, other, strict=True):
                assert np.abs(left - right).max() <= 2**-24


def test_preset_and_environment_give_hyper_parameters():
    agent = FixarDDPG("Pendulum-v1", hardware="small")
    assert agent.config.hidden_sizes == (64, 48) and agent.config.reward_scale == 0.1


def test_checkpoint_of_another_configuration_is_refused(tmp_path):
    make("reference").save(tmp_path / "a.zip")
    expected = load_preset("tiny").configuration_hash
    with pytest.raises(CheckpointError, match=f"is of a configuration with hash {expected:#010x}; this one has"):
        FixarDDPG.load(tmp_path / "a.zip", hardware="small")
    with pytest.raises(CheckpointError, match="is of backend 'reference' and cannot go on as 'torch'"):
        FixarDDPG.load(tmp_path / "a.zip", backend="torch")
    with pytest.raises(ValueError):
        FixarDDPG.load(tmp_path / "a.zip", env="MountainCarContinuous-v0")


@pytest.mark.parametrize("missing", ["tally", "replay/actions"])
def test_checkpoint_that_lacks_something_names_it_and_the_versions(missing, tmp_path):
    path = tmp_path / "a.zip"
    make("torch").save(path)
    arrays, about = read_checkpoint(path)
    version = about["rewardware"]
    arrays.pop(missing, None)
    rest = {name: about[name] for name in about if name not in ("format", "version", "arrays", missing)}
    write_checkpoint(path, arrays, {**rest, "rewardware": "0.0.9"})
    written = "written by version 0.0.9 of rewardware and cannot go on in version"
    with pytest.raises(CheckpointError, match=f"a.zip lacks .*{missing.split('/')[-1]}.*: it was {written} {version}"):
        FixarDDPG.load(path)


def test_checkpoint_of_an_unregistered_environment_needs_it(tmp_path):
    make("torch", Drift()).learn(30).save(tmp_path / "a.zip")
    with pytest.raises(CheckpointError, match="is not registered: give the environment"):
        FixarDDPG.load(tmp_path / "a.zip")
    assert_same(make("torch", Drift()).learn(45), FixarDDPG.load(tmp_path / "a.zip", env=Drift()).learn(15))


def test_unregistered_environment_needs_another_to_evaluate_in():
    with pytest.raises(ValueError, match="give an evaluation_env"):
        make("torch", Drift()).evaluate(1)
    agent = FixarDDPG(Drift(), CONFIG, backend="torch", evaluation_env=Drift())
    assert len(agent.evaluate(2)) == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"hidden_sizes": (400, 300)}, "tiny"),
        ({"batch_size": 78}, "Batch must be from 1 to 77 in configuration tiny, not 78"),
    ],
)
def test_what_does_not_fit_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        make("reference", **changes)


def test_ranges_are_frozen_once_though_the_environment_fails_in_that_step(tmp_path, monkeypatch):
    """With a margin, ranges frozen twice would be wider."""
    delay = {"quantization_delay": 25, "range_margin": 4.0}
    with make("reference", **delay) as straight, make("reference", **delay) as broken:
        straight.learn(25)
        straight.learner.freeze(16)
        broken.learn(25)
        with monkeypatch.context() as patch:
            patch.setattr(broken.environment.env, "step", lambda action: 1 / 0)
            with pytest.raises(EnvironmentFailure, match="ZeroDivisionError"):
                broken.learn(1)
        broken.save(tmp_path / "a.zip")
        ranges = {name: value for name, value in straight.learner.save().items() if name.startswith("range/")}
        assert ranges
        with FixarDDPG.load(tmp_path / "a.zip") as resumed:
            monkeypatch.setattr(resumed.learner, "freeze", lambda bits: pytest.fail("frozen again"))
            for agent in (broken, resumed):
                found = agent.learner.save()
                assert all(np.array_equal(value, found[name]) for name, value in ranges.items())
            assert resumed.learn(3).num_timesteps == 28
