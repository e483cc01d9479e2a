"""Random requests to a sum tree."""

from rewardware.hw.cores.replay.config import DRAW_WIDTH, INDEX_WIDTH, PRIORITY_WIDTH, SumTreeConfig
from rewardware.hw.cores.replay.requests import RequestKind
from rewardware.sw.reference.replay.requests import Request

__all__ = ["random_requests"]

KINDS = [RequestKind.SAMPLE] * 6 + [RequestKind.UPDATE] * 6 + [RequestKind.INSERT] * 2 + [RequestKind.RETRIEVE] * 2
LARGEST_DRAW = (1 << DRAW_WIDTH) - 1


def random_requests(config: SumTreeConfig, rng, count, *, wrong=0.02, near=0.6):
    """``count`` requests.

    Parameters
    ----------
    config : SumTreeConfig
    rng : random.Random
    count : int
    wrong : float
        Share of requests with any numbers, also of kinds that there are not.
    near : float
        Share of leaves that are the last one or beside it, so that requests meet on one path.
    """
    largest, last, kind, requests = (1 << config.priority_width) - 1, 0, RequestKind.TOTAL, []
    for _ in range(count):
        if rng.random() < wrong:
            requests.append(_anything(rng))
            continue
        # Kinds come in runs, so that samples also stand side by side.
        if rng.random() < 0.5:
            kind = rng.choice(KINDS) if rng.random() < 0.97 else RequestKind.TOTAL
        if rng.random() >= near:
            last = rng.choice([0, config.leaves - 1, rng.randrange(config.leaves)])
        index = min(max(last + rng.choice([0, 0, -1, 1]), 0), config.leaves - 1)
        if rng.random() < 0.02:
            index = rng.choice([config.leaves, (1 << INDEX_WIDTH) - 1])
            index = min(index, (1 << INDEX_WIDTH) - 1)
        # Zeros leave gaps, and large and small ones beside each other show what is rounded.
        priority = rng.choice([0, 0, 1, largest, rng.randint(0, largest), rng.randint(0, min(largest, 3))])
        if rng.random() < 0.02:
            priority = rng.randrange(1 << PRIORITY_WIDTH)
        arguments = {
            RequestKind.SAMPLE: {"draw": rng.choice([0, LARGEST_DRAW, rng.randint(0, LARGEST_DRAW)])},
            RequestKind.RETRIEVE: {"index": index},
            RequestKind.UPDATE: {"index": index, "priority": priority},
            RequestKind.INSERT: {"priority": priority},
            RequestKind.TOTAL: {},
        }[kind]
        requests.append(Request(kind=kind, **arguments))
    return requests


def _anything(rng):
    return Request(
        kind=rng.randrange(8),
        draw=rng.getrandbits(DRAW_WIDTH),
        index=rng.getrandbits(INDEX_WIDTH),
        priority=rng.getrandbits(PRIORITY_WIDTH),
    )
