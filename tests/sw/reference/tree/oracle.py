"""Tree search as in a textbook, in plain Python: nodes are named by the actions that lead to them."""

import random

from rewardware.hw.cores.tree.requests import Status

__all__ = ["Game", "OracleTree", "by_actions"]


class OracleNode:
    def __init__(self, fanout):
        self.evaluated = self.terminal = False
        self.legal = []
        self.visits = 0
        self.edge_visits, self.totals, self.in_flight = [0] * fanout, [0] * fanout, [0] * fanout


class OracleTree:
    """A tree of at most ``nodes`` nodes on ``levels`` levels; ``score(node, action)`` may be any number."""

    def __init__(self, *, fanout, levels, nodes, score, legal, alternate=False):
        self.fanout, self.levels, self.limit, self.score, self.alternate = fanout, levels, nodes, score, alternate
        self.nodes = {(): OracleNode(fanout)}
        self.evaluate((), legal, False)
        self.selections = {}

    def evaluate(self, place, legal, terminal):
        node = self.nodes[place]
        node.evaluated, node.terminal = True, terminal
        node.legal = [action for action in range(self.fanout) if legal >> action & 1]

    def select(self, worker):
        """Status and place of the end of the selection."""
        status, place = self.descend(())
        self.selections[worker] = place
        return status, place

    def descend(self, place):
        node = self.nodes[place]
        if not node.evaluated:
            return Status.PENDING, place
        if node.terminal:
            return Status.TERMINAL, place
        if len(place) == self.levels - 1:
            return Status.HEIGHT_LIMIT, place
        action = max(node.legal, key=lambda action: (self.score(node, action), -action))
        node.in_flight[action] += 1
        child = (*place, action)
        if child in self.nodes:
            return self.descend(child)
        if len(self.nodes) == self.limit:
            return Status.FULL, child
        self.nodes[child] = OracleNode(self.fanout)
        return Status.INSERTED, child

    def backup(self, worker, reward, legal, terminal):
        place = self.selections.pop(worker)
        for level, action in enumerate(place):
            node = self.nodes[place[:level]]
            node.visits += 1
            node.in_flight[action] -= 1
            node.edge_visits[action] += 1
            node.totals[action] += min(-reward, 32767) if self.alternate and level % 2 else reward
        if place in self.nodes and not self.nodes[place].evaluated:
            self.evaluate(place, legal, terminal)


class Game:
    """States are tuples of actions; everything about one follows from its actions and the seed."""

    def __init__(self, seed, fanout, terminal=0.1):
        self.seed, self.fanout, self.terminal = seed, fanout, terminal

    def state(self, place):
        """Mean reward, legal actions, whether terminal."""
        rng = random.Random(f"{self.seed} {place}")
        mean, legal = rng.uniform(-1, 1), rng.randrange(1, 1 << self.fanout)
        is_terminal = bool(place) and rng.random() < self.terminal
        return mean, 0 if is_terminal else legal, is_terminal

    def reward(self, place, rng):
        """Reward of a simulation from a state, 12 fraction bits."""
        mean, _, is_terminal = self.state(place)
        value = mean if is_terminal else (mean + rng.uniform(-1, 1)) / 2
        return round(value * 4096)


def by_actions(tree):
    """Nodes of a ``SearchTreeReference`` by the actions that lead to them: dictionaries of their fields."""
    memory, found = tree.memory(), {}

    def walk(place, bank, row):
        node = {name: array[bank, row].item() for name, array in memory.nodes.items()}
        edges = {name: array[bank, row].tolist() for name, array in memory.edges.items()}
        found[place] = {"number": bank * tree.config.rows + row, "edges": edges, **node}
        for action, child in enumerate(edges["child"]):
            if child:
                walk((*place, action), edges["bank"][action], edges["row"][action])

    walk((), *divmod(tree.root, tree.config.rows))
    return found
