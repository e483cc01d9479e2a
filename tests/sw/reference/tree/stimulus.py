"""Random requests to a search tree."""

from rewardware.hw.cores.tree.records import KIND_WIDTH
from rewardware.hw.cores.tree.requests import WORKER_WIDTH, RequestKind
from rewardware.sw.reference.tree.requests import Request

__all__ = ["RandomRequests"]

MOST_WORKERS = 1 << WORKER_WIDTH


class RandomRequests:
    """Requests, without end: workers that select and back up, among errors, clears and advances.

    The first is a clear. Nobody looks at answers: which workers have a selection is known by what they were sent.

    Parameters
    ----------
    config : TreeConfig
    rng : random.Random
    wrong : float
        Share of requests for which nobody looks whether they are in place, or whether there are such.
    restart : float
        How often all workers finish, and the tree is cleared or its root moves, up to three times.
    clears : float
        Share of clears in that.
    terminal : float
        Share of states that are terminal.
    """

    def __init__(self, config, rng, *, wrong=0.1, restart=0.01, clears=0.3, terminal=0.1):
        self._config, self._rng = config, rng
        self._wrong, self._restart, self._clears, self._terminal = wrong, restart, clears, terminal
        self._full = (1 << config.fanout) - 1
        # Workers with a selection; how many there are to be.
        self._busy, self._wanted = [], config.workers
        self._planned = [self._clear(0)]

    def __iter__(self):
        return self

    def __next__(self):
        if not self._planned:
            self._planned = self._following()
        return self._planned.pop(0)

    def _following(self):
        """The next request, or some of them."""
        config, rng, busy = self._config, self._rng, self._busy
        if rng.random() < self._wrong:
            return self._anything()
        if rng.random() < self._restart:
            finished, busy[:] = [self._backup(worker) for worker in rng.sample(busy, len(busy))], []
            self._wanted = rng.randint(1, config.workers)
            clears = rng.random() < self._clears
            ends = [self._clear] if clears else [self._advance] * rng.randint(1, 3)
            return [*finished, *(end(rng.randrange(config.workers)) for end in ends)]
        if busy and config.policy != "uct" and rng.random() < 0.2:
            return [self._prior(rng.choice(busy))]
        if busy and (len(busy) >= self._wanted or rng.random() < 0.45):
            return [self._backup(busy.pop(rng.randrange(len(busy))))]
        worker = rng.choice(sorted(set(range(config.workers)) - set(busy)))
        busy.append(worker)
        return [self._select(worker)]

    def _anything(self):
        """Any request of any worker, or a kind that there is not."""
        config, rng, busy = self._config, self._rng, self._busy
        worker = rng.randrange(config.workers)
        if rng.random() < 0.2:
            worker = rng.randrange(MOST_WORKERS)
        elif busy and rng.random() < 0.3:
            worker = rng.choice(busy)
        kind = rng.choice([*RequestKind, rng.randrange(len(RequestKind), 1 << KIND_WIDTH)])
        # A clear or an advance that happens to be in place is a restart too.
        if worker < config.workers:
            if kind == RequestKind.SELECT and worker not in busy:
                busy.append(worker)
            elif kind == RequestKind.BACKUP and worker in busy:
                busy.remove(worker)
        if kind in list(RequestKind):
            return [getattr(self, f"_{RequestKind(kind).name.lower()}")(worker)]
        return [Request(kind=kind, worker=worker)]

    def _state(self):
        rng = self._rng
        is_terminal = rng.random() < self._terminal
        some = rng.choice([self._full, rng.randint(1, self._full)])
        return {"terminal": is_terminal, "legal": rng.choice([0, some]) if is_terminal else some}

    def _select(self, worker):
        return Request(kind=RequestKind.SELECT, worker=worker)

    def _backup(self, worker):
        rng = self._rng
        reward = rng.choice([-32768, 32767, 0, rng.randint(-32768, 32767), rng.randint(-4096, 4096)])
        return Request(kind=RequestKind.BACKUP, worker=worker, reward=reward, **self._state())

    def _prior(self, worker):
        # One group more than there are, if that can be said.
        group = self._rng.randint(0, min((self._config.fanout + 1) // 2, 15))
        priors = {
            name: self._rng.choice([0, 65535, self._rng.randrange(65536)]) for name in ("even_prior", "odd_prior")
        }
        return Request(kind=RequestKind.PRIOR, worker=worker, group=group, **priors)

    def _clear(self, worker):
        """Mostly with an evaluated root that goes on; with a pending one in three of ten."""
        rng = self._rng
        root = self._state() | {"terminal": rng.random() < 0.02}
        return Request(kind=RequestKind.CLEAR, worker=worker, **(root if rng.random() < 0.7 else {}))

    def _advance(self, worker):
        action = self._rng.randrange(min(self._config.fanout + 1, 32))
        return Request(kind=RequestKind.ADVANCE, worker=worker, action=action)
