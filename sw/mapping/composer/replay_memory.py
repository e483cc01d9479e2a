"""Step 3 of Algorithm 3: the replay memory where it makes the least traffic."""

from collections.abc import Mapping
from dataclasses import dataclass

from .platform import Platform
from .task_graph import TaskGraph

__all__ = ["WORD_BYTES", "ReplayMemory", "place_replay_memory"]

# Bytes of an index.
WORD_BYTES = 4


@dataclass(frozen=True, kw_only=True)
class ReplayMemory:
    """Where experiences are kept.

    Parameters
    ----------
    device : str
    traffic : dict of str to float
        Seconds of an iteration that all transfers take together, by the device that would have it.
    """

    device: str
    traffic: Mapping[str, float]


def place_replay_memory(
    graph: TaskGraph,
    platform: Platform,
    entry: Mapping[str, float],
    actor_device: str,
    replay_device: str,
    actors: int,
) -> ReplayMemory:
    """The device among those of the learner's entry tasks, the actors and the replay manager with the least traffic.

    With E bytes an experience, BS (E + 1) words go to the learner, of which BS are indices; E from each actor; BS
    indices from the replay manager. A device's own memory has its bandwidth, another's that of the link.

    Parameters
    ----------
    graph : TaskGraph
    platform : Platform
    entry : dict of str to float
        Part of the batch that each device with entry tasks of the learner takes.
    actor_device, replay_device : str
    actors : int
        N, each of which adds an experience.
    """
    indices = graph.batch * WORD_BYTES
    traffic = [(device, part * (graph.batch * graph.experience_bytes + indices)) for device, part in entry.items()]
    traffic += [(actor_device, actors * graph.experience_bytes), (replay_device, indices)]
    seconds = {
        device: sum(amount / platform.bandwidth(device, other) for other, amount in traffic)
        for device in dict.fromkeys(device for device, _ in traffic)
    }
    return ReplayMemory(device=min(seconds, key=lambda device: seconds[device]), traffic=seconds)
