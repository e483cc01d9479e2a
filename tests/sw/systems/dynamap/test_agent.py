"""A policy of pixels: training that goes on with the same bits, and play on floating-point numbers and integers."""

import numpy as np
import pytest
from PIL import Image

from rewardware import Dagger, DaggerConfig
from rewardware.sw.core.checkpoint import CheckpointError, read_checkpoint, write_checkpoint
from rewardware.sw.core.environments.failure import EnvironmentFailure
from rewardware.sw.systems.agents import load_agent
from rewardware.sw.systems.dynamap.reference_network import ReferenceNetwork
from tests.sw.algorithms.checkpoints import assert_same_arrays

from .games import SHORT

TINY = {"hidden": 16, "round_steps": 40, "updates": 2, "batch_size": 4, "half_life": 100}


def make(**values):
    return Dagger(SHORT, DaggerConfig(**TINY | values))


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A checkpoint after 120 steps."""
    path = tmp_path_factory.mktemp("policy") / "policy.zip"
    with make() as agent:
        agent.learn(120)
        agent.save(path)
    return path


def test_training_goes_on_with_the_same_bits(trained, tmp_path):
    records = []
    with make() as whole, load_agent(trained) as resumed:
        whole.learn(200, lambda _, record: records.append(record))
        resumed.learn(80)
        for agent in (whole, resumed):
            agent.save(tmp_path / f"{id(agent)}.zip")
        (one, about), (other, also) = (read_checkpoint(tmp_path / f"{id(agent)}.zip") for agent in (whole, resumed))
        assert_same_arrays(one, other)
        assert about == also
        assert whole.learner.data.size == 200 and whole.count == 200
        assert whole.statistics() == resumed.statistics()
    # Cut off after 220 frames of the emulator, 1 to 30 of them in which nothing is done.
    lengths = [record["length"] for record in records if "return" in record]
    assert len(lengths) == 3 and all(47 < length < 56 for length in lengths)
    assert [record["step"] for record in records] == list(range(1, 201))


def test_integers_play_beside_floating_point(trained):
    with load_agent(trained, backend="reference") as agent:
        outcome = agent.evaluation(2)
        lines = agent.describe_evaluation(outcome)
        model = agent.quantized()
    with load_agent(trained, backend="torch") as real:
        alone = real.evaluation(2)
        scores = real.learner.scores(real.learner.data.observations(np.arange(3)))
        pictures = real.learner.data.observations(np.arange(3)).astype(np.float32) / 255
    assert outcome["float32_returns"] == alone["returns"] and outcome["float32_mean"] == alone["mean"]
    assert len(outcome["returns"]) == 2 and "float32_mean" not in alone
    assert 0.5 * outcome["decisions"] < outcome["same_actions"] <= outcome["decisions"] <= 2 * 56
    assert outcome["counters"] == {"saturated": outcome["counters"]["saturated"]}
    assert lines[2].startswith("mean         INT8") and f"of {outcome['decisions']} decisions" in lines[3]
    # The layers in float64 are the policy; the words mean nearly the same.
    for picture, row in zip(pictures, scores, strict=True):
        np.testing.assert_allclose(model.real_outputs(picture)["actions"].reshape(-1), row, atol=1e-5)
        words = model.network.infer(model.network.to_words(picture)).words["actions"]
        assert np.abs(model.network.to_numbers("actions", words).reshape(-1) - row).max() < 0.1 * np.abs(scores).max()


def test_two_backends_are_compared_and_episodes_cut_off(trained):
    with load_agent(trained, backend="lockstep:reference,reference") as agent:
        outcome = agent.evaluation(1, steps=3)
        assert outcome["decisions"] == 3 and outcome["counters"]["lockstep_steps"] == 3
        assert any("3 pictures on" in line for line in agent.describe_evaluation(outcome))
        assert agent.evaluation(1, seed=5, steps=2)["counters"]["lockstep_steps"] == 5


def test_integers_follow_what_was_learned(trained, monkeypatch):
    with load_agent(trained, backend="reference") as agent:
        made, quantized = [], agent.quantized
        monkeypatch.setattr(agent, "quantized", lambda: made.append(quantized()) or made[-1])
        observation = agent.environment.observation
        agent.predict(observation)
        agent.predict(observation)
        assert len(made) == 1 and agent.counters()["saturated"] >= 0
        agent.learn(40)
        agent.predict(observation)
        before, after = (model.network.layers[0].weight_scales for model in made)
        assert not np.array_equal(before, after)


class FakeLink:
    """A link of the user's own, with a device behind it that computes as the reference does."""

    def __init__(self, monkeypatch):
        self.closed = self.networks = 0
        monkeypatch.setattr("rewardware.sw.systems.dynamap.agent.network_on", lambda *_, **options: self.open)

    def open(self, network):
        assert not self.closed
        self.networks += 1
        running = ReferenceNetwork(network)
        running.close = self.close
        return running

    def close(self):
        self.closed += 1


def test_a_link_of_ones_own_stays_open_for_what_is_learned(trained, monkeypatch):
    link = FakeLink(monkeypatch)
    with load_agent(trained, backend="transport", transport=link) as agent:
        for _ in range(2):
            agent.predict(agent.environment.observation)
            agent.learn(40)
        assert (link.networks, link.closed) == (2, 0)
    assert link.closed == 1
    unused = FakeLink(monkeypatch)
    load_agent(trained, backend="transport", transport=unused).close()
    assert (unused.networks, unused.closed) == (0, 1)


def test_a_game_is_drawn_in_its_own_colours(trained, tmp_path):
    with load_agent(trained) as agent:
        agent.film(tmp_path / "game.gif")
    with Image.open(tmp_path / "game.gif") as film:
        assert film.size == (160, 210) and len(film.convert("RGB").getcolors()) > 5


def test_an_environment_that_fails_leaves_everything_as_it_was(monkeypatch):
    with make() as agent:
        generator = agent.learner.generator.bit_generator.state
        monkeypatch.setattr(agent.environment.env, "step", lambda action: 1 / 0)
        with pytest.raises(EnvironmentFailure, match="Step 1 of episode 0: ZeroDivisionError"):
            agent.learn(1)
        assert agent.learner.generator.bit_generator.state == generator
        assert agent.num_timesteps == agent.learner.data.size == 0


def test_refusals(trained, tmp_path):
    with pytest.raises(ValueError, match="There is no rule to learn 'carnival' from"):
        Dagger("ALE/Carnival-v5")
    with pytest.raises(ValueError, match="Backend must be torch, reference, rtl, lockstep, uart.*, not 'gpu'"):
        Dagger(SHORT, backend="gpu")
    with pytest.raises(ValueError, match="Backend 'torch' has no accelerator"):
        Dagger(SHORT, hardware={})
    with make() as agent:
        agent.backend = "reference"
        with pytest.raises(ValueError, match="The policy must see observations"):
            agent.predict(agent.environment.observation)
    arrays, about = read_checkpoint(trained)
    write_checkpoint(tmp_path / "other.zip", arrays, {**about, "config": about["config"] | {"hidden": 8}})
    with pytest.raises(CheckpointError, match="The state of network does not fit this network"):
        Dagger.load(tmp_path / "other.zip")
