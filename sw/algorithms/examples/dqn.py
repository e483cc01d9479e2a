"""DQN on CartPole, the gradient step written by hand: ``python -m rewardware.sw.algorithms.examples.dqn``."""

import torch
from torch import nn

from ..toolkit import ActorPool, DiscreteEnvironment, DQNConfig, EpsilonGreedy, PrioritizedReplayBuffer, TrainingLoop

torch.set_num_threads(1)  # best for networks of this size


class Learner:
    def __init__(self):
        self.online, self.target = (nn.Sequential(nn.Linear(4, 64), nn.ReLU(), nn.Linear(64, 2)) for _ in range(2))
        self.optimizer = torch.optim.Adam(self.online.parameters())

    def train(self, batch, step):
        data = {name: torch.from_numpy(values) for name, values in batch.experiences.items()}
        with torch.no_grad():
            future = self.target(data["next_observation"]).amax(1) * ~data["terminated"]
        values = self.online(data["observation"]).gather(1, data["action"].unsqueeze(1)).squeeze(1)
        errors = values - (data["reward"] + 0.99 * future)
        self.optimizer.zero_grad()
        (torch.from_numpy(batch.weights) * errors.square()).mean().backward()
        self.optimizer.step()
        for old, new in zip(self.target.parameters(), self.online.parameters(), strict=True):
            old.data.lerp_(new.data, 0.01)
        return errors.detach().abs().numpy()

    def weights(self):
        return [parameter.detach().numpy() for parameter in self.online.parameters()]


def main(steps=30_000):
    learner, config = Learner(), DQNConfig()
    pool = ActorPool("CartPole-v1", DiscreteEnvironment, EpsilonGreedy(config, 2), learner.weights(), actors=2)
    with PrioritizedReplayBuffer(1 << 15) as replay, TrainingLoop(pool, replay, learner, config) as loop:
        return loop.run(steps)


if __name__ == "__main__":
    print(main()[-20:])
