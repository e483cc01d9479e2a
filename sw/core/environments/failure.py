"""Errors within an environment, which is somebody else's code."""

__all__ = ["EnvironmentFailure", "NonFiniteError"]


class EnvironmentFailure(Exception):
    """A step raised an error; everything before the step is as it was, so that a checkpoint can be written.

    Its cause is the error.
    """


class NonFiniteError(EnvironmentFailure, ValueError):
    """An observation or a reward is infinite or no number."""
