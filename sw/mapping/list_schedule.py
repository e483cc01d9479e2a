"""List scheduling: which steps wait for which, what follows each, and an order by a rule that says which is next."""

import bisect
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

__all__ = ["dependencies", "list_order", "longest_paths"]


def dependencies(steps: Iterable[tuple[Iterable[Hashable], Iterable[Hashable]]]) -> list[set[int]]:
    """For each step the numbers of earlier ones that write what it touches, or read what it writes.

    Parameters
    ----------
    steps : iterable of (reads, writes)
        Names of any kind for what each touches, in an order that is right one after the other.
    """
    writer: dict[Hashable, int] = {}
    readers: dict[Hashable, list[int]] = {}
    found = []
    for number, (reads, writes) in enumerate(steps):
        before = set()
        for place in reads:
            if place in writer:
                before.add(writer[place])
            readers.setdefault(place, []).append(number)
        for place in writes:
            if place in writer:
                before.add(writer[place])
            before.update(readers.pop(place, ()))
            writer[place] = number
        before.discard(number)
        found.append(before)
    return found


def list_order(before: Sequence[AbstractSet[int]], choose: Callable[[Sequence[int]], int]) -> Iterator[int]:
    """Numbers of steps in an order in which each comes after those that it waits for.

    Parameters
    ----------
    before : sequence of set of int
        For each step the earlier ones that it waits for.
    choose : callable
        The next one of those that can be next, whose numbers it gets in increasing order; it is called when what was
        chosen before has been taken.
    """
    missing = [len(each) for each in before]
    behind: list[list[int]] = [[] for _ in before]
    for number, each in enumerate(before):
        for other in each:
            behind[other].append(number)
    ready = [number for number, count in enumerate(missing) if not count]
    while ready:
        chosen = choose(ready)
        ready.remove(chosen)
        yield chosen
        for number in behind[chosen]:
            missing[number] -= 1
            if not missing[number]:
                bisect.insort(ready, number)


def longest_paths(lengths: Sequence[Any], before: Sequence[AbstractSet[int]]) -> list[Any]:
    """For each step the longest way from its beginning to the end of the last one that waits for it.

    Parameters
    ----------
    lengths : sequence of number
        Lengths of each step.
    before : sequence of set of int
        For each step the earlier ones that it waits for.
    """
    paths, behind = list(lengths), [0] * len(lengths)
    for number in reversed(range(len(paths))):
        paths[number] += behind[number]
        for other in before[number]:
            behind[other] = max(behind[other], paths[number])
    return paths
