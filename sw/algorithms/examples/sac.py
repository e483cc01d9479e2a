"""SAC on Pendulum, the gradient step written by hand: ``python -m rewardware.sw.algorithms.examples.sac``."""

import copy

import torch

from .. import toolkit as tk


class Learner:
    def __init__(self):
        self.actor, self.critics = tk.perceptron(3, 256, 2), tk.perceptrons(2, 4, 256, 1)
        self.targets, self.rate = copy.deepcopy(self.critics), torch.zeros(1, requires_grad=True)
        self.optimizers = tk.optimizers(2e-3, self.critics, self.actor, self.rate)

    def train(self, batch, step):
        data, weight = tk.columns(batch), self.rate.exp().detach()
        actions, density = tk.draw_squashed(self.actor(data["observation"]))
        following, next_density = tk.draw_squashed(self.actor(data["next_observation"]))
        future = tk.values_of(self.targets, data["next_observation"], following).amin(1, True) - weight * next_density
        targets = data["reward"] + 0.98 * ~data["terminated"] * future.detach()
        errors = tk.values_of(self.critics, data["observation"], data["action"]) - targets
        tk.descend(self.optimizers[0], (data["weights"] * errors.square()).mean())
        values = tk.values_of(self.critics, data["observation"], actions).amin(1, True)
        tk.descend(self.optimizers[1], (weight * density - values).mean())
        tk.descend(self.optimizers[2], -(self.rate * (density.detach() - 1)).mean())
        tk.follow(self.targets, self.critics, 0.01)
        return errors.detach().abs().mean(1).numpy()

    def weights(self):
        return tk.weights_of(self.actor)


def main(steps=10_000):
    learner, config = Learner(), tk.PrioritizedSACConfig(batch_size=64)
    pool = tk.ActorPool("Pendulum-v1", tk.Environment, tk.SquashedGaussian(config, 1), learner.weights())
    with tk.PrioritizedReplayBuffer(1 << 15) as replay, tk.TrainingLoop(pool, replay, learner, config) as loop:
        return loop.run(steps)


if __name__ == "__main__":
    print(main()[-20:])
