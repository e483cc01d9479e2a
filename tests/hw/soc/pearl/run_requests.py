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
from rewardware.sw.reference.replay.messages import Answer, pack_request
from tests.sw.reference.replay.stimulus import random_rows

PACKET = 4096
STALL = 0.1


def run_requests(config, count, seed=1):
    """How often each kind of request ended in each way, after all was found equal."""
    device, reference = DeviceSumTree(config, stall=STALL, seed=seed), ReferenceSumTree(config.tree)
    rng, ends = random.Random(seed), Counter()
    total, retrieve = pack_request(RequestKind.TOTAL), RequestKind.RETRIEVE
    try:
        # In a tree of zeros most samples find what was changed last.
        rows = [pack_request(RequestKind.INSERT, priority=rng.randrange(1 << 20)) for _ in range(config.leaves // 2)]
        while count > 0:
            packet, rows = rows[:PACKET], rows[PACKET:]
            packet = [*(packet or random_rows(config, rng, PACKET, near=rng.choice([0.0, 0.6, 0.95]))), total]
            got, expected = (tree.request(np.array(packet, np.uint64)) for tree in (device, reference))
            differ = np.flatnonzero(got != expected)
            assert not differ.size, (
                f"{Answer.unpack(int(got[differ[0]]))}, not {Answer.unpack(int(expected[differ[0]]))}"
            )
            assert Answer.unpack(int(got[-1])).total == sum(reference.reference.priorities.tolist())
            for answer in map(Answer.unpack, got.tolist()):
                ends[answer.kind, answer.status.name.lower()] += 1
            count -= len(packet)
        for first in range(0, config.leaves, PACKET):
            leaves = range(first, min(first + PACKET, config.leaves))
            answers = device.request(np.array([pack_request(retrieve, index=leaf) for leaf in leaves], np.uint64))
            kept = reference.reference.priorities[leaves.start : leaves.stop].tolist()
            assert [Answer.unpack(row).priority for row in answers.tolist()] == kept
        assert ends[RequestKind.SAMPLE, Status.DONE.name.lower()]
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
