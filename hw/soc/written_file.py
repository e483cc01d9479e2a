"""Files that are written: an error says which file it was, and what failed."""

import contextlib
import errno
from collections.abc import Iterator
from pathlib import Path

__all__ = ["WriteError", "write_text", "writing", "writing_into"]

# Whatever file is written: the disk is full, or takes nothing.
DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


class WriteError(OSError):
    """A file that could not be written: the system names no file when a disk is full."""

    def __str__(self) -> str:
        return f"Cannot write {self.filename}: {self.strerror}"


@contextlib.contextmanager
def writing(path: Path | str) -> Iterator[None]:
    """Within it an error of the system is one of writing this file.

    Raises
    ------
    WriteError
        In the place of any other ``OSError``.
    """
    try:
        yield
    except WriteError:
        raise
    except OSError as error:
        raise WriteError(error.errno, error.strerror or str(error), str(path)) from error


@contextlib.contextmanager
def writing_into(folder: Path | str) -> Iterator[None]:
    """Within it files are written into a folder, and other things are done.

    Raises
    ------
    WriteError
        In the place of an ``OSError`` that names the folder or something in it, or says that the disk takes no more.
    """
    try:
        yield
    except WriteError:
        raise
    except OSError as error:
        named = isinstance(error.filename, str) and Path(error.filename).is_relative_to(folder)
        if not named and error.errno not in DISK:
            raise
        place = error.filename if named else str(folder)
        raise WriteError(error.errno, error.strerror or str(error), place) from error


def write_text(path: Path, text: str) -> None:
    """Write a text file, UTF-8.

    Raises
    ------
    WriteError
        It cannot be written.
    """
    with writing(path):
        path.write_text(text, encoding="utf-8")
