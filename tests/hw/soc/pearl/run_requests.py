"""Random requests on the RTL of a preset: every answer, the total and all leaves, against the reference's.

python -m tests.hw.soc.pearl.run_requests --config k16 --requests 1000000
"""

import argparse
import random
import time
from collections import Counter

import numpy as np

from rewardware.hw.cores.replay.requests import RequestKind, Status
from rewardware.hw.soc.presets import list_presets, load_preset
from rewardware.sw.device.replay_backends import DeviceSumTree, ReferenceSumTree
from rewardware.sw.reference.replay.requests import Request, Requests
from tests.sw.reference.replay.stimulus import random_requests

PACKET = 4096
STALL = 0.1


def run_requests(config, count, seed=1):
    """How often each kind of request ended in each way, after all was found equal."""
    device, reference = DeviceSumTree(config, stall=STALL, seed=seed), ReferenceSumTree(config.tree)
    rng, ends = random.Random(seed), Counter()
    total = Request(kind=RequestKind.TOTAL)
    try:
        # In a tree of zeros most samples find what was changed last.
        made = [Request(kind=RequestKind.INSERT, priority=rng.randrange(1 << 20)) for _ in range(config.leaves // 2)]
        while count > 0:
            packet, made = made[:PACKET], made[PACKET:]
            packet = [*(packet or random_requests(config, rng, PACKET, near=rng.choice([0.0, 0.6, 0.95]))), total]
            got, expected = (tree.request(Requests.gather(packet)).each() for tree in (device, reference))
            for ours, theirs in zip(got, expected, strict=True):
                assert ours == theirs, f"{ours}, not {theirs}"
            assert got[-1].total == sum(reference.reference.priorities.tolist())
            for answer in got:
                ends[answer.kind, answer.status.name.lower()] += 1
            count -= len(packet)
        for first in range(0, config.leaves, PACKET):
            leaves = range(first, min(first + PACKET, config.leaves))
            answers = device.request(Requests.of(RequestKind.RETRIEVE, len(leaves), index=np.array(leaves)))
            assert (answers.priority == reference.reference.priorities[leaves.start : leaves.stop]).all()
        filling = config.leaves // 2
        assert ends[RequestKind.SAMPLE, Status.DONE.name.lower()], (
            f"No sample was drawn: the first {filling} requests insert"
        )
        return ends
    finally:
        device.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--config", default="k16", choices=list_presets("pearl"), help="default %(default)s")
    parser.add_argument("--requests", type=int, default=1_000_000, help="at least (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    started = time.perf_counter()
    ends = run_requests(load_preset(arguments.config, "pearl"), arguments.requests, arguments.seed)
    shown = ", ".join(f"{_name(kind)} {status} {count}" for (kind, status), count in sorted(ends.items()))
    print(f"{arguments.config}: {ends.total()} answers equal; {shown} ({time.perf_counter() - started:.0f} s)")


def _name(kind):
    return RequestKind(kind).name.lower() if kind in list(RequestKind) else f"kind {kind}"


if __name__ == "__main__":
    main()
