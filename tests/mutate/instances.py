"""Classes of a design's instances, which its Verilog does not name."""

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any
from unittest import mock

from amaranth.hdl import Fragment
from amaranth.lib import wiring

from rewardware.hw.cores.replicated import Replicated

__all__ = ["instances", "parts_of_others", "places_of"]


@contextlib.contextmanager
def instances(component: wiring.Component) -> Iterator[dict[str, str]]:
    """Gives a mapping that a conversion of a component fills: the class of each instance inside, by its path.

    Levels of a path have dots between them; the component's own is empty. The mapping is filled at the end of the
    context.
    """
    found: dict[str, str] = {}
    elaborated: list[tuple[wiring.Component, Any]] = []
    original = Fragment.get

    def get(part: Any, platform: Any) -> Any:
        fragment = original(part, platform)
        if isinstance(part, wiring.Component):
            elaborated.append((part, fragment))
        return fragment

    with mock.patch.object(Fragment, "get", staticmethod(get)):
        yield found
    fragments = {id(part): fragment for part, fragment in elaborated}
    # Only the first of equal replicated units is converted.
    units = {
        part.key: fragments[id(part.component)]
        for part, _ in elaborated
        if isinstance(part, Replicated) and id(part.component) in fragments
    }
    found[""] = type(component).__name__
    found.update(_inside(fragments[id(component)], "", units))


def _inside(fragment: Any, above: str, units: Mapping[Any, Any]) -> Iterator[tuple[str, str]]:
    for part, name, _ in fragment.subfragments:
        path = f"{above}{name}"
        for made in part.origins or ():
            if isinstance(made, Replicated):
                yield path, type(made.component).__name__
                yield from _inside(units[made.key], f"{path}.", units)
            elif isinstance(made, wiring.Component):
                yield path, type(made).__name__
        yield from _inside(part, f"{path}.", units)


def places_of(found: Mapping[str, str], own: set[str]) -> list[str]:
    """Paths of a core's instances in what its tests simulate, each with a dot at its end.

    None where that is an instance of the core itself, or has none, as functions are no instances.
    """
    return [f"{path}." for path, kind in found.items() if kind in own] if found.get("") not in own else []


def parts_of_others(found: Mapping[str, str], own: set[str], others: set[str]) -> list[str]:
    """Paths of the instances of other cores' classes, without those that hold an instance of the own classes.

    Each ends with a dot, so that it does not also stand for longer names.
    """
    held = [path for path, kind in found.items() if kind in own]
    return [
        f"{path}."
        for path, kind in found.items()
        if path and kind in others - own and not any(f"{inside}.".startswith(f"{path}.") for inside in held)
    ]
