"""Build results kept by the content they were made from: a second build of the same thing compiles nothing."""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

# A build of the largest system takes minutes; a lock held longer than this belongs to something that hangs.
LOCK_LIMIT_SECONDS = 1800


def cache_folder() -> Path:
    """The folder of kept builds: ``REWARDWARE_CACHE``, else ``rewardware`` in the user's cache folder."""
    chosen = os.environ.get("REWARDWARE_CACHE")
    folder = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rewardware"
    folder = folder.expanduser().absolute()
    if " " in str(folder):
        raise ValueError(f"The cache folder must have no space in its path, not {str(folder)!r}: set REWARDWARE_CACHE")
    return folder


def content_key(**content: object) -> str:
    """A name for what is built from ``content``, the same on every machine."""
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def build_once(kind: str, key: str, build: Callable[[Path], None]) -> Path:
    """Return the folder of build ``key``, calling ``build(folder)`` if it is not there yet.

    Processes that ask for the same build at the same time wait for the one that makes it. A folder appears
    under its final name only when it is complete, so an interrupted build leaves nothing that looks finished.

    Parameters
    ----------
    kind : str
        Folder in the cache, for people who look there.
    key : str
        From :func:`content_key`.
    build : callable
        Fills the empty folder that it is given.
    """
    parent = cache_folder() / kind
    folder = parent / key
    if folder.exists():
        os.utime(folder)
        return folder
    parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(parent / f"{key}.lock", timeout=LOCK_LIMIT_SECONDS):
            if not folder.exists():
                partial = Path(tempfile.mkdtemp(prefix=f"{key}.partial.", dir=parent))
                try:
                    build(partial)
                    partial.rename(folder)
                finally:
                    shutil.rmtree(partial, ignore_errors=True)
    except Timeout:
        raise TimeoutError(f"Another process has been building {folder} for {LOCK_LIMIT_SECONDS} s") from None
    return folder
