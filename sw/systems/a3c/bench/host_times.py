"""Times of the host's side of an exploration, measured here: steps of environments at once, and the link."""

import itertools
import os
import socket
import time
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from .....hw.cores.a3c.records import answer_rows
from .....hw.soc.a3c.config import A3CSystemConfig
from ....core.worker_process import WorkerProcess
from ....measurement.bench import drawn_from
from ..exploration_times import RandomSteps

__all__ = ["StepTimes", "measure_interaction", "measure_steps", "packet_bytes", "require_message"]

# Seconds that a process may take to start, or to say anything.
LIMIT, CLOSE_SECONDS = 120.0, 5.0
WARM_UP = 100
ROUND_TRIPS = 2000


@dataclass(frozen=True)
class StepTimes:
    """Steps of environments that were timed.

    Parameters
    ----------
    seconds
        Seconds of each step; processes alternate.
    beginnings
        The share of it all that beginnings of episodes took.
    processes
        So many stepped at once.
    """

    seconds: tuple[float, ...]
    beginnings: float
    processes: int

    def __str__(self) -> str:
        """For people."""
        mean, median = (1e3 * float(middle(self.seconds)) for middle in (np.mean, np.median))
        return (
            f"t_e {mean:.2f} ms on average (median {median:.2f} ms; beginnings of episodes {100 * self.beginnings:.0f} "
            f"%), on the clock of {self.processes} processes at once on {os.cpu_count()} cores, with whatever else "
            f"they do"
        )


def measure_steps(env: str, processes: int, seconds: float) -> StepTimes:
    """Measure steps while so many processes step an environment each, all of them without a break.

    It is the time on the clock: where there are fewer cores than processes, or others also work there, waiting for a
    core is part of it.

    Parameters
    ----------
    env
        Identifier of an environment with numbered actions.
    processes
        How many, each with its environment.
    seconds
        How long to measure, after all have started.

    Raises
    ------
    RuntimeError
        A process ended, or does not answer.
    """
    workers = [WorkerProcess(_step, LIMIT) for _ in range(processes)]
    try:
        for number, worker in enumerate(workers):
            worker.start(env, drawn_from(0) + number)
        for worker in workers:
            require_message(worker, LIMIT)
        until = time.monotonic() + seconds
        for worker in workers:
            worker.link.send(until)
        found = [require_message(worker, LIMIT) for worker in workers]
    finally:
        for worker in workers:
            worker.stop()
    rows = itertools.zip_longest(*(times for times, _ in found))
    times = tuple(float(value) for row in rows for value in row if value is not None)
    return StepTimes(times, sum(beginnings for _, beginnings in found) / sum(times), processes)


def _step(link: Connection, env: str, seed: int) -> None:
    """Work of such a process; the clock that says when it ends is shared by all processes."""
    random = RandomSteps(env, seed)
    for _ in range(WARM_UP):
        random.step()
    link.send("ready")
    until, times = link.recv(), []
    random.beginnings = 0.0
    while time.monotonic() < until:
        times.append(random.step())
    link.send((np.array(times), random.beginnings))


def packet_bytes(hardware: A3CSystemConfig) -> tuple[int, int]:
    """Bytes of a request with an observation, and of its answer."""
    row = hardware.width * hardware.arithmetic.format.width // 8
    return row * (1 + hardware.layers[0].blocks), row * answer_rows(hardware)


def measure_interaction(hardware: A3CSystemConfig, round_trips: int = ROUND_TRIPS) -> float:
    """Seconds from host to device, or back: half of the median time of a request and its answer on a TCP connection
    between two processes of this machine.

    Raises
    ------
    RuntimeError
        The other process ended, or does not answer.
    """
    request, answer = (bytes(size) for size in packet_bytes(hardware))
    worker = WorkerProcess(_answer, LIMIT)
    try:
        worker.start(len(request), answer)
        port = require_message(worker, LIMIT)
        with socket.create_connection(("127.0.0.1", port), LIMIT) as link:
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            times = []
            for _ in range(round_trips + WARM_UP):
                begun = time.perf_counter()
                link.sendall(request)
                _receive(link, len(answer))
                times.append(time.perf_counter() - begun)
    finally:
        worker.stop()
    return float(np.median(times[WARM_UP:])) / 2


def _answer(link: Connection, request: int, answer: bytes) -> None:
    """Stands for the device."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(LIMIT)
        link.send(server.getsockname()[1])
        client, _ = server.accept()
        with client:
            client.settimeout(LIMIT)
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            while _receive(client, request):
                client.sendall(answer)


def _receive(link: socket.socket, count: int) -> bool:
    """Whether so many bytes came before the other end closed."""
    while count:
        data = link.recv(count)
        if not data:
            return False
        count -= len(data)
    return True


def require_message(worker: WorkerProcess, seconds: float) -> Any:
    """Receive a message of a process.

    Raises
    ------
    RuntimeError
        It ended, or said nothing for so long.
    """
    try:
        if worker.link.poll(seconds):
            return worker.link.recv()
    except (EOFError, OSError):
        # The link ends a moment before the process, which is not to be ended meanwhile.
        worker.process.join(CLOSE_SECONDS)
        code = worker.stop()
        raise RuntimeError(f"A process of the bench ended with exit code {code} before it answered") from None
    raise RuntimeError(f"A process of the bench has not answered for {seconds:g} seconds")
