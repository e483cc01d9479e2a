"""Random requests to a search tree."""

from rewardware.hw.cores.tree.records import RequestKind

__all__ = ["random_requests"]


def random_requests(config, rng, count, *, wrong=0.1, restart=0.01, terminal=0.1):
    """Kind, worker and arguments of ``count`` requests or a few more, beginning with a clear.

    Parameters
    ----------
    config : TreeConfig
    rng : random.Random
    count : int
    wrong : float
        Share of requests for which nobody looks whether they are in place.
    restart : float
        How often all workers finish, and the tree is cleared or its root moves.
    terminal : float
        Share of states that are terminal.
    """
    full = (1 << config.fanout) - 1
    busy, made = [], 0

    def state():
        return {"terminal": int(rng.random() < terminal), "legal": rng.choice([full, rng.randint(1, full)])}

    def backup(worker):
        reward = rng.choice([-32768, 32767, 0, rng.randint(-32768, 32767), rng.randint(-4096, 4096)])
        return RequestKind.BACKUP, worker, {"reward": reward, **state()}

    def prior(worker):
        # One group more than there are, if that can be said.
        group = rng.randint(0, min((config.fanout + 1) // 2, 15))
        priors = {name: rng.choice([0, 65535, rng.randrange(65536)]) for name in ("even_prior", "odd_prior")}
        return RequestKind.PRIOR, worker, {"group": group, **priors}

    def clear(worker):
        root = state() | {"terminal": int(rng.random() < 0.02)}
        return RequestKind.CLEAR, worker, root if rng.random() < 0.7 else {"terminal": 0, "legal": 0}

    def advance(worker):
        return RequestKind.ADVANCE, worker, {"action": rng.randrange(min(config.fanout + 1, 32))}

    def select(worker):
        return RequestKind.SELECT, worker, {}

    def following():
        if rng.random() < wrong:
            worker = rng.randrange(min(config.workers + 2, 256))
            # A clear or an advance that happens to be in place is a restart too, with fewer workers than most.
            request = rng.choice([select, backup, prior, clear, advance])(worker)
            if worker < config.workers:
                if request[0] == RequestKind.SELECT and worker not in busy:
                    busy.append(worker)
                elif request[0] == RequestKind.BACKUP and worker in busy:
                    busy.remove(worker)
            return [request]
        if rng.random() < restart:
            finished, busy[:] = [backup(worker) for worker in busy], []
            return [*finished, rng.choice([clear, advance, advance])(rng.randrange(config.workers))]
        if busy and config.policy != "uct" and rng.random() < 0.2:
            return [prior(rng.choice(busy))]
        if busy and (len(busy) == config.workers or rng.random() < 0.45):
            return [backup(busy.pop(rng.randrange(len(busy))))]
        worker = rng.choice([worker for worker in range(config.workers) if worker not in busy])
        busy.append(worker)
        return [select(worker)]

    yield clear(0)
    while made < count:
        requests = following()
        made += len(requests)
        yield from requests
