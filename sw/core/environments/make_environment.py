"""Gymnasium's environments by their identifiers."""

import contextlib
import sys
from collections.abc import Iterator

import gymnasium

__all__ = ["make_environment"]


def make_environment(identifier: str) -> gymnasium.Env:
    """The environment of an identifier: ``"module:identifier"`` is one of a module, also of the working folder.

    Raises
    ------
    ValueError
        It cannot be made, and why.
    """
    # A script's own folder is on the path, the folder in which the command line is called is not.
    if ":" in identifier and "" not in sys.path:
        sys.path.append("")
    try:
        with _quiet_about_own_models(identifier):
            return gymnasium.make(identifier)
    except (gymnasium.error.Error, ImportError) as error:
        raise ValueError(f"Environment {identifier!r} cannot be made: {error}") from error


@contextlib.contextmanager
def _quiet_about_own_models(identifier: str) -> Iterator[None]:
    """Leave out what MuJoCo finds out of date in the models that come with Gymnasium: a user cannot change them.

    It would be told, and written to a file in the working directory, at each making. Other warnings are told.
    """
    specification = gymnasium.registry.get(identifier)
    if specification is None or not str(specification.entry_point).startswith("gymnasium.envs.mujoco."):
        yield
        return
    import mujoco

    before = mujoco.get_mju_user_warning()

    def tell(text: str) -> None:
        if "is deprecated" in text:
            return
        if before is not None:
            before(text)
        else:
            print(f"WARNING: {text}", file=sys.stderr)

    mujoco.set_mju_user_warning(tell)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
