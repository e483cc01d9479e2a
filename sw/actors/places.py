"""Where environments are stepped: in processes of this machine, in the learner's, or on a cluster of Ray, an extra."""

__all__ = ["IN_PROCESS", "PLACES", "PROCESSES", "RAY", "on_ray"]

PROCESSES, IN_PROCESS, RAY = PLACES = ("processes", "in-process", "ray")


def on_ray(what: str, where: str) -> bool:
    """Whether processes run on Ray (``"ray"``) rather than on this machine (``"processes"``).

    Parameters
    ----------
    what
        Name of what the processes belong to, for errors.
    where
        The place that was asked for.

    Raises
    ------
    ValueError
        There is no such place; the package ``ray`` is missing.
    """
    if where == PROCESSES:
        return False
    if where != RAY:
        raise ValueError(f"{what} must be on processes or ray, not {where!r}")
    try:
        import ray  # noqa: F401
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise ValueError(f"{what} on Ray need the package ray: pip install 'rewardware[ray]'") from None
    return True
