"""An actor of Ray that works for this process, and may die without anybody waiting for it."""

import logging
from typing import Any

import ray

__all__ = ["RayWorker", "remote_class"]


def remote_class(kind: type) -> Any:
    """A class whose objects Ray runs, each on a core, spread over the machines.

    Ray starts none again by itself, nor anything that one was asked: whoever asked has to know what was lost.
    """
    return ray.remote(num_cpus=1, scheduling_strategy="SPREAD", max_restarts=0, max_task_retries=0)(kind)


class RayWorker:
    """An actor of Ray, which places it on any machine of the cluster that has a core for it.

    The cluster is the one that this process is connected to; else that of ``RAY_ADDRESS`` or of this machine, or one
    that is made here (``ray.init``). Its machines need this package.

    Parameters
    ----------
    remote
        The class, from `remote_class`; it has a method ``process_id``.
    limit
        Seconds that an answer may take.

    Members
    -------
    actor
        Ray's handle, whose methods give references; ``None``: not started, or stopped.
    """

    def __init__(self, remote: Any, limit: float):
        self._remote, self._limit = remote, limit
        self.actor: Any = None
        self._end = "it did not begin"

    @property
    def process_id(self) -> int | None:
        """The actor's on its machine; ``None``: it does not run."""
        return None if self.actor is None else self.answer(self.actor.process_id.remote())

    def start(self, *arguments: Any) -> None:
        """Start the actor, if there is none, with arguments that can be pickled."""
        if self.actor is not None:
            return
        if not ray.is_initialized():
            ray.init(include_dashboard=False, logging_level=logging.WARNING)
        self.actor = self._remote.remote(*arguments)

    def answer(self, reference: Any, seconds: float | None = None) -> Any:
        """The actor's answer; ``None`` if it died, or takes longer than the limit, or than so many seconds.

        Raises
        ------
        ray.exceptions.RayTaskError
            The actor's method raised an error.
        """
        try:
            return ray.get(reference, timeout=self._limit if seconds is None else seconds)
        except ray.exceptions.GetTimeoutError:
            cores = ray.cluster_resources().get("CPU", 0), ray.available_resources().get("CPU", 0)
            self._end = "no answer; of {:g} cores of Ray's cluster {:g} are free".format(*cores)
        except ray.exceptions.RayTaskError:
            raise
        except ray.exceptions.RayError as error:
            # Where it could not be made the last line says why; the first of others says what happened.
            made = not (isinstance(error, ray.exceptions.RayActorError) and error.actor_init_failed)
            self._end = f"{type(error).__name__}: {str(error).splitlines()[0 if made else -1]}"
        return None

    def stop(self) -> str:
        """End the actor, whatever it does; how it ended."""
        if self.actor is not None:
            ray.kill(self.actor)
        self.actor = None
        return self._end
