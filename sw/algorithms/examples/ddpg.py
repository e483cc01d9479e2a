"""DDPG on Pendulum, the gradient step written by hand: ``python -m rewardware.sw.algorithms.examples.ddpg``."""

import copy

import torch

from .. import toolkit as tk


class Learner:
    def __init__(self):
        self.networks = torch.nn.ModuleList([tk.perceptron(3, 256, 1), tk.perceptron(4, 256, 1)])
        self.targets = copy.deepcopy(self.networks)
        self.optimizers = tk.optimizers(2e-3, *self.networks)

    def value(self, networks, observations):
        return tk.values_of(networks[1:], observations, networks[0](observations).tanh())

    def train(self, batch, step):
        data = tk.columns(batch)
        with torch.no_grad():
            future = self.value(self.targets, data["next_observation"]) * ~data["terminated"]
        values = tk.values_of(self.networks[1:], data["observation"], data["action"])
        errors = values - (data["reward"] + 0.98 * future)
        tk.descend(self.optimizers[1], (data["weights"] * errors.square()).mean())
        tk.descend(self.optimizers[0], -self.value(self.networks, data["observation"]).mean())
        tk.follow(self.targets, self.networks, 0.01)
        return errors.detach().abs().mean(1).numpy()

    def weights(self):
        return tk.weights_of(self.networks[0])


def main(steps=10_000):
    learner, config = Learner(), tk.PrioritizedDDPGConfig(batch_size=64)
    pool = tk.ActorPool("Pendulum-v1", tk.Environment, tk.NoisyActor(config, 1), learner.weights())
    with tk.PrioritizedReplayBuffer(1 << 15) as replay, tk.TrainingLoop(pool, replay, learner, config) as loop:
        return loop.run(steps)


if __name__ == "__main__":
    print(main()[-20:])
