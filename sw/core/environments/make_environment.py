"""Gymnasium's environments by their identifiers."""

import contextlib
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import gymnasium

from .arcade import ARCADE, find_game

__all__ = ["make_environment"]


def make_environment(identifier: str, **settings: Any) -> gymnasium.Env:
    """The environment of an identifier: ``"module:identifier"`` is one of a module, also of the working folder;
    ``"ALE/..."`` is a game of the Arcade Learning Environment, where it is installed.

    Parameters
    ----------
    identifier
        Name of a registered environment.
    **settings
        Settings of ``gymnasium.make``, such as ``render_mode``, or of the environment, such as ``obs_type="ram"``.

    Raises
    ------
    ValueError
        It cannot be made, and why.
    """
    # A script's own folder is on the path, the folder in which the command line is called is not.
    if ":" in identifier and "" not in sys.path:
        sys.path.append("")
    made = find_game(identifier) if identifier.startswith(ARCADE) else identifier
    try:
        with _quiet_about_own_models(identifier):
            return gymnasium.make(made, **settings)
    except (gymnasium.error.Error, ImportError) as error:
        unknown = isinstance(error, gymnasium.error.NameNotFound) and ":" not in identifier
        hint = f"; if a module of yours registers it, name it as MODULE:{identifier}, or add --import MODULE"
        raise ValueError(f"Environment {identifier!r} cannot be made: {error}{hint if unknown else ''}") from error


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
            # Also in a process of an actor, which has no log.
            warnings.warn(f"MuJoCo: {text}", RuntimeWarning, stacklevel=2)

    mujoco.set_mju_user_warning(tell)
    try:
        yield
    finally:
        mujoco.set_mju_user_warning(before)
