"""Where something computes, as a user says it, and how it is opened."""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = [
    "OWN_LINK",
    "PAIR",
    "Backend",
    "board_names",
    "is_board",
    "is_of_a_machine",
    "open_backend",
    "options_at",
    "parse_backend",
    "require_link",
]

REFERENCE = "reference"
DEVICES = {"rtl": "sim"}
OWN_LINK = "transport"
# The link to a board, and what its user has to give for it.
BOARDS = {"uart": "PORT", "pynq": "BITSTREAM"}
PAIR = "lockstep"


@dataclass(frozen=True)
class Backend:
    """Where something computes.

    Parameters
    ----------
    name
        As the user said it.
    place
        Place of a device, as `open_device` takes it; empty, if it is none.
    pair
        The two that are compared; empty, if it is no lockstep.
    """

    name: str
    place: str = ""
    pair: tuple["Backend", ...] = ()


def parse_backend(name: str, more: tuple[str, ...] = (), exact: tuple[str, ...] = ()) -> Backend:
    """Parse a user's choice of a backend.

    Parameters
    ----------
    name
        ``"reference"``, bit-exact NumPy; ``"rtl"``, the RTL in the simulator; ``"uart:PORT"`` and ``"pynq:BITSTREAM"``,
        a board; ``"lockstep"``, reference and RTL compared; ``"lockstep:A,B"``, A and what has to be the same;
        ``"transport"``, a device behind a link of one's own, which is given besides; or one of ``more`` or ``exact``.
    more
        What else there is, as ``"torch"``.
    exact
        Further backends with the reference's bits, each of which may be one of a pair, such as ``"host"``.

    Raises
    ------
    ValueError
        There is no such backend; the text says which there are.
    """
    if name in (REFERENCE, *more, *exact):
        return Backend(name)
    if name in DEVICES:
        return Backend(name, place=DEVICES[name])
    if name == OWN_LINK or is_board(name):
        return Backend(name, place=name)
    if name == PAIR:
        return Backend(name, pair=(parse_backend(REFERENCE), parse_backend("rtl")))
    first, comma, second = name.removeprefix(f"{PAIR}:").partition(",")
    if name.startswith(f"{PAIR}:") and comma and not any(part.startswith(PAIR) for part in (first, second)):
        return Backend(name, pair=(parse_backend(first, exact=exact), parse_backend(second, exact=exact)))
    words = [*more, *exact, REFERENCE, *DEVICES, PAIR, *board_names()]
    raise ValueError(f"Backend must be {', '.join(words[:-1])} or {words[-1]}, not {name!r}")


def is_board(name: str) -> bool:
    """Whether a backend is a board, with the port or file that leads to it."""
    kind, _, what = name.partition(":")
    return kind in BOARDS and bool(what)


def board_names() -> list[str]:
    """How boards are named, for messages."""
    return [f"{kind}:{what}" for kind, what in BOARDS.items()]


def is_of_a_machine(backend: str) -> bool:
    """Whether a backend, or a part of one, is something that this machine has and another one may not."""
    return OWN_LINK in backend or any(f"{kind}:" in backend for kind in BOARDS)


def options_at(place: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a device, of which a link of one's own is only for the device that is behind it."""
    return {name: value for name, value in options.items() if name != OWN_LINK or place == OWN_LINK}


def require_link(backend: str, link: Any, option: str = OWN_LINK) -> None:
    """Refuse a link of one's own that is not used, and a backend without its link.

    Parameters
    ----------
    backend
        As `parse_backend` takes it.
    link
        ``None``: none is given.
    option
        Option by which it is given.

    Raises
    ------
    ValueError
        One is there without the other.
    """
    # One backend of a pair may be behind the link.
    wanted = OWN_LINK in backend.removeprefix(f"{PAIR}:").split(",")
    if wanted and link is None:
        raise ValueError(f"Backend {backend!r} is a device behind a link of your own: give {option}=")
    if link is not None and not wanted:
        raise ValueError(f"{option}= is a link of your own: the backend must be {OWN_LINK!r}, not {backend!r}")


def open_backend(
    backend: Backend | str,
    reference: Callable[[], Any],
    device: Callable[[str], Any],
    lockstep: Callable[[Any, Any], Any],
    exact: Mapping[str, Callable[[], Any]] | None = None,
) -> Any:
    """Open something that the reference does as well as a device.

    Parameters
    ----------
    backend
        As `parse_backend` gives or takes it.
    reference
        Makes the reference.
    device
        Opens the device, given its place.
    lockstep
        Joins two of them: a `Comparison` with their interface.
    exact
        Functions that open the words that `parse_backend` has by this name.

    Raises
    ------
    ValueError
        There is no such backend.
    """
    others = exact or {}
    where = parse_backend(backend, exact=tuple(others)) if isinstance(backend, str) else backend
    if not where.pair:
        return device(where.place) if where.place else others.get(where.name, reference)()
    one, other = where.pair
    first = open_backend(one, reference, device, lockstep, exact)
    with contextlib.ExitStack() as opened:
        opened.callback(first.close)
        second = open_backend(other, reference, device, lockstep, exact)
        opened.callback(second.close)
        joined = lockstep(first, second)
        opened.pop_all()
    if where.name != PAIR:
        joined.names = one.name, other.name
    return joined
