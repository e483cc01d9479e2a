"""Gradient steps of DDPG and SAC against autograd, how learners go on, and what actors do."""

import copy
import math

import numpy as np
import pytest
import torch

from rewardware.sw.algorithms.actor_critic_config import PrioritizedDDPGConfig, PrioritizedSACConfig
from rewardware.sw.algorithms.ddpg_learner import DDPGLearner
from rewardware.sw.algorithms.policies import NoisyActor, SquashedGaussian
from rewardware.sw.algorithms.replay_buffer import Batch
from rewardware.sw.algorithms.sac_learner import SACLearner

BATCH, SIZES, SEED = 13, (3, 2), 5
SETTINGS = {"hidden_sizes": (11, 7), "learning_rate": 2e-3, "critic_learning_rate": 3e-3, "tau": 0.1, "gamma": 0.9}
CONFIGS = {
    DDPGLearner: PrioritizedDDPGConfig(**SETTINGS),
    SACLearner: PrioritizedSACConfig(**SETTINGS, temperature=0.3, target_entropy=-0.7),
}


def make(kind):
    learner = kind(*SIZES, CONFIGS[kind], SEED)
    generator = np.random.default_rng(1)
    # Larger than as they begin, so that every term counts, logarithms beyond their bounds and all.
    for network in (learner.actor, *learner.critics, *learner.target_critics):
        for parameter in network.parameters:
            parameter.data += torch.from_numpy(generator.normal(0, 0.4, parameter.shape).astype(np.float32))
    learner.actor.parameters[-1].data[-1] += 2
    return learner


def batch_of(generator):
    data = {
        "observation": generator.normal(size=(BATCH, 3)).astype(np.float32),
        "action": generator.uniform(-1, 1, (BATCH, 2)).astype(np.float32),
        "reward": generator.normal(0, 2, BATCH).astype(np.float32),
        "next_observation": generator.normal(size=(BATCH, 3)).astype(np.float32),
        "terminated": generator.random(BATCH) < 0.3,
    }
    return Batch(data, np.arange(BATCH), generator.random(BATCH).astype(np.float32))


class Oracle:
    """The published step in float64, by autograd and `torch.optim.Adam`."""

    def __init__(self, learner):
        def twin(network):
            return copy.deepcopy(network.module).double().requires_grad_()

        config = self.config = learner.config
        self.actor, self.critics = twin(learner.actor), [twin(critic) for critic in learner.critics]
        self.targets = [twin(critic) for critic in learner.target_critics]
        self.target_actor = twin(getattr(learner, "target_actor", learner.actor))
        self.logarithm = torch.tensor([math.log(0.3)], dtype=torch.float64, requires_grad=True)
        self.optimizers = [
            torch.optim.Adam(self.actor.parameters(), config.learning_rate),
            torch.optim.Adam([p for critic in self.critics for p in critic.parameters()], config.critic_rate),
            torch.optim.Adam([self.logarithm], config.learning_rate),
        ]
        self.noise = torch.Generator().manual_seed(SEED)

    def step(self, number, loss):
        self.optimizers[number].zero_grad()
        loss.backward()
        self.optimizers[number].step()

    def drawn(self, observations):
        mean, logarithm = self.actor(observations).chunk(2, 1)
        normal = torch.distributions.Normal(mean, logarithm.clamp(-20, 2).exp())
        before = normal.mean + normal.stddev * torch.randn(mean.shape, generator=self.noise)
        return before.tanh(), (normal.log_prob(before) - (1 - before.tanh() ** 2).log()).sum(1, keepdim=True)

    def learn_values(self, data, weights, future):
        targets = data["reward"][:, None] + self.config.gamma * torch.where(data["terminated"][:, None], 0, future)
        inputs = torch.cat((data["observation"], data["action"]), 1)
        errors = [critic(inputs) - targets.detach() for critic in self.critics]
        self.step(1, sum((0.5 * weights[:, None] * error**2).mean() for error in errors))
        return torch.stack(errors).abs().mean(0)[:, 0].detach().numpy()

    def follow(self, target, leader):
        for old, new in zip(target.parameters(), leader.parameters(), strict=True):
            old.data += self.config.tau * (new.data - old.data)

    def train(self, batch):
        data = {name: torch.from_numpy(np.asarray(values)) for name, values in batch.experiences.items()}
        data = {name: values.double() if values.is_floating_point() else values for name, values in data.items()}
        weights = torch.from_numpy(batch.weights).double()
        errors = (self.train_sac if isinstance(self.config, PrioritizedSACConfig) else self.train_ddpg)(data, weights)
        for target, critic in zip(self.targets, self.critics, strict=True):
            self.follow(target, critic)
        return errors

    def train_ddpg(self, data, weights):
        actions = self.target_actor(data["next_observation"]).tanh()
        errors = self.learn_values(data, weights, self.targets[0](torch.cat((data["next_observation"], actions), 1)))
        actions = self.actor(data["observation"]).tanh()
        self.step(0, -self.critics[0](torch.cat((data["observation"], actions), 1)).mean())
        self.follow(self.target_actor, self.actor)
        return errors

    def train_sac(self, data, weights):
        actions, density = self.drawn(data["observation"])
        temperature = self.logarithm.exp().detach()
        self.step(2, -(self.logarithm * (density.detach() + self.config.target_entropy)).mean())
        with torch.no_grad():
            following, next_density = self.drawn(data["next_observation"])
            inputs = torch.cat((data["next_observation"], following), 1)
            future = torch.minimum(*(target(inputs) for target in self.targets)) - temperature * next_density
        errors = self.learn_values(data, weights, future)
        inputs = torch.cat((data["observation"], actions), 1)
        self.step(0, (temperature * density - torch.minimum(*(critic(inputs) for critic in self.critics))).mean())
        return errors


@pytest.mark.parametrize("kind", list(CONFIGS))
def test_steps_are_those_of_the_algorithm(kind):
    learner, generator = make(kind), np.random.default_rng(0)
    oracle = Oracle(learner)
    for step in range(6):
        batch = batch_of(generator)
        errors = learner.train(learner.prepare(batch), step)
        assert errors.dtype == np.float32 and np.allclose(errors, oracle.train(batch), rtol=1e-3, atol=2e-4)
        pairs = [(learner.actor, oracle.actor)]
        pairs += zip((*learner.critics, *learner.target_critics), (*oracle.critics, *oracle.targets), strict=True)
        for network, expected in pairs:
            for found, told in zip(network.parameters, expected.parameters(), strict=True):
                # A hundredth of a step of Adam.
                assert np.allclose(found.detach(), told.detach(), atol=2e-5 * (step + 1))
    if kind is SACLearner:
        assert np.isclose(learner.logarithm.item(), oracle.logarithm.item(), atol=2e-5)
        assert learner.logarithm.item() != math.log(0.3)


@pytest.mark.parametrize("kind", list(CONFIGS))
def test_a_loaded_learner_goes_on_identically(kind):
    one, other, generator = make(kind), kind(*SIZES, CONFIGS[kind], 9), np.random.default_rng(0)
    for step in range(6):
        if step == 3:
            other.load(one.save())
        batch = batch_of(generator)
        errors = one.train(batch, step)
        if step >= 3:
            assert np.array_equal(errors, other.train(batch, step))
    left, right = one.save(), other.save()
    assert left.keys() == right.keys() and all(np.array_equal(left[name], right[name]) for name in left)


def test_policies_draw_what_their_distributions_say():
    generator, observations = np.random.default_rng(0), np.zeros((40_000, 3), np.float32)
    # A network that has its biases alone: means 0.3 and -0.8, logarithms of deviations -1 and -3.
    ddpg = [np.zeros((2, 3), np.float32), np.array([0.3, -0.8], np.float32)]
    sac = [np.zeros((4, 3), np.float32), np.array([0.3, -0.8, -1, -3], np.float32)]
    for policy in (NoisyActor(CONFIGS[DDPGLearner], 2), SquashedGaussian(CONFIGS[SACLearner], 2)):
        actions = policy(ddpg, observations, 99, generator)
        assert actions.dtype == np.float32 and np.abs(actions).max() <= 1
        assert np.allclose(actions.mean(0), 0, atol=0.02) and np.allclose(actions.var(0), 1 / 3, atol=0.02)
    actions = NoisyActor(CONFIGS[DDPGLearner], 2)(ddpg, observations, 100, generator)
    assert np.allclose(actions.mean(0), np.tanh([0.3, -0.8]), atol=0.01) and np.allclose(actions.std(0), 0.1, atol=0.01)
    before = np.arctanh(SquashedGaussian(CONFIGS[SACLearner], 2)(sac, observations, 100, generator).astype(np.float64))
    assert np.isclose(before[:, 0].mean(), 0.3, atol=0.02) and np.isclose(before[:, 0].std(), np.exp(-1), atol=0.01)
    assert np.isclose(before[:, 1].mean(), -0.8, atol=0.01) and np.isclose(before[:, 1].std(), np.exp(-3), atol=0.01)


@pytest.mark.parametrize(
    ("kind", "settings", "words"),
    [
        (PrioritizedDDPGConfig, {"noise_scale": 1.5}, r"noise_scale must be in \[0, 1\], not 1.5"),
        (PrioritizedDDPGConfig, {"critic_learning_rate": 0}, r"critic_learning_rate must be in \(0, 1\), not 0"),
        (PrioritizedSACConfig, {"tau": 0}, r"tau must be in \(0, 1\], not 0"),
        (PrioritizedSACConfig, {"temperature": 0}, r"temperature must be in \(0, inf\), not 0"),
        (PrioritizedSACConfig, {"target_entropy": math.nan}, r"target_entropy must be in \(-inf, inf\), not nan"),
    ],
)
def test_what_means_nothing_is_refused(kind, settings, words):
    with pytest.raises(ValueError, match=words):
        kind(**settings)
