"""UCT and PUCT as the textbooks have them: one simulation after another, floating point, no device."""

import math

from rewardware.sw.actors.simulation import SimulationTask, simulate


def _logarithm(count):
    return math.log(max(count, 1))


# Under the root, by the visits of a node.
SPREADS = {"uct": _logarithm, "puct": _logarithm, "puct_root": float, "puct_visits": lambda count: count + 1}


class TextbookNode:
    """A state, and for each action how often it was taken, what it brought, and where it led."""

    def __init__(self, state, legal, player, reward, terminal, priors):
        self.state, self.legal, self.player = state, legal, player
        self.reward, self.terminal, self.priors = reward, terminal, priors
        self.visits, self.totals, self.children = [0] * len(priors), [0.0] * len(priors), {}

    def choose(self, policy, config, gaps):
        legal = [action for action in range(len(self.visits)) if self.legal >> action & 1]
        unvisited = [action for action in legal if not self.visits[action]]
        if unvisited and policy == "uct":
            return unvisited[0]
        count = sum(self.visits)
        spread = SPREADS[policy](count)
        bounds, histories = {}, {}
        for action in legal:
            visits, prior = self.visits[action], self.priors[action]
            mean = self.totals[action] / visits if visits else config.first_value
            root = math.sqrt(spread / visits) if policy == "uct" else prior * math.sqrt(spread) / (1 + visits)
            bounds[action] = mean + config.exploration * root
            histories[action] = visits, self.totals[action], prior * spread
        # max gives the first of equal ones.
        best = max(legal, key=bounds.__getitem__)
        others = [action for action in legal if histories[action] != histories[best]]
        gaps.append(min((bounds[best] - bounds[action] for action in others), default=math.inf))
        return best


def textbook_search(environment, state, config, policy="uct", evaluator=None):
    """The tree after ``config.simulations``, without limits of depth or size, and the narrowest choice on the way.

    Rewards are scaled as the planner's, rollouts drawn as the planner's. A choice is as narrow as the best bound is
    near to the next of an action with another history. ``evaluator`` gives priors, which have to add up to 1, and a
    value instead of a rollout; ``policy`` is a name of :class:`TreeConfig`'s.
    """

    def look(state, terminal):
        """Priors and value."""
        if evaluator is None or terminal:
            return [0.0] * environment.actions, 0.0
        environment.restore(state)
        return evaluator(environment)

    environment.restore(state)
    legal, player = environment.legal_actions(), environment.player()
    root = TextbookNode(state, legal, player, 0.0, False, look(state, False)[0])
    gaps = []
    for number in range(1, config.simulations + 1):
        node, path = root, []
        while not node.terminal:
            action = node.choose(policy, config, gaps)
            path.append((node, action))
            if action not in node.children:
                task = SimulationTask(
                    number, 0, node.state, action, node.reward, config.rollout_steps, (config.seed, number)
                )
                result = simulate(environment, task)
                priors, value = look(result.state, result.terminal)
                node.children[action] = TextbookNode(
                    result.state, result.legal, result.player, result.reward, result.terminal, priors
                )
                total = result.total
                if evaluator is not None:
                    total = result.reward - value if result.player else result.reward + value
                break
            node = node.children[action]
        else:
            total = node.reward
        total *= config.reward_scale
        for above, action in path:
            above.visits[action] += 1
            above.totals[action] += -total if above.player else total
    return root, min(gaps)
