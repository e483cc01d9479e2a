"""Checkpoints: one file of named arrays and plain numbers, written whole or not at all."""

import contextlib
import json
import logging
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ...hw.soc.written_file import writing
from .backends import is_of_a_machine
from .versions import package_version

__all__ = [
    "CheckpointError", "backend_of", "environment_of", "lacking", "prefixed", "read_about", "read_agent",
    "read_checkpoint", "require_configuration", "settings_of", "under", "write_checkpoint",
]  # fmt: skip

logger = logging.getLogger(__name__)

FORMAT = "rewardware checkpoint"
VERSION = 2
# Errors that reading a damaged archive may raise.
DAMAGE = (
    zipfile.BadZipFile, EOFError, KeyError, OSError, OverflowError, RuntimeError, TypeError, ValueError, struct.error,
    zlib.error,
)  # fmt: skip


class CheckpointError(ValueError):
    """A file that is no checkpoint, or a damaged one, or one of something else."""


def lacking(path: Path | str, about: dict[str, Any], name: str) -> CheckpointError:
    """The error that a checkpoint has no ``name``, with the versions that wrote and read it."""
    writer = f"version {about['rewardware']}" if "rewardware" in about else "an earlier version"
    return CheckpointError(
        f"{path} lacks {name}: it was written by {writer} of rewardware and cannot go on in version {package_version()}"
    )


def write_checkpoint(path: Path | str, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
    """Writes a checkpoint: a zip archive of .npy files and one JSON, each with its CRC-32.

    The file appears under its name only when it is complete and on disk; until then the old one stays.

    Raises
    ------
    WriteError
        It cannot be written.
    """
    path = Path(path)
    with writing(path):
        _write(path, arrays, rest)


def _write(path: Path, arrays: dict[str, np.ndarray], rest: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with open(temporary, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
                about = {"format": FORMAT, "version": VERSION, "rewardware": package_version()}
                about |= {"arrays": sorted(arrays), **rest}
                archive.writestr("about.json", json.dumps(about))
                for name, value in arrays.items():
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                        np.lib.format.write_array(member, np.asanyarray(value, order="C"), allow_pickle=False)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        logger.info("checkpoint written: %s", path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_about(path: Path | str) -> dict[str, Any]:
    """The plain numbers of a checkpoint alone, at once however much it holds.

    Raises
    ------
    CheckpointError
        As `read_checkpoint`.
    """
    path = Path(path)
    with _reading(path), zipfile.ZipFile(path) as archive:
        return _about_of(archive, path)


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Within it what a damaged file raises is told as such."""
    if not path.is_file():
        raise CheckpointError(f"No checkpoint at {path}")
    try:
        yield
    except CheckpointError:
        raise
    except DAMAGE as error:
        raise CheckpointError(f"{path} is cut short or damaged, or not a checkpoint: {error}") from error


def _about_of(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    if "about.json" not in archive.namelist():
        raise CheckpointError(f"{path} is not a checkpoint of rewardware")
    about = json.loads(archive.read("about.json"))
    if not isinstance(about, dict) or about.get("format") != FORMAT:
        raise CheckpointError(f"{path} is not a checkpoint of rewardware")
    if about.get("version") != VERSION:
        raise CheckpointError(f"{path} is a checkpoint of version {about.get('version')}, not {VERSION}")
    return about


def read_checkpoint(path: Path | str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays and plain numbers of a checkpoint.

    Raises
    ------
    CheckpointError
        There is none at ``path``; or it is cut short, damaged, of something else or of a newer version.
    """
    path = Path(path)
    arrays = {}
    with _reading(path), zipfile.ZipFile(path) as archive:
        about = _about_of(archive, path)
        for name in about["arrays"]:
            with archive.open(f"{name}.npy") as member:
                arrays[name] = np.lib.format.read_array(member, allow_pickle=False)
                # Reading on to the end makes the archive compare the CRC.
                member.read()
    logger.info("checkpoint read: %s", path)
    return arrays, about


def read_agent(path: Path | str, agent: str, members: Iterable[str]) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """A checkpoint of an agent of that name, which must have all of ``members`` beside its arrays.

    Raises
    ------
    CheckpointError
        As `read_checkpoint`; or it is of another agent, or lacks a member.
    """
    arrays, about = read_checkpoint(path)
    if about.get("agent") != agent:
        raise CheckpointError(f"{path} is a checkpoint of {about.get('agent')!r}, not of {agent!r}")
    for name in members:
        if name not in about:
            raise lacking(path, about, name)
    return arrays, about


def environment_of(path: Path | str, about: dict[str, Any], given: Any = None) -> Any:
    """The environment to go on in: the one given, else the identifier in the checkpoint.

    Raises
    ------
    CheckpointError
        Neither is there; or the checkpoint's is of a module that nobody has imported: a file alone runs no code.
    """
    if given is not None:
        return given
    env = about["env"]
    if env is None:
        raise CheckpointError(f"The environment of {path} is not registered: give the environment")
    if not isinstance(env, str):
        raise CheckpointError(f"The environment of {path} must be an identifier, not {env!r}")
    module, colon, _ = env.partition(":")
    if colon and module not in sys.modules:
        raise CheckpointError(
            f"{path} is of environment {env!r}, whose module is imported only on request: "
            f"give the environment, or import it (on the command line --import {module})"
        )
    return env


def backend_of(path: Path | str, about: dict[str, Any], given: str | None = None) -> str:
    """Where to go on: the backend given, else that of the checkpoint.

    Raises
    ------
    CheckpointError
        None is given, and the checkpoint's is a port of a machine: a file alone opens none.
    """
    backend = about["backend"]
    if not isinstance(backend, str):
        raise CheckpointError(f"The backend of {path} must be a name, not {backend!r}")
    if given is None and is_of_a_machine(backend):
        raise CheckpointError(f"{path} is of a run on {backend}: give the backend, this one or another")
    return given or backend


@contextlib.contextmanager
def settings_of(path: Path | str) -> Iterator[None]:
    """Within it, what a checkpoint says of an agent is made into its configuration.

    Raises
    ------
    CheckpointError
        In the place of errors of a configuration.
    """
    try:
        yield
    except CheckpointError:
        raise
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{path} holds settings that no agent of this version has: {error}") from error


def require_configuration(path: Path | str, about: dict[str, Any], hardware: Any) -> None:
    """Refuses a configuration of the accelerator that is not the checkpoint's.

    Raises
    ------
    CheckpointError
        Their hashes differ.
    """
    expected, found = about["configuration_hash"], hardware.configuration_hash
    if found != expected:
        raise CheckpointError(f"{path} is of a configuration with hash {expected:#010x}; this one has {found:#010x}")


def prefixed(prefix: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays under names that begin with ``prefix/``."""
    return {f"{prefix}/{name}": value for name, value in arrays.items()}


def under(prefix: str, arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The arrays that `prefixed` put there, by their own names."""
    return {key[len(prefix) + 1 :]: value for key, value in arrays.items() if key.startswith(prefix + "/")}
