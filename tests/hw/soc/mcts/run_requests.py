"""Requests of a kind on the RTL of a preset: every answer, and the whole memory of the tree, against the reference's.

python -m tests.hw.soc.mcts.run_requests one_path --config f6-d8 --requests 100000
"""

import argparse
import time
from collections import Counter

from rewardware.hw.cores.tree.requests import RequestKind
from rewardware.hw.soc.presets import load_preset
from rewardware.sw.device.search_tree_backends import DeviceTree, ReferenceTree
from tests.hw.soc.mcts.workloads import KINDS, make_requests, tree_for

# Requests of a packet; the last ones of a packet wait for the first ones of the next.
PACKET = 4096
STALL = 0.1


def run_requests(kind, config, count, seed=1, **options):
    """How often each request ended in each way, and nodes in memory, after all were found equal."""
    config = tree_for(kind, config)
    registers, requests = make_requests(kind, config, count, seed, **options)
    device, reference = DeviceTree(config, stall=STALL, seed=seed), ReferenceTree(config.tree)
    try:
        ends = Counter()
        for tree in (device, reference):
            tree.write_registers(registers)
        for first in range(0, len(requests), PACKET):
            part = requests[first : first + PACKET]
            for tree in (device, reference):
                tree.send(part)
            got, expected = (tree.receive(len(part)) for tree in (device, reference))
            for index, (ours, theirs) in enumerate(zip(got, expected, strict=True), start=first):
                assert ours == theirs, f"request {index}: {ours}, not {theirs}"
                ends[theirs.kind, theirs.status.name.lower()] += 1
        return ends, compare_memory(device, reference)
    finally:
        device.close()


def compare_memory(device, reference):
    """Every node that is in the tree, with its edges; how many there are."""
    memory = reference.reference.memory()
    rows = device.config.rows
    for number, (node, edges) in enumerate(device.read_nodes()):
        place = divmod(number, rows)
        if not memory.used[place]:
            continue
        assert node == {name: int(values[place]) for name, values in memory.nodes.items()}, f"node {number}"
        for action, edge in enumerate(edges):
            expected = {name: int(values[(*place, action)]) for name, values in memory.edges.items()}
            if not edge["child"]:
                edge |= {"bank": 0, "row": 0}
            assert edge == expected, f"node {number}, action {action}"
    return int(memory.used.sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="+", choices=[*KINDS, "all"], metavar="KIND", help=f"{', '.join(KINDS)} or all")
    parser.add_argument("--config", default="f6-d8", metavar="PRESET", help="default %(default)s")
    parser.add_argument("--requests", type=int, default=100_000, help="of each kind, at least (default %(default)s)")
    parser.add_argument("--game", default="ALE/Pong-v5", help="that is recorded (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    config = load_preset(arguments.config, "mcts")
    for kind in KINDS if "all" in arguments.kinds else arguments.kinds:
        started = time.perf_counter()
        ends, nodes = run_requests(kind, config, arguments.requests, arguments.seed, game=arguments.game)
        shown = ", ".join(f"{_name(end)} {status} {count}" for (end, status), count in sorted(ends.items()))
        seconds = time.perf_counter() - started
        print(f"{kind}, {arguments.config}: {ends.total()} answers and {nodes} nodes equal; {shown} ({seconds:.0f} s)")


def _name(kind):
    return RequestKind(kind).name.lower() if kind in list(RequestKind) else f"kind {kind}"


if __name__ == "__main__":
    main()
