"""Build results kept by the content they were made from: a second build of the same thing compiles nothing."""

import contextlib
import hashlib
import json
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from filelock import FileLock, Timeout

from ...hw.soc.under_way import under_way
from ...hw.soc.written_file import writing, writing_into

# A build of the largest system takes minutes; a lock held longer than this belongs to something that hangs.
LOCK_LIMIT_SECONDS = 1800
# Names and sizes of a build's files, written when it is complete.
CACHE_VARIABLE = "REWARDWARE_CACHE"
MANIFEST = "manifest.json"

logger = logging.getLogger(__name__)


def cache_folder() -> Path:
    """The folder of kept builds: ``REWARDWARE_CACHE``, else ``rewardware`` in the user's cache folder."""
    chosen = os.environ.get(CACHE_VARIABLE)
    folder = Path(chosen) if chosen else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rewardware"
    folder = folder.expanduser().absolute()
    if " " in str(folder):
        raise ValueError(f"The cache folder must have no space in its path, not {str(folder)!r}: set REWARDWARE_CACHE")
    return folder


def content_key(**content: object) -> str:
    """A name for what is built from ``content``, the same on every machine."""
    text = json.dumps(content, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def build_once(kind: str, key: str, build: Callable[[Path], None], what: str = "") -> Path:
    """Return the folder of build ``key``, calling ``build(folder)`` if it is not there yet.

    Processes that ask for the same build at the same time wait for the one that makes it. A folder appears
    under its final name only when it is complete, so an interrupted build leaves nothing that looks finished; what a
    killed one left is removed by the next of its kind. A folder of which a file is missing or of another size than it
    was, as behind a full disk, is made again.

    Parameters
    ----------
    kind : str
        Folder in the cache, for people who look there.
    key : str
        From :func:`content_key`.
    build : callable
        Fills the empty folder that it is given.
    what : str
        What it does, if that takes long: it is told on standard error.
    """
    parent = cache_folder() / kind
    folder = parent / key
    if _is_whole(folder):
        os.utime(folder)
        logger.info("taken from the cache: %s", folder)
        return folder
    with writing(parent):
        parent.mkdir(parents=True, exist_ok=True)
    try:
        told = under_way(what) if what else contextlib.nullcontext()
        with told, writing_into(parent), FileLock(parent / f"{key}.lock", timeout=LOCK_LIMIT_SECONDS):
            # Whoever holds the lock is alone with what bears this key.
            for left in parent.glob(f"{key}.partial.*"):
                shutil.rmtree(left, ignore_errors=True)
            if not _is_whole(folder):
                shutil.rmtree(folder, ignore_errors=True)
                partial, started = Path(tempfile.mkdtemp(prefix=f"{key}.partial.", dir=parent)), time.monotonic()
                try:
                    build(partial)
                    (partial / MANIFEST).write_text(json.dumps(_sizes(partial)))
                    partial.rename(folder)
                    logger.info("made in %.1f s: %s", time.monotonic() - started, folder)
                finally:
                    shutil.rmtree(partial, ignore_errors=True)
    except Timeout:
        raise TimeoutError(f"Another process has been building {folder} for {LOCK_LIMIT_SECONDS} s") from None
    return folder


def _sizes(folder: Path) -> dict[str, int]:
    """Bytes of each file in a folder, by its path in it."""
    return {str(file.relative_to(folder)): file.stat().st_size for file in folder.rglob("*") if file.is_file()}


def _is_whole(folder: Path) -> bool:
    """Whether a folder is there with all that it was made with."""
    try:
        expected = json.loads((folder / MANIFEST).read_text())
        return all((folder / name).stat().st_size == size for name, size in expected.items())
    except (FileNotFoundError, json.JSONDecodeError):
        return False
