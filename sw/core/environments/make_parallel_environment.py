"""PettingZoo's parallel environments by their identifiers."""

import importlib
import re
import sys
from collections.abc import Callable
from typing import Any

import pettingzoo
from pettingzoo.env_registry.exceptions import PettingZooRegistryError

__all__ = ["parallel_environment_factory"]

# The package of the Multi-Agent Particle Environments, and what its modules are called.
PARTICLES = "mpe2/"
PARTICLE_MODULE = re.compile(r"[a-z][a-z0-9_]*_v[0-9]+")


def parallel_environment_factory(identifier: str) -> Callable[[], Any]:
    """A function that makes the environment of an identifier, called without arguments.

    Parameters
    ----------
    identifier
        ``"module:factory"``: a function or a class of a module, also of the working folder. ``"mpe2/NAME"``: an
        environment of the package mpe2, where it is installed. Another one is that of a parallel environment in
        PettingZoo's registry.

    Raises
    ------
    ValueError
        There is no such module, nothing of that name in it, or nothing registered. The function also raises it where
        a registered environment cannot be imported.
    """
    if ":" in identifier:
        return _of_module(identifier)
    if identifier.startswith(PARTICLES):
        return _particles(identifier)
    return _registered(identifier)


def _of_module(identifier: str) -> Callable[[], Any]:
    module, _, name = identifier.partition(":")
    if not (module and name):
        raise ValueError(f"Environment must have the form MODULE:FACTORY, not {identifier!r}")
    # A script's own folder is on the path, the folder in which the command line is called is not.
    if "" not in sys.path:
        sys.path.append("")
    try:
        found = importlib.import_module(module)
    except ImportError as error:
        raise ValueError(f"Environment {identifier!r} cannot be made: {error}") from error
    if not hasattr(found, name):
        raise ValueError(f"Environment {identifier!r} cannot be made: module {module} has no {name}")
    factory = getattr(found, name)
    if not callable(factory):
        raise ValueError(
            f"Environment {identifier!r} must name a function or a class that makes it, not {type(factory).__name__}"
        )
    return factory


def _particles(identifier: str) -> Callable[[], Any]:
    name = identifier.removeprefix(PARTICLES)
    if not PARTICLE_MODULE.fullmatch(name):
        raise ValueError(f"Environment must have the form {PARTICLES}simple_spread_v3, not {identifier!r}")
    try:
        import mpe2
    except ImportError:
        raise ValueError(f"Environments {PARTICLES}... need the package mpe2: pip install 'rewardware[mpe]'") from None
    try:
        return importlib.import_module(f"{mpe2.__name__}.{name}").parallel_env
    except ImportError as error:
        raise ValueError(f"Environment {identifier!r} cannot be made: {error}") from error


def _registered(identifier: str) -> Callable[[], Any]:
    try:
        pettingzoo.spec("parallel", identifier)
    except PettingZooRegistryError as error:
        raise ValueError(
            f"Environment {identifier!r} cannot be made: {error}; if a module of yours makes it, name it as "
            "MODULE:FACTORY; if it registers it, add --import MODULE"
        ) from error

    def make() -> Any:
        try:
            return pettingzoo.make("parallel", identifier)
        except PettingZooRegistryError as error:
            raise ValueError(f"Environment {identifier!r} cannot be made: {error}") from error

    return make
