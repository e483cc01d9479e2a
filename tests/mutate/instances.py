"""Classes of a design's instances: names of modules say them for replicated units alone."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any
from unittest import mock

from amaranth.hdl import Fragment
from amaranth.lib import wiring

__all__ = ["instances", "parts_of_others"]


@contextlib.contextmanager
def instances(component: wiring.Component) -> Iterator[dict[str, str]]:
    """While it lasts, a conversion of a component fills the mapping: of each instance inside, by its path, the class.

    Levels of a path have dots between them. What is inside of a replicated unit is left out.
    """
    found: dict[str, str] = {}
    original = Fragment.get

    def get(part: Any, platform: Any) -> Any:
        fragment = original(part, platform)
        if part is component:
            found.update(_inside(fragment, ""))
        return fragment

    with mock.patch.object(Fragment, "get", staticmethod(get)):
        yield found


def _inside(fragment: Any, above: str) -> Iterator[tuple[str, str]]:
    for part, name, _ in fragment.subfragments:
        path = f"{above}{name}"
        yield from ((path, type(made).__name__) for made in part.origins or () if isinstance(made, wiring.Component))
        yield from _inside(part, f"{path}.")


def parts_of_others(found: Mapping[str, str], own: set[str], others: set[str]) -> list[str]:
    """The instances of other cores' classes, each with a dot behind it, but those that hold one of the own classes."""
    held = [path for path, kind in found.items() if kind in own]
    return [
        f"{path}."
        for path, kind in found.items()
        if kind in others - own and not any(f"{inside}.".startswith(f"{path}.") for inside in held)
    ]
