"""Driver of the search tree: requests and answers, wherever the tree is."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from ...hw.cores.tree.requests import RequestKind, Status
from ..reference.tree.requests import Answer, Request
from .driver import Driver
from .errors import DeviceError
from .search_tree_backends import TreeBackend
from .search_tree_numbers import TreeParameters, fixed_reward

__all__ = ["MCTSDevice", "SearchTreeError"]


class SearchTreeError(DeviceError):
    """The tree refused a request, and is as it was.

    Parameters
    ----------
    status : Status
    message : str
    """

    def __init__(self, status: Status, message: str):
        self.status = status
        super().__init__(message)


class MCTSDevice(Driver):
    """A search tree and the requests under way.

    The interface of the source's Table 5.1, whose other two functions are the pool's
    (:class:`..actors.simulation_pool.SimulationPool`):

    ==================== ========================================================================================
    Init                 :func:`.search_tree_backends.open_tree`
    MCTS_Parameters      :meth:`mcts_parameters`
    LoadKrnlParameters   :meth:`load_kernel_parameters`
    AssignExpSimTasks    the pool's ``assign_exp_sim_tasks``
    CollectSimTasks      the pool's ``collect_sim_tasks``
    SendInTreeRequests   :meth:`send_in_tree_requests`
    ReceiveSimRequests   :meth:`receive_sim_requests`
    ==================== ========================================================================================

    Parameters
    ----------
    backend : TreeBackend

    Source: Y. Meng, *Accelerating reinforcement learning using heterogeneous platforms*, section 5.1.2.
    """

    holds = "search tree"
    backend: TreeBackend

    def __init__(self, backend: TreeBackend):
        super().__init__(backend)
        self._sent: deque[Request] = deque()

    def mcts_parameters(self, parameters: TreeParameters) -> None:
        """Set the registers.

        Raises
        ------
        DeviceError
            Requests are under way, or the device was closed.
        """
        self._refuse_if_closed()
        if self._sent:
            raise DeviceError(f"Parameters cannot change with {len(self._sent)} requests under way")
        self.backend.write_registers(parameters.registers())

    def load_kernel_parameters(self) -> int:
        """Words of comparison tables that were loaded: none, they are part of the gateware."""
        return 0

    # Requests, as values.

    def select(self, worker: int) -> Request:
        """The request of a selection."""
        return self._request(RequestKind.SELECT, worker=worker)

    def backup(self, worker: int, reward: float, terminal: bool, legal: int) -> Request:
        """The request of a backup.

        Parameters
        ----------
        worker : int
        reward : float
            In [-8, 8), rounded to 12 fraction bits.
        terminal : bool
            Whether the episode has ended in the selection's end.
        legal : int
            Actions that exist there, bit a for action a.

        Raises
        ------
        ValueError
            A reward out of range; no action where the episode has not ended; an action that the tree has no room for.
        """
        self._check_state(terminal, legal)
        rounded = fixed_reward(reward)
        return self._request(RequestKind.BACKUP, worker=worker, reward=rounded, terminal=terminal, legal=legal)

    def priors(self, worker: int, priors: Sequence[int]) -> list[Request]:
        """The requests that give priors to the pending node at the end of a worker's selection, two a request.

        Parameters
        ----------
        worker : int
        priors : sequence of int
            From action 0 on, 16 fraction bits, as :func:`.priors.quantize_priors` gives them.

        Raises
        ------
        ValueError
            A prior out of range.
        """
        pairs = zip(priors[::2], [*priors[1::2], 0], strict=False)
        return [
            self._request(RequestKind.PRIOR, worker=worker, group=group, even_prior=even, odd_prior=odd)
            for group, (even, odd) in enumerate(pairs)
        ]

    def clear(self, terminal: bool, legal: int) -> Request:
        """The request of a new tree. Its root is pending and can get priors if ``terminal`` and ``legal`` are 0.

        Raises
        ------
        ValueError
            An action that the tree has no room for.
        """
        return self._request(RequestKind.CLEAR, terminal=terminal, legal=legal)

    def advance(self, action: int) -> Request:
        """The request that makes the root's child the root."""
        return self._request(RequestKind.ADVANCE, action=action)

    def _request(self, kind: RequestKind, *, terminal: bool = False, **numbers: Any) -> Request:
        """A request that the tree can be asked; integers may be NumPy's."""
        plain = {
            name: number.__index__() if hasattr(number, "__index__") else number for name, number in numbers.items()
        }
        request = Request(kind=kind, terminal=bool(terminal), **plain)
        request.check(self.config)
        return request

    @staticmethod
    def _check_state(terminal: bool, legal: int) -> None:
        if not terminal and not legal:
            raise ValueError("Legal actions must not be 0 unless the episode has ended")

    # To the tree and back.

    def send_in_tree_requests(self, requests: Iterable[Request]) -> None:
        """Send requests.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        requests = list(requests)
        if requests:
            self._sent.extend(requests)
            self.backend.send(requests)

    def receive_sim_requests(self) -> list[Answer]:
        """The answers to all requests sent.

        Raises
        ------
        SearchTreeError
            A request was refused: the first one; no answer is left.
        DeviceError
            The device was closed, or an answer is not that of the request.
        """
        self._refuse_if_closed()
        answers, refused = [], None
        for answer in self.backend.receive(len(self._sent)) if self._sent else ():
            request = self._sent.popleft()
            if (answer.kind, answer.worker) != (request.kind, request.worker):
                raise DeviceError(
                    f"The answer to request {RequestKind(request.kind).name.lower()} of worker {request.worker} came "
                    f"with kind {answer.kind} and worker {answer.worker}"
                )
            answers.append(answer)
            if answer.status >= Status.UNKNOWN_KIND and refused is None:
                refused = answer
        if refused is not None:
            raise SearchTreeError(
                refused.status,
                f"Request {RequestKind(refused.kind).name.lower()} of worker {refused.worker} was refused: "
                f"{refused.status.name.lower()}",
            )
        return answers

    def request(self, *requests: Request) -> list[Answer]:
        """Send requests and wait for their answers; errors as those of both."""
        self.send_in_tree_requests(requests)
        return self.receive_sim_requests()

    def counters(self) -> dict[str, int]:
        """Counts of hardware since :meth:`mcts_parameters`, by name; the reference has none.

        Raises
        ------
        DeviceError
            The device was closed.
        """
        self._refuse_if_closed()
        return self.backend.counters()
