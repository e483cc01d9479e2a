"""UCT as the textbooks have it: one simulation after another, floating point, no device."""

import math

from rewardware.sw.planning.simulation import SimulationTask, simulate


class TextbookNode:
    """A state, and for each action how often it was taken, what it brought, and where it led."""

    def __init__(self, state, legal, player, reward, terminal, actions):
        self.state, self.legal, self.player = state, legal, player
        self.reward, self.terminal = reward, terminal
        self.visits, self.totals, self.children = [0] * actions, [0.0] * actions, {}

    def choose(self, exploration, gaps):
        legal = [action for action in range(len(self.visits)) if self.legal >> action & 1]
        unvisited = [action for action in legal if not self.visits[action]]
        if unvisited:
            return unvisited[0]
        logarithm = math.log(sum(self.visits))
        bounds = {
            action: self.totals[action] / self.visits[action] + exploration * math.sqrt(logarithm / self.visits[action])
            for action in legal
        }
        # Of equal ones max gives the first.
        best = max(legal, key=bounds.__getitem__)
        history = self.visits[best], self.totals[best]
        others = [action for action in legal if (self.visits[action], self.totals[action]) != history]
        gaps.append(min((bounds[best] - bounds[action] for action in others), default=math.inf))
        return best


def textbook_search(environment, state, config):
    """The tree after ``config.simulations``, without limits of depth or size, and the narrowest choice on the way.

    Rewards are scaled as the planner's, rollouts drawn as the planner's. A choice is as narrow as the best bound is
    near to the next of an action with another history.
    """
    environment.restore(state)
    root = TextbookNode(state, environment.legal_actions(), environment.player(), 0.0, False, environment.actions)
    gaps = []
    for number in range(1, config.simulations + 1):
        node, path = root, []
        while not node.terminal:
            action = node.choose(config.exploration, gaps)
            path.append((node, action))
            if action not in node.children:
                task = SimulationTask(
                    number, 0, node.state, action, node.reward, config.rollout_steps, (config.seed, number)
                )
                result = simulate(environment, task)
                node.children[action] = TextbookNode(
                    result.state, result.legal, result.player, result.reward, result.terminal, environment.actions
                )
                total = result.total
                break
            node = node.children[action]
        else:
            total = node.reward
        total *= config.reward_scale
        for above, action in path:
            above.visits[action] += 1
            above.totals[action] += -total if above.player else total
    return root, min(gaps)
