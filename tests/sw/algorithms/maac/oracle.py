"""MAAC written again, an agent, a head and an experience's other agents at a time, for PyTorch's autograd."""

import torch
from torch.distributions import Categorical
from torch.nn.functional import leaky_relu, linear, softmax

__all__ = ["Oracle", "drawn_with"]


def drawn_with(probabilities, uniform):
    """The first action whose cumulative probability exceeds the number."""
    total = 0.0
    for action, probability in enumerate(probabilities):
        total += probability.item()
        if total > uniform:
            return action
    return max(action for action, probability in enumerate(probabilities) if probability > 0)


class Oracle:
    """Networks of agents without padding, cut out of a backend's arrays.

    Parameters
    ----------
    shape
        Sizes.
    networks
        Arrays as `MAACUpdate.save` names them.
    """

    def __init__(self, shape, networks):
        self.shape = shape
        self.leaves = {name: torch.tensor(values, requires_grad=True) for name, values in networks.items()}

    def layer(self, network, name, agent, inputs, rows, columns):
        """A linear layer of an agent, of the rows and columns that it has."""
        weight = self.leaves[f"{network}.{name}.weight"][agent][rows][:, columns]
        return linear(inputs, weight.T, self.leaves[f"{network}.{name}.bias"][agent][columns])

    def probabilities(self, network, agent, observations):
        """Probabilities of an agent's actions, for its observations without padding."""
        size, count, hidden = self.shape.sizes[agent], self.shape.counts[agent], range(self.shape.hidden_size)
        first = leaky_relu(self.layer(network, "first", agent, observations, range(size), hidden))
        second = leaky_relu(self.layer(network, "second", agent, first, hidden, hidden))
        return softmax(self.layer(network, "third", agent, second, hidden, range(count)), -1)

    def values(self, network, observations, actions):
        """Values of each agent's actions, from lists of observations and numbers of actions, an agent each."""
        shape, hidden = self.shape, range(self.shape.hidden_size)
        embeddings, states = [], []
        for agent, (seen, action) in enumerate(zip(observations, actions, strict=True)):
            size, count = shape.sizes[agent], shape.counts[agent]
            both = torch.cat((seen, torch.eye(count)[action]), 1)
            rows = [*range(size), *range(shape.observation_size, shape.observation_size + count)]
            embeddings.append(leaky_relu(self.layer(network, "embedding", agent, both, rows, hidden)))
            states.append(leaky_relu(self.layer(network, "state", agent, seen, range(size), hidden)))
        found = []
        for agent in range(shape.agents):
            others = [embeddings[other] for other in range(shape.agents) if other != agent]
            messages = []
            for head in range(shape.heads):
                key, query, value = (
                    self.leaves[f"{network}.{name}.weight"][head] for name in ("key", "query", "value")
                )
                asked = states[agent] @ query
                scores = torch.stack([(asked * (other @ key)).sum(1) for other in others], 1) / shape.key_size**0.5
                told = [leaky_relu(other @ value + self.leaves[f"{network}.value.bias"][head]) for other in others]
                weights = softmax(scores, 1)
                messages.append(sum(weights[:, [number]] * said for number, said in enumerate(told)))
            inputs = torch.cat((states[agent], *messages), 1)
            rows = range(2 * shape.hidden_size)
            layer = leaky_relu(self.layer(network, "hidden", agent, inputs, rows, hidden))
            found.append(self.layer(network, "output", agent, layer, hidden, range(shape.counts[agent])))
        return found

    def losses(self, batch, config):
        """The critic's loss, and the sum of the policies' losses."""
        agents = range(self.shape.agents)

        def cut(values):
            return [torch.from_numpy(values[:, agent, : self.shape.sizes[agent]]) for agent in agents]

        def act(network, seen, uniforms):
            probabilities = [self.probabilities(network, agent, seen[agent]) for agent in agents]
            rows = range(len(uniforms))
            choices = [
                torch.tensor([drawn_with(probabilities[agent][row], uniforms[row, agent]) for row in rows])
                for agent in agents
            ]
            logs = [Categorical(probabilities[agent]).log_prob(choices[agent]) for agent in agents]
            return probabilities, choices, logs

        seen, following = cut(batch.observations), cut(batch.next_observations)
        taken = [torch.from_numpy(batch.actions[:, agent].argmax(1)) for agent in agents]
        values = self.values("critic", seen, taken)
        _, choices, logs = act("target_policy", following, batch.next_uniforms)
        next_values = self.values("target_critic", following, choices)
        critic_loss = 0.0
        for agent in agents:
            after = next_values[agent].gather(1, choices[agent][:, None])[:, 0] - logs[agent] / config.reward_scale
            left = torch.from_numpy(1 - batch.finished[:, agent])
            target = torch.from_numpy(batch.rewards[:, agent]) + config.gamma * left * after
            value = values[agent].gather(1, taken[agent][:, None])[:, 0]
            critic_loss = critic_loss + ((value - target.detach()) ** 2).mean()
        probabilities, choices, logs = act("policy", seen, batch.uniforms)
        values = self.values("critic", seen, choices)
        policy_loss = 0.0
        for agent in agents:
            value = values[agent].gather(1, choices[agent][:, None])[:, 0]
            advantage = value - (probabilities[agent] * values[agent]).sum(1)
            policy_loss = policy_loss + (logs[agent] * (logs[agent] / config.reward_scale - advantage).detach()).mean()
        return critic_loss, policy_loss
