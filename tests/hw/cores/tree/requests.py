"""Random requests for a whole search tree, with the answers of its reference."""

from rewardware.hw.cores.tree.records import KIND_WIDTH, ROW_WIDTH, WORKER_WIDTH, RequestKind, Status
from rewardware.sw.reference.tree.messages import Answer, pack_request
from rewardware.sw.reference.tree.search_tree import SearchTreeReference

REWARDS = (-32768, 32767, 0, 4096)


class RandomRequests:
    """Requests of workers that select, wait for each other and back up, among clears, advances and errors.

    Parameters
    ----------
    config : TreeConfig
    registers : dict of str to int
    random : numpy.random.Generator
    """

    def __init__(self, config, registers, random):
        self.config, self.random = config, random
        self.reference = SearchTreeReference(config, **registers)
        self.selected = []
        self.statuses = {}
        # Requests to come before the next choice; how many workers are to be under way.
        self._planned = [pack_request(config, RequestKind.SELECT, 0)]
        self._since_insertion = 0
        self._wanted = config.workers

    def __call__(self):
        """The row of the next request, and the answer to it."""
        row = self._planned.pop(0) if self._planned else self._choose()
        (answer,) = self.reference.apply([row])
        self._note(Answer.unpack(answer))
        return row, answer

    def _note(self, answer):
        kind, status = answer.kind, answer.status
        self.statuses[kind, status] = self.statuses.get((kind, status), 0) + 1
        if kind == RequestKind.SELECT and status <= Status.FULL:
            self.selected.append(answer.worker)
            self._since_insertion = 0 if status == Status.INSERTED else self._since_insertion + 1
        elif kind == RequestKind.BACKUP and status == Status.DONE:
            self.selected.remove(answer.worker)

    def _choose(self):
        random, chance = self.random, self.random.random()
        if self.reference.root is None:
            return self._wrong() if chance < 0.9 else self._clear()
        if chance < 0.06:
            return self._wrong()
        if chance < 0.08:
            self._wanted = int(random.integers(1, self.config.workers + 1))
        if chance < 0.1:
            workers = [int(worker) for worker in random.permutation(self.selected)]
            clears = random.random() < (0.5 if self._since_insertion > 30 else 0.05)
            ends = [self._clear()] if clears else [self._advance() for _ in range(3)]
            self._planned = [*(self._backup(worker) for worker in workers), *ends]
            return self._planned.pop(0)
        if len(self.selected) < self._wanted and random.random() < 0.7:
            idle = sorted(set(range(self.config.workers)) - set(self.selected))
            return pack_request(self.config, RequestKind.SELECT, int(random.choice(idle)))
        if not self.selected:
            return self._wrong()
        worker = int(random.choice(self.selected))
        if self.config.policy != "uct" and random.random() < 0.4:
            return self._prior(worker)
        return self._backup(worker)

    def _state(self):
        fanout, random = self.config.fanout, self.random
        terminal = int(random.random() < 0.1)
        legal = 0 if terminal else int(random.integers(1, 1 << fanout))
        return {"terminal": terminal, "legal": (1 << fanout) - 1 if random.random() < 0.5 else legal}

    def _backup(self, worker):
        random = self.random
        reward = int(random.choice(REWARDS) if random.random() < 0.3 else random.integers(-32768, 32768))
        return pack_request(self.config, RequestKind.BACKUP, worker, reward=reward, **self._state())

    def _prior(self, worker):
        random = self.random
        group = int(random.integers(16 if random.random() < 0.2 else (self.config.fanout + 1) // 2))
        even, odd = (int(value) for value in random.integers(1 << 16, size=2))
        return pack_request(self.config, RequestKind.PRIOR, worker, group=group, even_prior=even, odd_prior=odd)

    def _clear(self):
        chance, state = self.random.random(), {"terminal": 0, "legal": (1 << self.config.fanout) - 1}
        if chance < 0.2:
            state = self._state()
        elif chance < 0.4:
            # The root is pending.
            state["legal"] = 0
        return pack_request(self.config, RequestKind.CLEAR, self._worker(), **state)

    def _advance(self):
        action = int(self.random.integers(32 if self.random.random() < 0.1 else self.config.fanout))
        return pack_request(self.config, RequestKind.ADVANCE, self._worker(), action=action)

    def _worker(self):
        return int(self.random.integers(self.config.workers))

    def _wrong(self):
        """Mostly an error: any request of any worker, or a row of noise behind its header."""
        random = self.random
        worker = int(random.integers(256)) if random.random() < 0.3 else self._worker()
        choice = random.integers(6)
        if choice == 0:
            noise = int(random.integers(1 << ROW_WIDTH - KIND_WIDTH - WORKER_WIDTH, dtype="uint64"))
            kind = int(random.integers(5, 8)) if self.config.policy != "uct" else int(random.choice((2, 5, 6, 7)))
            return kind | worker << KIND_WIDTH | noise << KIND_WIDTH + WORKER_WIDTH
        if choice == 1:
            return self._backup(worker)
        if choice == 2:
            return self._prior(worker)
        if choice == 3:
            return self._advance()
        if choice == 4:
            again = int(random.choice(self.selected)) if self.selected and random.random() < 0.5 else worker
            return pack_request(self.config, RequestKind.SELECT, again)
        # Not while it would be no error, and end the tree.
        return self._clear() if self.selected else pack_request(self.config, RequestKind.CLEAR, 255, **self._state())
