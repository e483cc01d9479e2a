"""A3C on PyTorch as it is published: processes that share parameters, each with an environment and a copy of its own.

Source: Mnih et al., "Asynchronous Methods for Deep Reinforcement Learning", 2016, algorithm S3 and section 4.
"""

import time
from dataclasses import dataclass
from multiprocessing.connection import Connection

import numpy as np
import torch

# Lets tensors be sent to processes with their memory shared.
import torch.multiprocessing
from torch.nn.functional import linear

from ....algorithms.a3c.a3c_hyper_parameters import A3CHyperParameters
from ....algorithms.a3c.a3c_shape import A3CShape
from ....algorithms.a3c.policy import draw
from ....core.environments.byte_environment import ByteEnvironment
from ....core.worker_process import WorkerProcess
from ....measurement.bench import drawn_from
from .host_times import LIMIT, require_message

__all__ = ["SharedAgents", "TorchAgent", "explorations_per_second"]

# Explorations of each process before any is counted, and from one look at the link to the next.
WARM_UP, LOOK = 20, 64
POLL_SECONDS = 0.05


@dataclass(frozen=True)
class SharedAgents:
    """State that processes share: central parameters, RMSProp's mean squares, and the explorations that each has done.

    Changes are not locked, as the source has it.

    Parameters
    ----------
    parameters, squares
        All parameters in one row, float32.
    explorations
        By process, int64.
    """

    parameters: torch.Tensor
    squares: torch.Tensor
    explorations: torch.Tensor

    @classmethod
    def of(cls, shape: A3CShape, processes: int) -> "SharedAgents":
        """First parameters."""
        initial = shape.initial_parameters(np.random.default_rng(drawn_from(0)))
        parameters = torch.from_numpy(np.concatenate([values.ravel() for values in initial.values()]))
        found = cls(parameters, torch.zeros_like(parameters), torch.zeros(processes, dtype=torch.int64))
        for tensor in vars(found).values():
            tensor.share_memory_()
        return found


class TorchAgent:
    """A local agent: acts for a rollout, and changes the shared parameters with its gradients.

    Parameters and gradients are views of one row each, so that a copy and an optimiser's step are few operations.

    Parameters
    ----------
    shape
        Sizes of the network.
    config
        Hyper-parameters.
    shared
        With the others.
    environment
        Its own.
    seed
        Seed of the actions.
    """

    def __init__(
        self, shape: A3CShape, config: A3CHyperParameters, shared: SharedAgents, environment: ByteEnvironment, seed: int
    ):
        self.config, self.shared, self.environment = config, shared, environment
        self._generator = np.random.default_rng(seed)
        self._row, self._gradients = shared.parameters.clone(), torch.zeros_like(shared.parameters)
        place, tensors = 0, []
        for dimensions in shape.parameter_shapes.values():
            end = place + int(np.prod(dimensions))
            tensor = self._row[place:end].view(dimensions).requires_grad_()
            tensor.grad = self._gradients[place:end].view(dimensions)
            tensors.append(tensor)
            place = end
        self._layers = list(zip(tensors[::2], tensors[1::2], strict=True))

    def _forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Logits, and after them the value."""
        for weight, bias in self._layers[:-1]:
            rows = torch.relu(linear(rows, weight, bias))
        return linear(rows, *self._layers[-1])

    def explore(self) -> None:
        """A rollout and an update."""
        self._row.copy_(self.shared.parameters)
        observations = [self.environment.observation]
        actions: list[int] = []
        rewards: list[float] = []
        terminated = truncated = False
        with torch.inference_mode():
            while len(actions) < self.config.rollout_steps and not (terminated or truncated):
                logits = self._forward(torch.from_numpy(observations[-1]))[:-1]
                actions.append(draw(torch.softmax(logits, -1).numpy(), self._generator))
                observation, reward, terminated, truncated = self.environment.step(np.asarray(actions[-1]))
                observations.append(observation)
                rewards.append(reward)
        self._accumulate(observations, actions, rewards, terminated)
        self._update()
        if terminated or truncated:
            self.environment.begin()

    def _accumulate(
        self, observations: list[np.ndarray], actions: list[int], rewards: list[float], terminated: bool
    ) -> None:
        """Gradients of a rollout's loss; the state after it is inferred with the others."""
        steps, config = len(actions), self.config
        outputs = self._forward(torch.from_numpy(np.stack(observations)))
        values = outputs[:, -1]
        following = 0.0 if terminated else values[-1].item()
        returns = np.empty(steps, np.float32)
        for step in reversed(range(steps)):
            returns[step] = following = rewards[step] + config.gamma * following
        logs = torch.log_softmax(outputs[:steps, :-1], -1)
        advantages = torch.from_numpy(returns) - values[:steps]
        taken = logs[torch.arange(steps), torch.tensor(actions)]
        entropy = -(logs.exp() * logs).sum()
        loss = (
            -(taken * advantages.detach()).sum()
            - config.entropy_coefficient * entropy
            + config.value_coefficient * advantages.square().sum()
        )
        self._gradients.zero_()
        loss.backward()

    @torch.no_grad()
    def _update(self) -> None:
        """RMSProp with mean squares that are shared."""
        config, gradients, squares = self.config, self._gradients, self.shared.squares
        squares.mul_(config.rms_prop_decay).addcmul_(gradients, gradients, value=1 - config.rms_prop_decay)
        roots = squares.sqrt().add_(config.rms_prop_epsilon)
        self.shared.parameters.addcdiv_(gradients, roots, value=-config.learning_rate)


def explorations_per_second(
    env: str, shape: A3CShape, config: A3CHyperParameters, processes: int, seconds: float
) -> float:
    """Explorations a second of so many processes, one thread each, after their start.

    Parameters
    ----------
    env
        Identifier of an environment with numbered actions.
    shape, config
        Network and hyper-parameters.
    processes
        How many.
    seconds
        Seconds of counting.

    Raises
    ------
    RuntimeError
        A process ended, or none of its explorations did for too long.
    """
    shared = SharedAgents.of(shape, processes)
    workers = [WorkerProcess(_run, LIMIT) for _ in range(processes)]
    try:
        for number, worker in enumerate(workers):
            worker.start(env, shape, config, shared, number, drawn_from(0) + number)
        for worker in workers:
            require_message(worker, LIMIT)
        begun, before = time.perf_counter(), int(shared.explorations.sum())
        while time.perf_counter() < begun + seconds:
            time.sleep(POLL_SECONDS)
            for worker in workers:
                if worker.link.poll():
                    # They say nothing now but with their end.
                    require_message(worker, LIMIT)
        done, ended = int(shared.explorations.sum()) - before, time.perf_counter()
    finally:
        for worker in workers:
            worker.stop()
    return done / (ended - begun)


def _run(
    link: Connection,
    env: str,
    shape: A3CShape,
    config: A3CHyperParameters,
    shared: SharedAgents,
    number: int,
    seed: int,
) -> None:
    """Run a process, until the link to the host ends."""
    torch.set_num_threads(1)
    # Gradients of a game without rewards become so small that their squares are subnormal, which takes long.
    torch.set_flush_denormal(True)
    agent = TorchAgent(shape, config, shared, ByteEnvironment(env, seed), seed)
    for _ in range(WARM_UP):
        agent.explore()
    link.send("ready")
    done = 0
    while done % LOOK or not link.poll():
        agent.explore()
        done += 1
        shared.explorations[number] = done
