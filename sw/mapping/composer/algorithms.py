"""Task graphs of DQN, DDPG and SAC with prioritised replay, for networks of given sizes.

Where a network is used on a device other than the one that trains it, its weights go there once an iteration. They are
counted on the edge between the two tasks, as if they went along with it; those of DQN's target network, which follows
once in thousands of iterations, are not.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ....hw.cores.checks import require_integer, require_name
from .layer_group import NUMBER_BYTES, LayerGroup, Propagation
from .task_graph import Edge, Task, TaskGraph, TaskKind

__all__ = ["ALGORITHMS", "Iteration", "Workload", "training_iteration"]


@dataclass(frozen=True, kw_only=True)
class Workload:
    """A training workload: algorithm, networks and sizes.

    Parameters
    ----------
    algorithm : str
        ``"dqn"``, ``"ddpg"`` or ``"sac"``.
    observation_size : int
        Elements of an observation.
    action_size : int
        Elements of an action; with DQN, actions to choose from.
    hidden_sizes : tuple of int
        Hidden sizes of all networks.
    batch : int
        BS.
    leaves : int
        Experiences that the replay memory holds.

    Raises
    ------
    TypeError, ValueError
        Another algorithm, or a size below 1.
    """

    algorithm: str
    observation_size: int
    action_size: int
    hidden_sizes: tuple[int, ...]
    batch: int
    leaves: int = 1 << 17

    def __post_init__(self) -> None:
        require_name("Algorithm", self.algorithm, ALGORITHMS)
        object.__setattr__(self, "hidden_sizes", tuple(self.hidden_sizes))
        for name, value in (("Observation size", self.observation_size), ("Action size", self.action_size)):
            require_integer(name, value, 1)
        for value in self.hidden_sizes:
            require_integer("Hidden size", value, 1)
        require_integer("Batch", self.batch, 1)
        require_integer("Leaves", self.leaves, 2)

    @property
    def experience_bytes(self) -> int:
        """E: observation, action, reward, next observation, end."""
        action = 1 if self.algorithm == "dqn" else self.action_size
        return NUMBER_BYTES * (2 * self.observation_size + action + 2)

    @property
    def actor(self) -> tuple[int, ...]:
        """Sizes of the actor's layers; SAC's has a mean and a deviation for each element of an action."""
        outputs = 2 * self.action_size if self.algorithm == "sac" else self.action_size
        return (self.observation_size, *self.hidden_sizes, outputs)

    @property
    def critic(self) -> tuple[int, ...]:
        """Sizes of the critic's layers; DQN's network has a value for each action."""
        if self.algorithm == "dqn":
            return (self.observation_size, *self.hidden_sizes, self.action_size)
        return (self.observation_size + self.action_size, *self.hidden_sizes, 1)


@dataclass(frozen=True, kw_only=True)
class Iteration:
    """A training iteration.

    Parameters
    ----------
    workload : Workload
    graph : TaskGraph
    groups : dict of str to LayerGroup
        What each of the learner's tasks does. The replay tasks are ``sample`` and ``update``.
    """

    workload: Workload
    graph: TaskGraph
    groups: Mapping[str, LayerGroup]


class _Builder:
    """Tasks and edges as they are named; numbers are those of an experience."""

    def __init__(self, workload: Workload):
        self.batch = workload.batch
        self.groups: dict[str, LayerGroup] = {}
        self.edges: list[Edge] = []

    def task(self, name: str, propagation: Propagation, sizes: tuple[int, ...], /, **inputs: int) -> None:
        """A task, with the numbers of an experience that it takes from others."""
        self.groups[name] = LayerGroup(propagation=propagation, sizes=sizes)
        for source, numbers in inputs.items():
            self.edge(source, name, NUMBER_BYTES * numbers * self.batch)

    def edge(self, source: str, target: str, size: float) -> None:
        self.edges.append(Edge(source=source, target=target, bytes=size))

    def weights(self, source: str, target: str) -> None:
        """Weights of the network that ``source`` uses or trains."""
        self.edge(source, target, self.groups[source].weight_bytes)

    def backward(self, name: str, forward: str, **inputs: int) -> None:
        """The way back, with the activations and the weights of the way there."""
        group = self.groups[forward]
        self.task(name, Propagation.BACKWARD, group.sizes, **inputs)
        self.edge(forward, name, group.activation_bytes * self.batch + group.weight_bytes)


def _dqn(build: _Builder, workload: Workload) -> None:
    observation, network = workload.observation_size, workload.critic
    actions = network[-1]
    build.task("policy_forward", Propagation.FORWARD, network, sample=observation)
    build.task("target_forward", Propagation.INFERENCE, network, sample=observation)
    # Numbers of the sample: action, reward, end, importance weight.
    build.task("loss", Propagation.LOSS, network[-1:], policy_forward=actions, target_forward=1, sample=4)
    build.backward("policy_backward", "policy_forward", loss=actions)


def _critic_step(build: _Builder, workload: Workload, critics: tuple[str, ...], target_actor: str) -> None:
    """Targets, losses of all critics together, and the step of each."""
    observation, action, critic = workload.observation_size, workload.action_size, workload.critic
    losses: dict[str, int] = {}
    for name in critics:
        inputs: dict[str, int] = {"sample": observation, target_actor: action}
        build.task(f"target_{name}_forward", Propagation.INFERENCE, critic, **inputs)
        build.task(f"{name}_forward", Propagation.FORWARD, critic, sample=observation + action)
        losses |= {f"target_{name}_forward": 1, f"{name}_forward": 1}
    # Numbers of the sample: reward, end, importance weight.
    build.task("loss", Propagation.LOSS, (len(critics),), sample=3, **losses)
    for name in critics:
        build.backward(f"{name}_backward", f"{name}_forward", loss=1)
        build.weights(f"target_{name}_forward", f"{name}_backward")


def _actor_step(build: _Builder, workload: Workload, critics: tuple[str, ...], target_actor: str) -> None:
    """Through the critics as they are after their step."""
    observation, action = workload.observation_size, workload.action_size
    build.task("actor_forward", Propagation.FORWARD, workload.actor, sample=observation)
    values: dict[str, int] = {}
    for name in critics:
        value = f"{name}_value"
        build.task(value, Propagation.INPUT_GRADIENT, workload.critic, sample=observation, actor_forward=action)
        build.weights(f"{name}_backward", value)
        values[value] = action
    build.backward("actor_backward", "actor_forward", **values)
    build.weights(target_actor, "actor_backward")


def _ddpg(build: _Builder, workload: Workload) -> None:
    target, critics = "target_actor_forward", ("critic",)
    build.task(target, Propagation.INFERENCE, workload.actor, sample=workload.observation_size)
    _critic_step(build, workload, critics, target)
    _actor_step(build, workload, critics, target)


def _sac(build: _Builder, workload: Workload) -> None:
    target, critics = "next_actor_forward", ("critic1", "critic2")
    build.task(target, Propagation.INFERENCE, workload.actor, sample=workload.observation_size)
    _critic_step(build, workload, critics, target)
    build.edge(target, "loss", NUMBER_BYTES * workload.batch)  # the action's logarithmic probability
    _actor_step(build, workload, critics, target)


ALGORITHMS: dict[str, Callable[[_Builder, Workload], None]] = {"dqn": _dqn, "ddpg": _ddpg, "sac": _sac}


def training_iteration(workload: Workload) -> Iteration:
    """The task graph of a workload: ``sample``, the learner's tasks, ``update`` after the loss."""
    build = _Builder(workload)
    ALGORITHMS[workload.algorithm](build, workload)
    # An index and a priority each.
    build.edge("loss", "update", 2 * NUMBER_BYTES * workload.batch)
    tasks = [Task(name="sample", kind=TaskKind.REPLAY)]
    tasks += [Task(name=name, kind=TaskKind.LEARNER) for name in build.groups]
    trained = [group for group in build.groups.values() if group.propagation == Propagation.BACKWARD]
    graph = TaskGraph(
        tasks=(*tasks, Task(name="update", kind=TaskKind.REPLAY)),
        edges=tuple(build.edges),
        batch=workload.batch,
        experience_bytes=workload.experience_bytes,
        gradient_bytes=sum(group.weight_bytes for group in trained),
    )
    return Iteration(workload=workload, graph=graph, groups=build.groups)
