"""Build results kept by the content they were made from: a second build of the same thing compiles nothing."""

import contextlib
import hashlib
import json
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from ...hw.soc.under_way import under_way
from ...hw.soc.written_file import writing, writing_into

# A build of the largest system takes minutes; a lock held longer than this belongs to something that hangs.
LOCK_LIMIT_SECONDS = 1800
# Names and sizes of a build's files, written when it is complete.
CACHE_VARIABLE = "REWARDWARE_CACHE"
MANIFEST = "manifest.json"

# Gigabytes that builds take at most.
LIMIT_VARIABLE = "REWARDWARE_CACHE_GB"
DEFAULT_LIMIT_GB = 10.0
# A build used within this time is not removed to make room: somebody may be about to load it.
LEAST_AGE_SECONDS = 3600
# Its time is that of the last look at how much there is.
_LOOKED = "looked"
_LOOK_SECONDS = 600

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Entry:
    """A kept build.

    Parameters
    ----------
    kind : str
        ``libraries``: simulators; ``blocks``: parts of them; ``benches``: of tests; ``verilog``; ``synthesis``; ...
    folder : Path
    size : int
        Bytes.
    used : float
        When it was last asked for, in seconds since 1970.
    """

    kind: str
    folder: Path
    size: int
    used: float


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
    was, as after a full disk, is made again.

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
    make_room()
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


def cache_entries() -> list[Entry]:
    """All kept builds, those unused for longest first."""
    found = []
    for manifest in cache_folder().glob(f"*/*/{MANIFEST}"):
        folder = manifest.parent
        # Somebody may remove it in this moment.
        with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
            size = manifest.stat().st_size + sum(json.loads(manifest.read_text()).values())
            found.append(Entry(folder.parent.name, folder, size, folder.stat().st_mtime))
    return sorted(found, key=lambda entry: entry.used)


def cache_limit() -> int:
    """Bytes that builds may take: ``REWARDWARE_CACHE_GB`` in gigabytes, else 10.

    Raises
    ------
    ValueError
        It is no number above 0.
    """
    chosen = os.environ.get(LIMIT_VARIABLE)
    try:
        gigabytes = float(chosen) if chosen is not None else DEFAULT_LIMIT_GB
    except ValueError:
        gigabytes = 0
    if not 0 < gigabytes < float("inf"):
        raise ValueError(f"{LIMIT_VARIABLE} must be a number of gigabytes above 0, not {chosen!r}")
    return int(gigabytes * 1e9)


def remove_entries(entries: Iterable[Entry]) -> int:
    """Remove builds, but for those that are being made; returns bytes."""
    freed = 0
    for entry in entries:
        with contextlib.suppress(Timeout), FileLock(entry.folder.with_name(f"{entry.folder.name}.lock"), timeout=0):
            shutil.rmtree(entry.folder, ignore_errors=True)
            freed += entry.size
            logger.info("removed from the cache: %s", entry.folder)
    return freed


def remove_left_over() -> None:
    """Remove what killed builds left of things that are not built again, a changed design for instance."""
    for partial in cache_folder().glob("*/*.partial.*"):
        lock = partial.with_name(f"{partial.name.partition('.partial.')[0]}.lock")
        # Whoever builds that key holds its lock.
        with contextlib.suppress(Timeout), FileLock(lock, timeout=0):
            shutil.rmtree(partial, ignore_errors=True)
            logger.info("removed from the cache, left by a build that was killed: %s", partial)


def make_room() -> None:
    """Remove what killed builds left, and those unused for longest until all fit the limit; looks every ten minutes at
    most."""
    looked, now, limit = cache_folder() / _LOOKED, time.time(), cache_limit()
    with contextlib.suppress(FileNotFoundError):
        if now - looked.stat().st_mtime < _LOOK_SECONDS:
            return
    looked.touch()
    remove_left_over()
    entries = cache_entries()
    excess, removed = sum(entry.size for entry in entries) - limit, []
    for entry in entries:
        if excess <= 0 or now - entry.used < LEAST_AGE_SECONDS:
            break
        removed.append(entry)
        excess -= entry.size
    remove_entries(removed)


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
